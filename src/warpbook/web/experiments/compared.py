"""Experiments side by side as markup: one column each, and all their effects on one axis."""

from collections.abc import Callable, Sequence

from warpbook.book.browse.sides import Side, differing
from warpbook.core.effect import Metric
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, query_of, text
from warpbook.web.svg import intervals
from warpbook.web.words import word

Cell = Callable[[Side], Markup]
DIFFERS = h(' <span class="chip warn">differs</span>')


def compared(sides: Sequence[Side], currency: str) -> Markup:
    if len(sides) < 2:
        return show.empty(
            "Pick two or more experiments to see them side by side.",
            more=h('<p><a class="button main" href="/experiments">Pick them</a></p>'),
        )
    return effects(sides) + h(
        '<section class="card"><div class="scroll" tabindex="0" role="region" '
        'aria-label="side by side"><table class="sides">{}{}</table></div></section>',
        heads(sides), join(body(sides, currency)),
    )  # fmt: skip


def effects(sides: Sequence[Side]) -> Markup:
    """One picture for each metric."""
    metrics: dict[Metric, list[Side]] = {}
    for side in sides:
        metrics.setdefault(side.line.metric, []).append(side)
    made = (picture(metric, some) for metric, some in metrics.items())
    return h('<div class="grid">{}</div>', join(made))


def picture(metric: Metric, sides: Sequence[Side]) -> Markup:
    rows = []
    for side in sides:
        line = side.line
        rows += [
            intervals.predicted(f"predicted for {one.name}", one.low, one.high, metric, line.name)
            for one in line.claims
            if one.metric.name == metric.name
        ]
        if line.effect:
            found = line.effect
            said = f"measured, {found.runs} run{'s' * (found.runs != 1)}"
            rows.append(
                intervals.pooled(said, found.gain, found.low, found.high, metric, line.name)
            )
    title = h("{} on <code>{}</code>", word("effect", "Effect"), text(metric.name, 80))
    if not rows:
        return show.section(title, show.empty("Nothing was predicted or measured yet."))
    return show.section(title, intervals.intervals(rows, metric))


def heads(sides: Sequence[Side]) -> Markup:
    names = [side.line.name for side in sides]
    cells = join(
        h('<th scope="col">{} {} {}</th>', show.ref(side.line.name), show.chip(side.line.state),
          without(names, side.line.name))
        for side in sides
    )  # fmt: skip
    return h(
        '<thead><tr><th scope="col"><span class="hidden">what</span></th>{}</tr></thead>', cells
    )


def without(names: Sequence[str], one: str) -> Markup:
    left = ",".join(name for name in names if name != one)
    return h('<a data-query class="away" href="{}" aria-label="leave {} out">×</a>',
             query_of({}, of=left), one)  # fmt: skip


def body(sides: Sequence[Side], currency: str) -> list[Markup]:
    rows: list[tuple[object, Cell]] = [
        ("title", lambda side: text(side.line.title, 200)),
        (word("hypothesis"), claims),
        (word("change"), lambda side: text(side.change, 200)),
        (word("baseline"), lambda side: text(side.baseline, 200)),
        (word("problem"), lambda side: text(side.problem, 200) or show.NONE),
        (word("workload"), lambda side: text(side.line.workload, 200) or show.NONE),
        ("device", lambda side: h("{}", side.line.device)),
        (word("prediction", "predicted"), predicted),
        (word("effect", "measured"), measured),
        (word("run", "runs"), made_of),
        ("cost a run", lambda side: show.seconds(side.line.cost_s)),
        ("spent", lambda side: spent(side, currency)),
        (word("campaign"), lambda side: show.campaign(side.line.campaign)),
        ("by", lambda side: h("{}, {}", side.line.author, show.ago(side.line.created_at))),
    ]  # fmt: skip
    made = [row(label, [cell(side) for side in sides]) for label, cell in rows]
    return [h("<tbody>{}</tbody>", join(made)), environments(sides)]


def row(label: object, cells: Sequence[Markup], differs: bool = False) -> Markup:
    made = join(h("<td>{}</td>", cell) for cell in cells)
    return h(
        '<tr class="{}"><th scope="row">{}</th>{}</tr>', "differs" if differs else "", label, made
    )


def claims(side: Side) -> Markup:
    made = (
        h("<div>{} {} {}</div>", show.ref(one.name), show.chip(one.status), text(one.claim, 160))
        for one in side.line.claims
    )
    return join(made) or show.NONE


def predicted(side: Side) -> Markup:
    made = (
        h("<div>{} {}</div>", show.interval(one.low, one.high, one.metric),
          show.chip(one.outcome) if one.outcome else "")
        for one in side.line.claims
    )  # fmt: skip
    return join(made) or show.NONE


def measured(side: Side) -> Markup:
    found = side.line.effect
    if found is None:
        return show.NONE
    return show.effect(found.gain, found.low, found.high, side.line.metric)


def made_of(side: Side) -> Markup:
    return h("{} of {}", side.line.runs_valid, side.line.runs_wanted)


def spent(side: Side, currency: str) -> Markup:
    time = show.seconds(side.spent_s)
    return h("{}, {}", time, show.money(side.spent_money, currency)) if side.spent_money else time


def environments(sides: Sequence[Side]) -> Markup:
    """What differs comes first, and is marked."""
    every = dict.fromkeys(key for side in sides for key in side.environment)
    if not every:
        return Markup("")
    marked = differing(sides)
    made = [
        row(
            h("{}{}", text(key, 60), DIFFERS if key in marked else ""),
            [text(side.environment.get(key, ""), 200) or show.NONE for side in sides],
            key in marked,
        )
        for key in sorted(every, key=lambda key: key not in marked)
    ]  # fmt: skip
    title = h(
        '<tr><th scope="rowgroup" colspan="{}">{}</th></tr>', len(sides) + 1, word("environment")
    )
    return h("<tbody>{}{}</tbody>", title, join(made))
