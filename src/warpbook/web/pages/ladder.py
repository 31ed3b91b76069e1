"""A ladder's page: its roofline, its rungs, and one rung closely: source, difference, history."""

from warpbook.book.browse import ladders
from warpbook.book.browse.ladders import Ladder, Place
from warpbook.book.browse.marks import Mark
from warpbook.book.browse.rungs import Step
from warpbook.book.match import match
from warpbook.core.units import bandwidth, digits, multiple, rate
from warpbook.journal.journal import Journal
from warpbook.journal.search import find
from warpbook.web import show
from warpbook.web.journal.hits import address
from warpbook.web.markup import Markup, attributes, h, join, query_of, text
from warpbook.web.rung import (
    history,
    on_workload,
    option,
    origin_of,
    reached,
    rung_head,
    sources_of,
    swatches,
    time_cell,
)
from warpbook.web.shell import page
from warpbook.web.svg import roofline
from warpbook.web.table import Column, table
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

LONGEST_REASON = 300
MENTIONING = ("day", "reading", "card")
SHIPPED, MEASURED = "shipped with Warpbook", "measured in this book"


@page("/kernels/{problem}", "Kernel")
async def kernel(visit: Visit) -> None:
    name = visit.params["problem"]

    async def shown(query: Query) -> Ladder:
        asked = query.get("device", ""), query.get("workload", "")
        return await visit.desk.view(ladders.ladder, name, *asked)

    async def overview(query: Query) -> Markup:
        return whole(await shown(query), dict(query))

    async def closely(query: Query) -> Markup:
        found = await shown(query)
        step = chosen(found, query)
        if step is None:
            return Markup("")
        past = await visit.desk.ask(ladders.history, found, step)
        return rung_head(found, step, dict(query)) + history(found, step, past)

    async def sources(query: Query) -> Markup:
        found = await shown(query)
        step = chosen(found, query)
        return await visit.desk.ask(sources_of, found, step) if step else Markup("")

    async def written(query: Query) -> Markup:
        return await visit.desk.read(mentions, first.label)

    first = await shown(visit.query)
    visit.title(first.label)
    await visit.panel(overview)
    await visit.panel(written, on="never")
    await visit.panel(closely)
    await visit.panel(sources, on="never")


def chosen(found: Ladder, query: Query) -> Step | None:
    """The rung that is looked at: the one asked for, the fastest, or the top one."""
    if query.get("rung"):
        return found.step(query["rung"])
    on_ladder = [step for step in found.steps if step.on_ladder]
    return found.best or next(iter(on_ladder[-1:] or found.steps), None)


def whole(found: Ladder, query: dict[str, str]) -> Markup:
    back = h('<a href="/kernels">All kernels</a>')
    top = heading(h("{}", text(found.label, 80)), back) + choices(found) + origin(found)
    return top + pictures(found) + rungs(found, query)


def mentions(journal: Journal, label: str) -> Markup:
    """What the journal says of it."""
    found = find(journal, label, MENTIONING, 6) if match(label) else []
    if not found:
        return Markup("")
    shown = (
        h('{} <a href="{}">{}</a>', one.kind, address(one), text(one.title, 60)) for one in found
    )
    return h('<p class="muted mentions">In the journal: {}</p>', join(shown, ", "))


def choices(found: Ladder) -> Markup:
    """The device and the workload, as the address has them."""
    if not found.places and not found.workloads:
        return Markup("")
    key = found.place.key if found.place else ""
    devices = join(option(place.key, place_label(place), key) for place in found.places)
    workloads = join(option(name, name, found.workload) for name in found.workloads)
    device = h('<label>device <select name="device">{}</select></label>', devices)
    return h(
        '<form data-query>{}<label>{} <select name="workload">{}</select></label></form>',
        device if found.places else "",
        word("workload"),
        workloads,
    )


def place_label(place: Place) -> str:
    if place.is_shipped:
        return f"{place.name}, {SHIPPED}"
    return f"{place.name}, {'this machine' if place.is_here else 'in this book'}"


def origin(found: Ladder) -> Markup:
    """Where the numbers come from."""
    newest = next((mark for mark in found.marks if mark.us), None)
    if newest is None or found.place is None:
        return Markup("")
    where = SHIPPED if found.place.is_shipped else MEASURED
    return h(
        '<p class="muted origin">{}: {}; {}; the newest {}</p>',
        where[0].upper() + where[1:], text(found.place.name, 80), text(newest.software, 120),
        show.ago(newest.at),
    )  # fmt: skip


def pictures(found: Ladder) -> Markup:
    if not found.timed:
        return show.section(
            "No times yet",
            show.empty(
                "Nothing of this ladder was measured on this workload. This judges all of it and "
                "records what it finds:",
                f"warpbook ladder {found.problem}" + on_workload(found),
            ),
        )
    why = roofline.why_none(found)
    if why:
        plot = show.empty(f"No roofline: {why}.")
    else:
        plot = h("{}{}", roofline.roofline(found), caption(found))
    floor = found.floor
    least = (
        h('<p class="muted">The {} is {}, set by {}.</p>', word("floor"),
          show.microseconds(floor.floor_us), floor.binds)
        if floor else h('<p class="muted">The floor is not known.</p>')
    )  # fmt: skip
    near = show.section(h("How near to the {}", word("floor")), least + roofline.bars(found))
    return h('<div class="split ladder">{}{}</div>', show.section("Roofline", plot), near)


