"""`warpbook try`: a claim, a prediction and an experiment in one line, with its defaults shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.claims import BELIEF, LEAST, claim_of, least, parse_guards
from warpbook.cli.book.duration import show_duration
from warpbook.cli.book.opening import opened
from warpbook.cli.book.plan import BLOCKS, LIMIT_S, Asked, Default, make_plan
from warpbook.cli.book.views import ends, metric_of, table
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, printable, show_json
from warpbook.core.effect import KERNEL_TIME, Metric, parse_interval, parse_metric
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.book.tables import Experiment, Hypothesis

NEXT = "warpbook work"


@dataclass(frozen=True)
class Meant:
    """What of the claim was typed, or None."""

    expect: str
    for_: str | None
    claim: str | None
    because: str
    at_least: str | None
    worse: bool
    belief: float | None
    metric: str | None
    guards: Sequence[str] | None
    tags: Sequence[str] | None
    campaign: str | None
    runs: int
    pinned: bool
    priority: int
    title: str


@guarded
def try_(
    change: options.Change = None,
    on: options.On = None,
    expect: Annotated[
        str,
        typer.Option(
            metavar="LOW..HIGH", help="Your 80% interval, such as 1.2x..1.6x.", show_default=False
        ),
    ] = "",
    because: options.Because = "",
    against: options.Against = None,
    workload: options.Workload = None,
    device: options.Device = None,
    at_least: options.AtLeast = None,
    worse: options.Worse = False,
    belief: options.Belief = None,
    claim: options.ClaimText = None,
    campaign: options.OfCampaign = None,
    runs: options.Runs = 3,
    pin: options.Pin = False,
    priority: options.Priority = 0,
    for_: Annotated[
        str | None,
        typer.Option("--for", metavar="H-3", help="For a hypothesis that is there already."),
    ] = None,
    command: options.Command = None,
    baseline: options.Baseline = None,
    metric: options.MetricText = None,
    guard: options.Guards = None,
    tag: options.Tags = None,
    title: options.Title = "",
    blocks: options.Blocks = BLOCKS,
    limit: options.RunLimit = LIMIT_S,
    variable: options.Variables = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Claim that FILE is faster than the best rung, predict by how much, and queue it."""
    asked = Asked(
        change, on, against, command, baseline, workload, device, blocks, limit,
        tuple(variable or ()),
    )  # fmt: skip
    meant = Meant(
        expect, for_, claim, because, at_least, worse, belief, metric, guard, tag, campaign, runs,
        pin, priority, title,
    )  # fmt: skip
    if not expect:
        raise BadInput("what do you expect? give your 80% interval: --expect 1.2x..1.6x")
    with opened(book, author) as opened_book:
        made = attempt(opened_book, asked, meant)
        (show_document if json else show)(opened_book, made)
    return 0


@dataclass(frozen=True)
class Made:
    hypothesis: "Hypothesis"
    experiment: "Experiment"
    plan: Plan
    metric: Metric
    interval: tuple[float, float]
    defaults: list[Default]


def attempt(book: "Book", asked: Asked, meant: Meant) -> Made:
    known = known_hypothesis(book, meant)
    metric = metric_of(known.metric) if known else metric_for(asked, meant)
    guards = parse_guards(meant.guards)
    interval = parse_interval(meant.expect, metric)
    metrics = metrics_of(known) if known else (metric, *(guard for guard, _ in guards))
    size = None if known else least(meant.at_least, metric)
    plan, defaults = make_plan(asked, metrics)
    with book.writing():
        if known is None:
            assert size is not None
            known = add_hypothesis(book, meant, plan, metric, size, guards)
            defaults += claim_defaults(meant)
        experiment = book.experiments.add(
            plan,
            {known.name: interval},
            campaign=meant.campaign or f"C-{known.campaign_id}",
            title=meant.title,
            runs=meant.runs,
            pinned=meant.pinned,
            priority=meant.priority,
        )
    defaults.append(cost_default(book, experiment))
    return Made(known, experiment, plan, metric, interval, defaults)


def cost_default(book: "Book", experiment: "Experiment") -> Default:
    from warpbook.book.costs import expected_cost

    with book.reading() as session:
        cost = expected_cost(session, experiment.noise_key, experiment.kind, experiment.device)
    return Default("cost", f"{show_duration(cost.seconds)} a run", cost.basis)


