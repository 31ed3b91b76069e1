"""A week and a month summed up, each figure with the way to what it is from."""

from collections.abc import Sequence
from datetime import date, timedelta

from warpbook.core.errors import BadInput
from warpbook.journal.days import dates
from warpbook.journal.days.summary import Said, Summary, summary
from warpbook.journal.journal import Journal
from warpbook.web import show
from warpbook.web.journal.prose import cite
from warpbook.web.markup import Markup, h, join, query_of, text
from warpbook.web.visit import Query
from warpbook.web.words import word

KINDS = ("week", "month")
MOST_RUNGS, MOST_SAID, MOST_TRACKS = 12, 8, 6
LONGEST = 160


def summaries(journal: Journal, query: Query) -> Markup:
    made = join(one(summary(journal, kind, asked(journal, query, kind)), query) for kind in KINDS)
    return h('<div class="grid">{}</div>', made)


def asked(journal: Journal, query: Query, kind: str) -> date:
    """The date in `?week=` or `?month=`; today, where there is none."""
    try:
        return dates.parse(query.get(kind, "today"), journal.today())
    except BadInput:
        return journal.today()


def one(found: Summary, query: Query) -> Markup:
    if found.kind == "week":
        title = f"Week of {found.first.day} {found.first:%B %Y}"
    else:
        title = f"{found.first:%B %Y}"
    parts = [
        figures(found),
        said("Best gains", found.best),
        said("Verdicts", found.verdicts),
        said("Findings", found.findings),
        said("Read", found.read),
    ]
    return show.section(title, join(parts), turning(found, query), id_=found.kind)


def turning(found: Summary, query: Query) -> Markup:
    before = found.first - timedelta(days=1)
    after = found.last + timedelta(days=1)
    made = (
        h(
            '<a data-query href="{}" aria-label="{}">{}</a>',
            query_of(dict(query), **{found.kind: day}), label, mark,
        )
        for day, label, mark in (
            (before, f"the {found.kind} before", "‹ before"),
            (after, f"the {found.kind} after", "after ›"),
        )
        if dates.FIRST <= day.year <= dates.LAST
    )  # fmt: skip
    return h('<span class="row">{}</span>', join(made))


def figures(found: Summary) -> Markup:
    total = (found.last - found.first).days + 1
    tracks = [f"{name[:60]} {minutes:g}" for name, minutes in found.by_track.items()]
    several = f" ({', '.join(tracks[:MOST_TRACKS])})" if len(tracks) > 1 else ""
    runs = ", ".join(f"{number:,} {state}" for state, number in found.runs.items())
    return show.facts(
        [
            ("days", f"{len(found.days)} of {total}"),
            ("minutes", h("<b>{}</b>{}", f"{found.minutes:g}", several)),
            (word("rung", "rungs"), rungs(found.rungs) if found.rungs else None),
            (word("run", "runs"), runs or None),
            ("cards", f"{found.reviewed:,} reviewed" if found.reviewed else None),
        ]
    )


def rungs(names: Sequence[str]) -> Markup:
    made = []
    for name in names[:MOST_RUNGS]:
        problem, _, rung = name.rpartition("/")
        address = f"/kernels/{problem}" + query_of({}, rung=rung)
        made.append(h('<a href="{}">{}</a>', address, text(name, 60)))
    left = len(names) - MOST_RUNGS
    more = f" and {left} more" if left > 0 else ""
    return h("{}{}", join(made, ", "), more)


def said(title: str, found: Sequence[Said]) -> Markup:
    if not found:
        return Markup("")
    items = join(
        h(
            "<li>{} {} {}</li>",
            cite(one.reference), h("<b>{}</b>", one.figure) if one.figure else "", said_of(one),
        )
        for one in found[:MOST_SAID]
    )  # fmt: skip
    left = len(found) - MOST_SAID
    more = h('<li class="muted">and {} more</li>', left) if left > 0 else ""
    return h('<h3>{}</h3><ul class="plain">{}{}</ul>', title, items, more)


def said_of(one: Said) -> Markup:
    """A verdict that the figure names already is not named twice."""
    verdict, _, claim = one.text.partition(": ")
    named = bool(claim) and one.figure.startswith(verdict)
    return text(" ".join((claim if named else one.text).split()), LONGEST)
