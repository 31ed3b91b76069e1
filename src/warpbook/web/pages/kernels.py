"""Kernels: every problem with its ladder, the fastest rung measured in this book, and what is
shipped."""

from collections.abc import Sequence
from urllib.parse import urlencode

from warpbook.book.browse.ladders import Entry, Ladder, entries
from warpbook.book.browse.rungs import Step
from warpbook.web import show
from warpbook.web.markup import Markup, h, text
from warpbook.web.rung import reached
from warpbook.web.shell import page
from warpbook.web.table import Column, table
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word


@page("/kernels", "Kernels")
async def kernels(visit: Visit) -> None:
    async def render(_: Query) -> Markup:
        return listing(await visit.desk.view(entries))

    visit.title("Kernels")
    visit.fixed(heading("Kernels"))
    await visit.panel(render)


def listing(found: Sequence[Entry]) -> Markup:
    return show.section(word("ladder", "Ladders"), hint(found) + problems(found))


def problems(found: Sequence[Entry]) -> Markup:
    shipped = next((one.shipped for one in found if one.shipped), None)
    columns = [
        Column(word("problem")),
        Column(h("{}", word("rung", "rungs"))),
        Column(h("fastest in this {}", word("book"))),
        Column(h("time")),
        Column(h("of the {}", word("floor"))),
        Column(h("when")),
    ]
    if shipped:
        columns.append(Column(h("shipped: {}", shipped.place.name if shipped.place else "")))
    rows = [row(one, bool(shipped)) for one in found]
    return table(columns, rows, caption="problems and their fastest rungs")


def hint(found: Sequence[Entry]) -> Markup:
    if any(one.mine and one.mine.timed for one in found):
        return Markup("")
    return show.empty(
        "Nothing was measured in this book yet. This judges every rung of a ladder on the best "
        "device here, and records what it finds:",
        "warpbook ladder softmax",
    )


def row(one: Entry, with_shipped: bool) -> list[Markup]:
    name = h('<a href="{}"><b>{}</b></a>', one.address, text(one.label, 60))
    if one.problem != one.label:
        name += h('<br><span class="muted">{}</span>', text(one.problem, 120))
    count = h("{}", one.rungs) if one.rungs else show.NONE
    languages = h('<span class="muted">{}</span>', ", ".join(one.languages))
    cells = [name, h("{} {}", count, languages), *mine(one)]
    return [*cells, best(one, one.shipped)] if with_shipped else cells


def mine(one: Entry) -> list[Markup]:
    step = one.mine.best if one.mine else None
    if one.mine is None or step is None or step.mark is None:
        return [show.NONE] * 4
    where = one.mine.place.name if one.mine.place else ""
    return [
        h(
            '{}<br><span class="muted">{} on {}</span>',
            link(one, one.mine, step),
            text(one.mine.workload, 60),
            text(where, 60),
        ),
        show.microseconds(step.us),
        reached(step.mark.fraction),
        show.ago(step.mark.at),
    ]


def best(one: Entry, ladder: Ladder | None) -> Markup:
    step = ladder.best if ladder else None
    if ladder is None or step is None or step.mark is None:
        return show.NONE
    return h(
        '{} {}<br><span class="muted">{}, {}</span>',
        link(one, ladder, step),
        reached(step.mark.fraction),
        ladder.workload,
        show.microseconds(step.us),
    )


def link(one: Entry, ladder: Ladder, step: Step) -> Markup:
    asked = {"device": ladder.place.key} if ladder.place else {}
    query = urlencode(asked | {"workload": ladder.workload, "rung": step.name})
    peer = h(' <span class="muted">a {}</span>', word("peer")) if step.is_peer else ""
    return h('<a href="{}?{}">{}</a>{}', one.address, query, text(step.name, 40), peer)
