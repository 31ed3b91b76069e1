"""One thing to read: what is said of it, its notes and cards, and the days that cite it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from warpbook.journal import citing
from warpbook.journal.cards.deck import Held
from warpbook.journal.citing import Citing
from warpbook.journal.reading import shelf, shelf_list
from warpbook.journal.reading.reading import Item
from warpbook.web import forms, show
from warpbook.web.journal.prose import live, prose
from warpbook.web.markup import Markup, attributes, h, join, link, text
from warpbook.web.quiz import card as cards
from warpbook.web.reading import words
from warpbook.web.visit import heading

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

VERBS = (
    ("start", "Start", "begun", ("reading",)),
    ("done", "Done", "read", ("done",)),
    ("revisit", "Revisit", "to be read again in a week", ("revisit",)),
    ("drop", "Drop", "dropped; it stays in its file", ("dropped",)),
)


@dataclass(frozen=True)
class View:
    item: Item
    notes: Markup
    questions: Sequence[str]
    cards: Sequence[Held]
    days: Sequence[Citing]
    today: date


def look(journal: "Journal", id: str) -> View:
    item = shelf.by_id(journal, id)
    return View(
        item,
        prose(item.notes, live(journal.index.connection)),
        shelf_list.questions(journal, item),
        citing.cards(journal, item),
        citing.days(journal, item),
        journal.today(),
    )


def view(found: View) -> Markup:
    item = found.item
    top = heading(text(item.title, 300), h('<a href="/reading">reading</a>'))
    under = h(
        '<p class="row about-item">{} {} {} {}</p>',
        words.state(item),
        words.topic(item.topic),
        h('<span class="kind">{}</span>', item.kind),
        link(item.address, text(item.address, 120)) if words.site(item) else "",
    )
    left = join([notes(found), writing(item)])
    right = join([facts(found), questions(found), in_it(found.cards), days(found.days)])
    return join(
        [
            top,
            under,
            acts(item),
            h('<div class="split"><div>{}</div><div>{}</div></div>', left, right),
        ]
    )


def acts(item: Item) -> Markup:
    made = join(
        h(
            '<button type="button" class="{}" data-post="/api/reading/{}/{}" data-done="{}">{}'
            "</button>",
            "main" if is_next(item, verb) else "",
            item.id,
            verb,
            done,
            label,
        )
        for verb, label, done, states in VERBS
        if item.state not in states
    )
    moving = h(
        '<form class="row" data-post="/api/reading/{}/{}" data-done="moved"><input name="topic" '
        'list="topics" size="12" maxlength="60" placeholder="another topic" required '
        'aria-label="topic to move it to" autocomplete="off"><button>{}</button>'
        '<p data-error role="alert"></p></form>',
        item.id,
        "keep" if item.state == "inbox" else "move",
        "Keep" if item.state == "inbox" else "Move",
    )
    return h('<div class="row acts">{}{}{}</div>', made, forms.opens("Edit", "facts"), moving)


def is_next(item: Item, verb: str) -> bool:
    return verb == ("done" if item.state == "reading" else "start")


def notes(found: View) -> Markup:
    body = found.notes if found.item.notes.strip() else show.empty("No notes yet.")
    return show.section("Notes", h('<div class="notes">{}</div>', body), id_="notes")


def writing(item: Item) -> Markup:
    """How far, a note, a question."""
    at = f"/api/reading/{item.id}"
    far = h(
        '<form class="row up-to" data-post="{}/up_to" data-done="noted"><label>Read up to '
        '<input name="up_to" data-type="text" maxlength="500" {}></label><button>Set</button>'
        '<p data-error role="alert"></p></form>',
        at,
        attributes(value=item.up_to, placeholder="section 3, page 41, 12:30", autocomplete="off"),
    )
    note = h(
        '<form class="stack" data-post="{}/note" data-done="noted"><label for="note">Note</label>'
        '<textarea id="note" name="text" rows="4" required placeholder="Markdown; it is written '
        'under today’s date. Q: and A: make a card."></textarea><p data-error role="alert"></p>'
        '<div class="row ends"><button class="main">Note it</button></div></form>',
        at,
    )
    question = h(
        '<form class="stack" data-post="{}/question" data-done="written down">'
        '<label for="question">Question</label><input id="question" name="text" required '
        'maxlength="20000" autocomplete="off" placeholder="What is not clear yet?">'
        '<label for="its-answer">Answer, which makes it a card</label>'
        '<input id="its-answer" name="answer" maxlength="20000" autocomplete="off">'
        '<p data-error role="alert"></p><div class="row ends"><button>Ask it</button></div></form>',
        at,
    )
    return show.section("Write", h('<div class="writing">{}{}{}</div>', far, note, question))


def facts(found: View) -> Markup:
    item = found.item
    dates = [
        (name, h("{} {}", day, age(day, found.today)))
        for name, day in (
            ("added", item.added), ("published", item.published), ("started", item.started),
            ("read", item.done), ("to revisit", item.revisit),
        )
        if day
    ]  # fmt: skip
    return show.section(
        "Facts",
        show.facts(
            [
                ("tier", words.tier(item) if item.tier else None),
                ("read up to", text(item.up_to, 200) if item.up_to else None),
                *dates,
                ("from the feed", text(item.feed, 200) if item.feed else None),
                ("address", CUT if item.cut else None),
                ("written in", f"{item.path}:{item.line}"),
                ("id", h("<code>{}</code>", item.id)),
            ]
        ),
    )


CUT = h('<span class="wrong">cut short: whoever copied it had only a part</span>')


def age(day: str, today: date) -> Markup:
    return h('<span class="muted">({})</span>', words.age(day, today))


def questions(found: View) -> Markup:
    if not found.questions:
        return Markup("")
    rows = join(
        h(
            '<li data-key="question-{}">{}<form class="row keep" '
            'data-post="/api/reading/{}/question" data-done="it is a card now">'
            '<input type="hidden" name="text" value="{}"><input name="answer" required '
            'maxlength="20000" placeholder="the answer" aria-label="answer to: {}" '
            'autocomplete="off"><button>Answer</button></form></li>',
            key,
            text(one, 500),
            found.item.id,
            one,
            one[:80],
        )
        for key, one in zip(show.row_keys(found.questions), found.questions, strict=True)
    )
    return show.section("Open questions", h('<ul class="list">{}</ul>', rows), id_="questions")


def in_it(found: Sequence[Held]) -> Markup:
    if not found:
        return Markup("")
    rows = join(
        h(
            '<li><a href="{}">{}</a><div>{}</div></li>',
            cards.address(held.card.id),
            cards.short(held.card.question),
            cards.state(held.recall),
        )
        for held in found
    )
    return show.section("Cards in it", h('<ul class="list">{}</ul>', rows), id_="cards")


def days(found: Sequence[Citing]) -> Markup:
    if not found:
        return Markup("")
    rows = join(
        h(
            '<li><a href="/journal/{}">{}</a> <span class="muted">{}</span></li>',
            one.date,
            one.date,
            text(one.title, 100) if one.title != one.date else "",
        )
        for one in found[:30]
    )
    return show.section("Days that cite it", h('<ul class="list">{}</ul>', rows), id_="days")
