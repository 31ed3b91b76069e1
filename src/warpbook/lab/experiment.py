"""An experiment for hypotheses that are there already, or for none: its metrics and predictions.

What `warpbook experiment add` does, for Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from warpbook.book.adding import Wish
from warpbook.book.book import Book
from warpbook.book.tables import Experiment
from warpbook.core.codec import decode
from warpbook.core.effect import KERNEL_TIME, Metric, parse_interval, parse_metric
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan
from warpbook.lab.attempt import metrics_of
from warpbook.lab.plans import Asked, Default, make_plan


@dataclass(frozen=True)
class Added:
    """`defaults` are what nobody asked for."""

    experiment: Experiment
    plan: Plan
    defaults: list[Default]


@dataclass
class Foreseen:
    """What the plan measures, the interval for each hypothesis, and the campaign they are in."""

    metrics: list[Metric]
    intervals: dict[str | int, tuple[float, float]] = field(default_factory=dict)
    home: str = "inbox"


def add_experiment(
    book: Book,
    asked: Asked,
    predictions: Sequence[tuple[str, str]] = (),
    metrics: Sequence[str] = (),
    wish: Wish | None = None,
) -> Added:
    """`predictions` are pairs of a hypothesis and an interval: `("H-3", "1.2x..1.6x")`. `metrics`
    are by default those of the hypotheses; a campaign in `wish` that is inbox is theirs."""
    wish = wish or Wish()
    found = foreseen(book, predictions, metrics)
    if not found.metrics and asked.command is not None:
        raise BadInput("which of what the command prints is compared? --metric tokens_per_s:higher")
    plan, defaults = make_plan(asked, tuple(found.metrics) or (KERNEL_TIME,))
    experiment = book.experiments.add(
        plan,
        found.intervals,
        campaign=found.home if wish.campaign == "inbox" else wish.campaign,
        title=wish.title,
        runs=wish.runs,
        queue=wish.queue,
        pinned=wish.pinned,
        priority=wish.priority,
        repeats=wish.repeats,
    )
    return Added(experiment, plan, defaults)


def foreseen(
    book: Book, predictions: Sequence[tuple[str, str]], metrics: Sequence[str]
) -> Foreseen:
    found = Foreseen([parse_metric(text) for text in metrics])
    for name, interval in predictions:
        known = book.hypotheses.get(name)
        if known.name in found.intervals:
            raise BadInput(f"{known.name} is predicted twice: give one interval")
        found.intervals[known.name] = parse_interval(interval, decode(Metric, known.metric))
        named = {metric.name for metric in found.metrics}
        found.metrics += [metric for metric in metrics_of(known) if metric.name not in named]
        found.home = f"C-{known.campaign_id}"
    return found
