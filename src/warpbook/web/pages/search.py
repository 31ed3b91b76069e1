"""Search over everything: days, reading, cards, claims, findings, experiments."""

from warpbook.book.match import match
from warpbook.journal import search
from warpbook.journal.journal import Journal
from warpbook.web import show
from warpbook.web.journal.hits import AROUND, hits
from warpbook.web.markup import Markup, attributes, h, join, query_of
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading

MOST = 50
LONGEST = 500
LABELS = {
    "day": "days", "reading": "reading", "card": "cards", "question": "questions",
    "claim": "measured claims", "plan": "plans", "hypothesis": "hypotheses",
    "finding": "findings", "note": "notes", "experiment": "experiments",
}  # fmt: skip


@page("/search", "Search")
async def searched(visit: Visit) -> None:
    async def shown(query: Query) -> Markup:
        return await visit.desk.read(whole, query)

    visit.title("Search")
    visit.fixed(heading("Search"))
    await visit.panel(shown, on="never")


def whole(journal: Journal, query: Query) -> Markup:
    asked = query.get("text", "").strip()[:LONGEST]
    kind = query.get("kind", "") if query.get("kind") in LABELS else ""
    return h('<section class="card">{}{}</section>', bar(query, kind), found(journal, asked, kind))


def bar(query: Query, kind: str) -> Markup:
    ways = join(
        h(
            '<a data-query href="{}"{}>{}</a>',
            query_of(dict(query), kind=name or None),
            attributes(aria_current="true" if name == kind else None), label,
        )
        for name, label in (("", "everything"), *LABELS.items())
    )  # fmt: skip
    return h(
        '<form data-query role="search" class="asking"><input type="search" name="text" '
        'value="{}" placeholder="words, or the beginnings of words" aria-label="words to look for">'
        '</form><nav class="tabs" aria-label="kinds">{}</nav>',
        query.get("text", "")[:LONGEST], ways,
    )  # fmt: skip


def found(journal: Journal, asked: str, kind: str) -> Markup:
    if not match(asked):
        return show.empty(
            "Type a word: days, reading, cards, plans, claims, hypotheses, findings, notes and "
            "experiments are looked through.",
            'warpbook find "bank conflict"',
        )
    there = search.find(journal, asked, (kind,) if kind else None, MOST, AROUND)
    if not there:
        return show.empty("Nothing has these words in it.")
    cut = h('<p class="muted">The best {} are shown.</p>', MOST) if len(there) == MOST else ""
    return h("{}{}", hits(there), cut)
