"""The workers that are there, and what to type where there are none."""

from collections.abc import Sequence

from warpbook.book.browse.workers import Present
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.words import word


def workers(found: Sequence[Present], alive: frozenset[str]) -> Markup:
    """`alive` are those that were heard of just now."""
    there = [one for one in found if one.name in alive]
    if there:
        body = h('<ul class="list">{}</ul>', join(row(one) for one in there))
    else:
        body = show.empty("No worker is alive: nothing that waits is run.", "warpbook work")
    return show.section(word("worker", "Workers"), body, id_="workers")


def row(one: Present) -> Markup:
    by = "" if one.executor == "local" else f", by {one.executor}"
    return h(
        '<li class="row">{} <span>{}</span> <span class="muted">process {} on {}{}, for {}</span>'
        "</li>",
        *(show.chip("alive", "heard of just now"), one.name, one.pid, text(one.host, 60), by),
        show.elapsed(one.started_at),
    )