def caption(found: Ladder) -> Markup:
    others = ", ".join(f"{unit} {rate(value)}" for unit, value in found.others.items())
    more = h(" Other {}: {}.", word("roofs"), others) if others else ""
    memory = found.roofs.get("memory")
    at = h(" Memory moves {}.", bandwidth(memory)) if memory else ""
    return h(
        '<p class="muted">All rungs do the same work, {} operations a byte, so they stand in one '
        "column; what is left to the roof is what is left to gain.{}{}</p>{}",
        digits(roofline.intensity(found)), at, more,
        swatches(("s1", "rung"), ("s2", "other people's work"), ("s4", "a file of your own")),
    )  # fmt: skip


def rungs(found: Ladder, query: dict[str, str]) -> Markup:
    columns = [
        Column(word("rung")),
        Column(h("idea"), wide=True),
        Column(explained("gain", GAIN), number=True),
        Column(h("expected"), number=True),
        Column(h("time (95% interval)"), number=True),
        Column(h("of the {}", word("floor"))),
        Column(explained("error", ERROR), number=True),
        Column(h("status"), wide=True),
        Column(h("when")),
    ]
    here = chosen(found, query)
    rows = [row(found, step, query, step is here) for step in found.steps]
    if not rows:
        return show.section("Rungs", show.empty("The book knows no rung of this problem."))
    more = h('<p class="muted">{} more files are not shown.</p>', found.left_out)
    return show.section(
        word("ladder", "Rungs"),
        table(columns, rows, caption="rungs") + (more if found.left_out else ""),
        id_="rungs",
    )


def explained(name: str, meaning: str) -> Markup:
    return h('<abbr class="word" tabindex="0" data-tip="{}">{}</abbr>', meaning, name)


GAIN = "over the nearest rung below that has a time here"
ERROR = (
    "the largest error on any workload, as a multiple of the plain reference's own; up to the "
    "second number it is still right"
)


def row(found: Ladder, step: Step, query: dict[str, str], here: bool) -> list[Markup]:
    mark = step.mark
    return [
        name_cell(step, query, here),
        idea_cell(step),
        gain_cell(step),
        h("{}", multiple(step.gain.expected)) if step.gain.expected else show.NONE,
        time_cell(mark),
        reached(mark.fraction) if mark else show.NONE,
        error_cell(mark),
        status_cell(found, step),
        when_cell(mark),
    ]


def name_cell(step: Step, query: dict[str, str], here: bool) -> Markup:
    kind = step.rung.language if step.rung else "own file"
    return h(
        '<a class="rung-name" data-query href="{}"{}><b>{}</b></a><br>'
        '<span class="muted">{}{}</span>',
        query_of(query, rung=step.name),
        attributes(aria_current="true" if here else None),
        text(step.name, 40),
        kind,
        h(", a {}", word("peer")) if step.is_peer else "",
    )


def idea_cell(step: Step) -> Markup:
    if step.rung is None:
        return h('<span class="muted">a file of your own</span>')
    tip = attributes(data_tip=step.rung.idea, tabindex=0) if step.rung.idea else ""
    return h("<span{}>{}</span>", tip, text(step.rung.title, 200))


def gain_cell(step: Step) -> Markup:
    if step.gain.gain is None:
        return show.NONE
    return h(
        '<span data-tip="over {}" tabindex="0">{}</span>', step.gain.over, multiple(step.gain.gain)
    )


def error_cell(mark: Mark | None) -> Markup:
    if mark is None or mark.error is None or mark.budget is None:
        return show.NONE
    return h("{} ({})", multiple(mark.error), multiple(mark.budget))


def status_cell(found: Ladder, step: Step) -> Markup:
    mark = step.mark
    if mark is None:
        return h('<span class="muted">not measured</span>{}', command(found, step))
    made = show.chip(mark.status, mark.reason[:LONGEST_REASON])
    if step.is_older:
        made += h(" {}", show.chip("stale", "measured of an earlier text of this rung"))
    for note in mark.notes[:3]:
        made += h(
            ' <span class="remark" tabindex="0" data-tip="{}">note</span>', note[:LONGEST_REASON]
        )
    if mark.us is None and mark.reason:
        made += h('<br><span class="muted">{}</span>', text(mark.reason, LONGEST_REASON))
    return made


def command(found: Ladder, step: Step) -> Markup:
    if step.rung is None:
        return Markup("")
    typed = f"warpbook judge {found.problem} --rung {step.name}" + on_workload(found)
    return h("<br><code>{}</code>", typed)


def when_cell(mark: Mark | None) -> Markup:
    if mark is None:
        return show.NONE
    return h('{}<br><span class="muted">{}</span>', show.ago(mark.at), origin_of(mark))
