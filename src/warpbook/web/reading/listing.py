"""The reading list: tabs by state, topics, filters and rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput
from warpbook.journal.reading import shelf_list
from warpbook.journal.reading.reading import KINDS, TRACKED_STATES, Item
from warpbook.journal.reading.shelf_list import Filter
from warpbook.web import show
from warpbook.web.controls import select, tabs
from warpbook.web.markup import Markup, attributes, h, join, query_of, text
from warpbook.web.reading import words
from warpbook.web.table import PAGE_ROWS, Column, table
from warpbook.web.visit import Query

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

MOST_TOPICS = 24
TIERS = ("1", "2", "3", "4", "5")
USUAL = ("reading", "queued", "revisit", "done", "inbox", "dropped")
COLUMNS = (
    Column("title", wide=True),
    Column("kind"),
    Column("tier", number=True),
    Column("state"),
    Column("added", number=True),
    Column(""),
)


@dataclass(frozen=True)
class Listing:
    items: Sequence[Item]
    total: int
    states: Mapping[str, int]
    topics: Mapping[str, int]
    today: date


def wanted(query: Query) -> Filter:
    """From the address; what it cannot mean is a mistake, and told."""
    tier, state = query.get("tier", ""), query.get("state", "")
    if tier and tier not in TIERS:
        raise BadInput(f"a tier is a number from 1 to 5, not {tier[:40]!r}")
    return Filter(
        query.get("topic", "")[:200],
        (state,) if state else (),
        query.get("kind", ""),
        int(tier) if tier else None,
        query.get("search", "")[:500],
        bool(query.get("questions")),
    )


def look(journal: "Journal", asked: Filter, page: int) -> Listing:
    return Listing(
        shelf_list.listed(journal, asked, PAGE_ROWS, (page - 1) * PAGE_ROWS),
        shelf_list.count(journal, asked),
        shelf_list.states(journal, asked.topic),
        shelf_list.topics(journal),
        journal.today(),
    )


def listing(found: Listing, query: Query) -> Markup:
    rows = [row(one, found.today) for one in found.items]
    body = table(COLUMNS, rows, query, found.total, "things to read") if rows else nothing(query)
    return h(
        '<section class="card shelf">{}{}{}{}</section>',
        states(found, query),
        topics(found, query),
        filters(found, query),
        body,
    )


def states(found: Listing, query: Query) -> Markup:
    """Those of issues and pull requests only where there are some."""
    more = [one for one in TRACKED_STATES if found.states.get(one)]
    named = [("", "all"), *((one, one) for one in (*USUAL[:3], *more, *USUAL[3:]))]
    hidden = ("dropped",) if query.get("topic") == "inbox" else ("dropped", "inbox")
    shown = sum(count for state, count in found.states.items() if state not in hidden)
    here = query.get("state", "")
    return h(
        '<div class="row controls">{}</div>',
        tabs(named, here, {**found.states, "": shown}, query, "state"),
    )


def topics(found: Listing, query: Query) -> Markup:
    """The largest of them; the others can be chosen below."""
    here = query.get("topic", "")
    largest = sorted(found.topics, key=lambda name: (-found.topics[name], name))[:MOST_TOPICS]
    if len(found.topics) < 2 and not here:
        return Markup("")
    made = join(
        h(
            '<a data-query class="tag" href="{}"{}>{} <span class="count">{}</span></a>',
            query_of(dict(query), topic=None if name == here else name),
            attributes(aria_current="true" if name == here else None),
            text(name, 60),
            f"{found.topics.get(name, 0):,}",
        )
        for name in sorted({*largest, *([here] if here in found.topics else [])})
    )
    return h('<nav class="shelf-topics" aria-label="topics">{}</nav>', made)


def filters(found: Listing, query: Query) -> Markup:
    names = [*found.topics, "inbox"]
    open_ = attributes(checked=bool(query.get("questions")))
    clear = h('<a href="/reading">clear</a>') if any(query.values()) else ""
    return h(
        '<form data-query role="search" class="filters"><input type="search" name="search" '
        'value="{0}" placeholder="{1}" aria-label="{1}">{2}{3}{4}<label><input type="checkbox" '
        'name="questions" value="1"{5}> open questions</label>{6}</form>',
        query.get("search", ""),
        "titles, notes, addresses",
        select("topic", "topic", query.get("topic", ""), names),
        select("kind", "kind", query.get("kind", ""), KINDS),
        select("tier", "tier", query.get("tier", ""), TIERS),
        open_,
        clear,
    )


def row(item: Item, today: date) -> list[Markup]:
    far = h("<span>up to {}</span>", text(item.up_to, 60)) if item.up_to else None
    below = (words.topic(item.topic), words.site(item) or None, far)
    about = join((part for part in below if part), " ")
    return [
        h('{}<div class="muted about">{}</div>', words.title(item), about),
        h('<span class="kind">{}</span>', item.kind),
        words.tier(item),
        words.state(item),
        words.age(item.added, today),
        words.turn(item),
    ]


def nothing(query: Query) -> Markup:
    if any(query.get(name) for name in ("search", "topic", "state", "kind", "tier", "questions")):
        return show.empty("Nothing to read is like that.")
    return show.empty(
        "Nothing is on the list yet. Add an address or a title here, or in a terminal; or import "
        "a list of links.",
        "warpbook reading add https://example.org/matmul --topic memory",
    )
