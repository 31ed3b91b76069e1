"""An attempt: a claim, a prediction and an experiment at once, with defaults for what nobody says.

What `warpbook try` does, for Python. Knows nothing of how it is typed or shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from warpbook.book.adding import Wish
from warpbook.book.book import Book
from warpbook.book.costs import expected_cost
from warpbook.book.tables import Experiment, Hypothesis
from warpbook.core.codec import decode
from warpbook.core.duration import show_duration
from warpbook.core.effect import KERNEL_TIME, Metric, parse_interval, parse_metric
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan
from warpbook.lab.claims import BELIEF, LEAST, claim_of, least, parse_guards
from warpbook.lab.plans import BLOCKS, LIMIT_S, Asked, Default, make_plan


@dataclass(frozen=True)
class Made:
    """`interval` is what was predicted, as gains; `defaults` are what nobody asked for."""

    hypothesis: Hypothesis
    experiment: Experiment
    plan: Plan
    metric: Metric
    interval: tuple[float, float]
    defaults: list[Default]

    @property
    def misgivings(self) -> list[str]:
        """What is allowed, and perhaps not meant."""
        low, high = self.interval
        known = self.hypothesis
        if max(low * known.direction, high * known.direction) >= known.delta:
            return []
        other = "without --worse" if known.direction < 0 else "with --worse"
        return [
            f"all you expect falls short of the claim of {known.name}; if you mean to claim the "
            f"opposite, withdraw it (warpbook hypothesis withdraw {known.name}) and try {other}"
        ]


@dataclass(frozen=True)
class Claim:
    """What of a hypothesis was said, or None."""

    text: str | None
    because: str
    at_least: str | None
    worse: bool
    belief: float | None
    metric: str | None
    guards: tuple[str, ...]
    tags: tuple[str, ...]
    campaign: str | None


def attempt(
    book: Book,
    change: str | PathLike[str] | None = None,
    *,
    expect: str,
    on: str | PathLike[str] | None = None,
    against: str | PathLike[str] | None = None,
    command: str | None = None,
    baseline: str | None = None,
    metric: str | None = None,
    guards: Sequence[str] = (),
    because: str = "",
    claim: str | None = None,
    at_least: str | None = None,
    worse: bool = False,
    belief: float | None = None,
    hypothesis: str | None = None,
    campaign: str | None = None,
    tags: Sequence[str] = (),
    workload: str | None = None,
    device: str | None = None,
    runs: int = 3,
    pinned: bool = False,
    priority: int = 0,
    title: str = "",
    blocks: int = BLOCKS,
    limit_s: float = LIMIT_S,
    variables: Sequence[str] = (),
    folder: str | PathLike[str] = "",
) -> Made:
    """Claim that `change`, a file or a rung `on` a problem, or a `command`, is better than its
    baseline; predict by how much; and queue it. All of it is written at once, or nothing.

    Texts are as on the command line: `expect="1.2x..1.6x"`, `at_least="3%"`,
    `metric="tokens_per_s:higher"`. `hypothesis` names one that is there already. Files are looked
    for in `folder`, and commands run there; by default in the present one.
    """
    asked = Asked(
        text(change), text(on), text(against), command, baseline, workload, device, blocks,
        limit_s, several(variables), fspath(folder),
    )  # fmt: skip
    said = Claim(
        claim, because, at_least, worse, belief, metric, several(guards), several(tags), campaign
    )
    wish = Wish(title=title, runs=runs, pinned=pinned, priority=priority)
    return make(book, asked, said, known_hypothesis(book, hypothesis, said), expect, wish)


def make(
    book: Book, asked: Asked, said: Claim, known: Hypothesis | None, expect: str, wish: Wish
) -> Made:
    metric = decode(Metric, known.metric) if known else metric_for(asked, said)
    guards = parse_guards(said.guards)
    interval = parse_interval(expect, metric)
    metrics = metrics_of(known) if known else (metric, *(guard for guard, _ in guards))
    size = least(said.at_least, metric) if known is None else known.delta
    plan, defaults = make_plan(asked, metrics)
    with book.writing():
        if known is None:
            known = add_hypothesis(book, said, plan, metric, size, guards)
            defaults += claim_defaults(said)
        experiment = book.experiments.add(
            plan,
            {known.name: interval},
            campaign=said.campaign or f"C-{known.campaign_id}",
            title=wish.title,
            runs=wish.runs,
            pinned=wish.pinned,
            priority=wish.priority,
        )
    defaults.append(cost_default(book, experiment))
    return Made(known, experiment, plan, metric, interval, defaults)


def text(given: str | PathLike[str] | None) -> str | None:
    return None if given is None else fspath(given)


def several(given: Sequence[str]) -> tuple[str, ...]:
    """One text is meant as one, not as its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def known_hypothesis(book: Book, name: str | None, said: Claim) -> Hypothesis | None:
    if name is None:
        return None
    fixed = {
        "--claim": said.text,
        "--because": said.because,
        "--at-least": said.at_least,
        "--worse": said.worse,
        "--belief": said.belief,
        "--metric": said.metric,
        "--guard": said.guards,
        "--tag": said.tags,
    }
    if given := [option for option, value in fixed.items() if value]:
        raise BadInput(f"{', '.join(given)}: {name} says that already; leave it out")
    return book.hypotheses.get(name)


def metrics_of(known: Hypothesis) -> tuple[Metric, ...]:
    """Its own, and those of its guards."""
    guards = (decode(Metric, guard["metric"]) for guard in known.guards)
    return (decode(Metric, known.metric), *guards)


def metric_for(asked: Asked, said: Claim) -> Metric:
    if said.metric is not None:
        return parse_metric(said.metric)
    if asked.command is not None:
        raise BadInput("which of what the command prints is compared? --metric tokens_per_s:higher")
    return KERNEL_TIME


def add_hypothesis(
    book: Book,
    said: Claim,
    plan: Plan,
    metric: Metric,
    size: float,
    guards: Sequence[tuple[Metric, float]],
) -> Hypothesis:
    return book.hypotheses.add(
        said.text or claim_of(plan, metric, said.at_least or LEAST, said.worse),
        metric,
        size,
        direction=-1 if said.worse else 1,
        because=said.because,
        prior=BELIEF if said.belief is None else said.belief,
        guards=guards,
        campaign=said.campaign or "inbox",
        tags=said.tags,
    )


def claim_defaults(said: Claim) -> list[Default]:
    found = []
    if said.at_least is None:
        found.append(Default("least effect", LEAST, "less would not matter; --at-least"))
    if said.belief is None:
        found.append(Default("belief", str(BELIEF), "even odds; --belief"))
    if said.campaign is None:
        found.append(Default("campaign", "inbox", "where claims go; --campaign"))
    return found


def cost_default(book: Book, experiment: Experiment) -> Default:
    with book.reading() as session:
        cost = expected_cost(session, experiment.noise_key, experiment.kind, experiment.device)
    return Default("cost", f"{show_duration(cost.seconds)} a run", cost.basis)
