"""All cards in a table that filters, and one card closely."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from warpbook.core.errors import BadInput
from warpbook.journal.cards import deck, recall, reviews, sitting
from warpbook.journal.cards.deck import STATES, Held, Topic
from warpbook.journal.cards.reviews import Act
from warpbook.journal.cards.schedule import RATINGS
from warpbook.journal.teaching import course
from warpbook.web import show
from warpbook.web.controls import select, tabs
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.quiz import card as cards
from warpbook.web.table import PAGE_ROWS, Column, page_of, table
from warpbook.web.visit import Query, heading

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

TABS = (("", "all"), *((state, state) for state in STATES))
COLUMNS = (
    Column("question", wide=True),
    Column("topic"),
    Column("state"),
    Column("comes back"),
    Column("asked", number=True),
    Column("forgotten", number=True),
)


@dataclass(frozen=True)
class Listing:
    rows: Sequence[Held]
    total: int
    topics: Sequence[Topic]
    now: datetime


def look(journal: "Journal", topic: str, state: str, search: str, page: int) -> Listing:
    if state and state not in STATES:
        raise BadInput(f"{state!r} is no state of a card; there are: {', '.join(STATES)}")
    asked = topic or None, state or None, search
    rows = deck.cards(journal, *asked, PAGE_ROWS, (page - 1) * PAGE_ROWS)
    known = deck.topics(journal)
    if search.strip() or state == "review":
        total = len(deck.cards(journal, *asked))
    else:
        total = counts(known, topic)[state]
    return Listing(rows, total, known, journal.now())


def counts(known: Sequence[Topic], topic: str) -> Mapping[str, int]:
    mine = [one for one in known if topic in ("", one.name)]
    found = {
        state: sum(getattr(one, state) for one in mine)
        for state in ("due", "new", "learning", "flagged", "suspended")
    }
    cards = sum(one.cards for one in mine)
    rest = cards - found["new"] - found["learning"] - found["suspended"]
    return found | {"": cards, "review": rest}


def listing(found: Listing, query: Query) -> Markup:
    topic, state = query.get("topic", ""), query.get("state", "")
    bar = h(
        '<div class="row controls">{}<form data-query role="search" class="row">'
        '<input type="search" name="search" value="{}" placeholder="{}" aria-label="{}">{}</form>'
        "</div>",
        tabs(TABS, state, counts(found.topics, topic), query, "state"),
        query.get("search", ""),
        *["questions and answers"] * 2,
        select("topic", "topic", topic, [one.name for one in found.topics]),
    )
    rows = [row(one, found.now) for one in found.rows]
    body = (
        table(COLUMNS, rows, query, found.total, "cards")
        if rows
        else show.empty("No card is like that.")
    )
    return heading("Cards", h('<a href="/quiz">quiz</a>')) + h(
        '<section class="card deck">{}{}</section>', bar, body
    )


def row(held: Held, now: datetime) -> list[Markup]:
    card, known = held.card, held.recall
    return [
        h(
            '<a class="named-title" href="{}">{}</a><div class="muted about">{}</div>',
            cards.address(card.id), cards.short(card.question), cards.short(card.answer),
        ),
        h('<a href="/quiz/cards?{}">{}</a>', urlencode({"topic": card.topic}),
          text(card.topic, 60)),
        cards.state(known),
        cards.due(known, now),
        h("{}", f"{known.reviews:,}"),
        h("{}", f"{known.lapses:,}"),
    ]  # fmt: skip


@dataclass(frozen=True)
class Closely:
    """`acts` are those of the card that were not undone, the newest first."""

    held: Held
    step: int
    previews: Mapping[int, str]
    acts: Sequence[Act]
    now: datetime


def look_closely(journal: "Journal", name: str) -> Closely:
    held = deck.get(journal, name)
    place = None if held.card.path else course.find(held.card.id)
    _, data = recall.contents(journal)
    lines = reviews.LINE.findall(data)
    acts = recall.reading(lines, [held.card.id.encode(), b'"undo"'])
    mine = [act for act in reviews.kept(acts) if act.card == held.card.id]
    return Closely(
        held,
        place[1].number if place else 0,
        sitting.previews(journal, held),
        mine[::-1],
        journal.now(),
    )


def closely(found: Closely) -> Markup:
    card, known = found.held.card, found.held.recall
    sides = h(
        '<section class="card one-card"><div class="question">{}</div><div class="answer">{}</div>'
        "</section>",
        cards.question(card),
        cards.answer(card),
    )
    facts = show.facts(
        [
            ("topic", cards.topic(card.topic)),
            ("state", cards.state(known)),
            ("comes back", cards.due(known, found.now)),
            ("asked", f"{known.reviews}x, forgotten {known.lapses}x"),
            ("stays for", days(known.stability)),
            ("difficulty", None if known.difficulty is None else f"{known.difficulty:.1f} of 10"),
            ("an answer brings", brings(found.previews)),
            ("written in", cards.origin(card, found.step)),
            ("id", h("<code>{}</code>", card.id)),
        ]
    )
    beside = show.section("What is known of it", facts, buttons(found.held))
    return h('<div class="split"><div>{}{}</div><div>{}</div></div>', sides, history(found), beside)


def days(stability: float | None) -> str | None:
    if stability is None:
        return None
    return f"{stability:.1f} days until one in ten is forgotten"


def brings(previews: Mapping[int, str]) -> str:
    return ", ".join(f"{RATINGS[rating]} {span}" for rating, span in previews.items())


def buttons(held: Held) -> Markup:
    at = f"/api/cards/{held.card.id}"
    flag = ("unflag", "Unflag") if held.recall.flagged else ("flag", "Flag")
    rest = ("unsuspend", "Ask again") if held.recall.suspended else ("suspend", "Suspend")
    return h(
        '<span class="row">{}</span>',
        join(show.button(label, f"{at}/{verb}") for verb, label in (flag, rest)),
    )


def history(found: Closely) -> Markup:
    if not found.acts:
        return show.section("Reviews", show.empty("It was never asked."))
    columns = (Column("when"), Column("what"), Column("took", number=True))
    rows = [
        [
            show.ago(act.at.isoformat()),
            h('<span class="rated r{}">{}</span>', act.rating, RATINGS.get(act.rating, act.act)),
            show.seconds(act.seconds) if act.seconds else show.NONE,
        ]
        for act in found.acts[:200]
    ]
    return show.section("Reviews", table(columns, rows, caption="reviews of this card"))


def wanted(query: Query) -> tuple[str, str, str, int]:
    topic, state, search = (query.get(name, "")[:500] for name in ("topic", "state", "search"))
    return topic, state, search, page_of(query)