def add_hypothesis(
    book: "Book",
    meant: Meant,
    plan: Plan,
    metric: Metric,
    size: float,
    guards: Sequence[tuple[Metric, float]],
) -> "Hypothesis":
    return book.hypotheses.add(
        meant.claim or claim_of(plan, metric, meant.at_least or LEAST, meant.worse),
        metric,
        size,
        direction=-1 if meant.worse else 1,
        because=meant.because,
        prior=BELIEF if meant.belief is None else meant.belief,
        guards=guards,
        campaign=meant.campaign or "inbox",
        tags=tuple(meant.tags or ()),
    )


def known_hypothesis(book: "Book", meant: Meant) -> "Hypothesis | None":
    if meant.for_ is None:
        return None
    fixed = {
        "--claim": meant.claim,
        "--because": meant.because,
        "--at-least": meant.at_least,
        "--worse": meant.worse,
        "--belief": meant.belief,
        "--metric": meant.metric,
        "--guard": meant.guards,
        "--tag": meant.tags,
    }
    if given := [option for option, value in fixed.items() if value]:
        raise BadInput(f"{', '.join(given)}: {meant.for_} says that already; leave it out")
    return book.hypotheses.get(meant.for_)


def metrics_of(known: "Hypothesis") -> tuple[Metric, ...]:
    """Its own, and those of its guards."""
    return (metric_of(known.metric), *(metric_of(guard["metric"]) for guard in known.guards))


def metric_for(asked: Asked, meant: Meant) -> Metric:
    if meant.metric is not None:
        return parse_metric(meant.metric)
    if asked.command is not None:
        raise BadInput("which of what the command prints is compared? --metric tokens_per_s:higher")
    return KERNEL_TIME


def claim_defaults(meant: Meant) -> list[Default]:
    found = []
    if meant.at_least is None:
        found.append(Default("least effect", LEAST, "less would not matter; --at-least"))
    if meant.belief is None:
        found.append(Default("belief", str(BELIEF), "even odds; --belief"))
    if meant.campaign is None:
        found.append(Default("campaign", "inbox", "where claims go; --campaign"))
    return found


def misgivings(made: Made) -> list[str]:
    """What is allowed, and perhaps not meant."""
    low, high = made.interval
    known = made.hypothesis
    most = max(low * known.direction, high * known.direction)
    if most >= known.delta:
        return []
    other = "without --worse" if known.direction < 0 else "with --worse"
    return [
        f"all you expect falls short of the claim of {known.name}; if you mean to claim the "
        f"opposite, withdraw it (warpbook hypothesis withdraw {known.name}) and try {other}"
    ]


def show(book: "Book", made: Made) -> None:
    for line in misgivings(made):
        say(line)
    screen = console()
    known, experiment = made.hypothesis, made.experiment
    screen.print(printable(f"{known.name}  {known.claim}"), style="bold")
    runs = f"{experiment.runs_wanted} run{'s' if experiment.runs_wanted != 1 else ''}"
    arms = f"{made.plan.change.label} against {made.plan.baseline.label}"
    screen.print(printable(f"{experiment.name}  {arms}, {runs}, {experiment.state}"))
    expected = ends(made.metric, *made.interval)
    screen.print(f"you expect {expected} (80%), and that is locked now")
    show_defaults(screen, made.defaults)
    screen.print(f"next: {NEXT}")


def show_defaults(screen: Console, defaults: Sequence[Default]) -> None:
    if not defaults:
        return
    screen.print()
    screen.print("taken by default", style="dim")
    rows = [(default.name, default.value, default.why) for default in defaults]
    screen.print(table(("what", "is", "because"), rows))
    screen.print()


def show_document(book: "Book", made: Made) -> None:
    from warpbook.book import documents

    for line in misgivings(made):
        say(line)
    predictions = book.experiments.predictions(made.experiment.name)
    show_json(
        {
            "hypothesis": documents.hypothesis(made.hypothesis),
            "experiment": documents.experiment(made.experiment),
            "predictions": [documents.prediction(one, made.metric) for one in predictions],
            "defaults": made.defaults,
            "next": NEXT,
        }
    )
