"""The evidence of a hypothesis as markup: its runs, its history, its predictions."""

from warpbook.book.browse.hypothesis import Detail
from warpbook.book.tables import Experiment, Prediction
from warpbook.core.effect import Metric
from warpbook.web import show
from warpbook.web.markup import Markup, h, text
from warpbook.web.svg import history as drawn
from warpbook.web.svg.forest import Forest, Shown, forest
from warpbook.web.table import Column, table
from warpbook.web.words import word

MOST_RUNS = 40
MOST_EXPERIMENTS = 50
COLUMNS = (
    Column(word("experiment")),
    Column("change against baseline", wide=True),
    Column("state"),
    Column(word("run", "runs"), number=True),
    Column(word("prediction", "predicted")),
    Column("came out"),
)


def runs(detail: Detail) -> Markup:
    """Each run that counts, with its effect."""
    summary, metric = detail.summary, detail.metric
    one = summary.hypothesis
    seen = [
        Shown(run.name, effect[0], effect[1], run.purpose)
        for run in summary.runs
        if (effect := (run.gains or {}).get(metric.name))
    ]
    if not seen:
        return show.empty(
            "No run has counted yet. Each run is a fresh process with both arms in turns, and "
            "yields one effect.",
            "warpbook work",
        )
    pooled = None if one.estimate is None else (one.estimate, one.low, one.high)
    last = summary.predictions[-1] if summary.predictions else None
    predicted = (last.low, last.high) if last else None
    picture = forest(
        Forest(metric, seen[-MOST_RUNS:], pooled, predicted, one.direction * one.delta)
    )
    return h("{}{}", picture, beside(len(seen), summary.others))


def beside(seen: int, others: int) -> Markup:
    """What the picture does not have."""
    said = ["The band is what was predicted with 80%; lines are errors within a run."]
    if seen > MOST_RUNS:
        said.append(f"{seen - MOST_RUNS:,} runs before them count as well.")
    if others:
        many = f"{others:,} run{'s' * (others != 1)}"
        said.append(f"{many} of other arms or in another environment no longer count.")
    return h('<p class="muted">{}</p>', " ".join(said))


def history(detail: Detail) -> Markup:
    """How belief and effect went."""
    points = detail.history
    if not points:
        return Markup("")
    one = detail.summary.hypothesis
    belief = show.section(h("Belief over its evaluations"), drawn.belief(points))
    if not any(point.estimate is not None for point in points):
        return belief
    least = one.direction * one.delta
    effect = show.section(
        h("Effect over its evaluations"), drawn.effect(points, detail.metric, least)
    )
    return h('<div class="grid wide">{}{}</div>', belief, effect)


def experiments(detail: Detail) -> Markup:
    summary = detail.summary
    if not summary.experiments:
        return show.empty(
            "No experiment tests it yet.",
            f"warpbook try FILE --on PROBLEM --for {summary.hypothesis.name} --expect 1.2x..1.6x",
        )
    predicted = {one.experiment_id: one for one in summary.predictions}
    newest = summary.experiments[::-1][:MOST_EXPERIMENTS]
    rows = [row(one, predicted[one.id], detail.metric) for one in newest]
    left = len(summary.experiments) - len(newest)
    more = h('<p class="muted">and {} before them</p>', f"{left:,}") if left else ""
    return h("{}{}", table(COLUMNS, rows, caption="experiments"), more)


def row(one: Experiment, prediction: Prediction, metric: Metric) -> list[Markup]:
    return [
        show.ref(one.name),
        text(one.title, 200),
        show.chip(one.state, one.state_reason[:400]),
        h("{} of {}", one.runs_valid, one.runs_wanted),
        show.interval(prediction.low, prediction.high, metric),
        show.chip(prediction.outcome) if prediction.outcome else show.NONE,
    ]
