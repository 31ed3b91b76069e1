"""Ladders as the pages of kernels draw them: what this book measured, and what is shipped.

A problem of somebody's own is known by its label alone, never by its path.
"""

from collections.abc import Iterator
from dataclasses import replace

from warpbook.book.browse import ladders as browse
from warpbook.book.browse.ladders import Entry, Ladder
from warpbook.web import show
from warpbook.web.markup import Markup, h, text
from warpbook.web.pages import kernels, ladder
from warpbook.web.rung import history
from warpbook.web.site.contents import Contents, ladder_file
from warpbook.web.site.frame import Page
from warpbook.web.visit import heading


def pages(found: Contents) -> Iterator[Page]:
    for one in found.ladders:
        yield Page(ladder_file(one), one.label, whole(found, one), by_machine=True)
    named = [replace(one, problem=one.label) for one in found.ladders]
    body = h('{}<section class="card">{}</section>', heading("Ladders"), kernels.problems(named))
    yield Page("ladders.html", "Ladders", body, by_machine=True)


def whole(found: Contents, one: Entry) -> Markup:
    top = heading(text(one.label, 80), h('<a href="/kernels">All ladders</a>'))
    parts = [drawn(found, part) for part in (one.mine, one.shipped) if part and part.timed]
    if not parts:
        return top + show.empty("Nothing of this ladder has a time yet.")
    return top + Markup("").join(parts)


def drawn(found: Contents, part: Ladder) -> Markup:
    shown = replace(part, problem=part.label)
    where = ladder.SHIPPED if part.place and part.place.is_shipped else ladder.MEASURED
    title = h("<h2>{}{}</h2>", where[0].upper() + where[1:], f", on {part.workload}")
    made = title + ladder.origin(shown) + ladder.pictures(shown) + ladder.rungs(shown, {})
    best = part.best
    past = browse.history(found.book, part, best) if best else []
    return made + history(shown, best, past) if best and len(past) > 1 else made
