"""The parts of a claim as they are typed: the metric, its least effect, its guards; and a sentence
for a claim that nobody put into words."""

from collections.abc import Sequence

from warpbook.core.effect import Metric, Scale, parse_least, parse_metric, plain
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan

LEAST = "3%"
BELIEF = 0.5


def least(text: str | None, metric: Metric) -> float:
    if text is not None:
        return parse_least(text, metric)
    if metric.scale is Scale.DIFFERENCE:
        raise BadInput(
            f"what is the least difference in {metric.name} that matters? --at-least "
            f"{plain(0.5, metric)}"
        )
    return parse_least(LEAST, metric)


def parse_guards(texts: Sequence[str] | None) -> list[tuple[Metric, float]]:
    """Each `METRIC=MOST`: the metric, and by how much it may get worse, as a positive gain."""
    found: list[tuple[Metric, float]] = []
    for text in texts or ():
        name, equals, most = text.rpartition("=")
        if not equals:
            raise BadInput(
                f"the guard {text!r} does not say how much: write METRIC=MOST, such as "
                "accuracy:higher:difference:points=1"
            )
        metric = parse_metric(name)
        if metric.name in {other.name for other, _ in found}:
            raise BadInput(f"two guards on {metric.name}: give one")
        found.append((metric, parse_least(most, metric)))
    return found


def claim_of(plan: Plan, metric: Metric, at_least: str, worse: bool) -> str:
    """`mine.py is at least 3% faster than cluster on softmax 8192x8192-fp32`."""
    change, baseline = plan.change.label, plan.baseline.label
    by = f"by at least {at_least.strip().lstrip('+')}"
    if plan.kind == "kernel":
        word = "slower" if worse else "faster"
        return f"{change} is {word} than {baseline} {by}, on {plan.problem} {plan.workload}"
    word = "worsens" if worse else "improves"
    return f"{change} {word} {metric.name} over {baseline} {by}"
