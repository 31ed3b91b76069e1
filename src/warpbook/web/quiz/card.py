"""One card as markup: its two sides, where it comes from, and how well it is known.

A cloze is asked with a blank in its place. Knows nothing of quizzes.
"""

import re
from collections.abc import Callable
from datetime import datetime
from urllib.parse import quote, urlencode

from warpbook.journal.cards import cloze
from warpbook.journal.cards.cards import Card
from warpbook.journal.cards.cloze import Cloze
from warpbook.journal.cards.schedule import Recall, span
from warpbook.web.markdown import markdown, plain, set_apart
from warpbook.web.markup import Markup, h

BLANK = "…"
MARKED = re.compile(r"[*`\[\]<>\\\n]|_\S.*_")  # Markdown in a cloze is left to Markdown
STATES = {
    "new": "never asked yet",
    "learning": "asked again within minutes or hours, until it stays",
    "relearning": "was forgotten, and is learnt again",
    "review": "known, and asked again when it is about to be forgotten",
}
TONES = {"new": "busy", "learning": "warn", "relearning": "warn", "review": "good"}


def question(card: Card) -> Markup:
    return markdown(shown(card, hidden) if card.text else plain(card.question))


def answer(card: Card) -> Markup:
    """The words of a cloze stand in their text."""
    return markdown(shown(card, filled) if card.text else plain(card.answer))


def shown(card: Card, show: Callable[[Cloze], str]) -> str:
    """The text of a cloze card, with what `show` makes of the words it asks for."""
    number = int(card.id.rpartition(".")[2])

    def part(one: Cloze) -> str:
        return show(one) if one.number == number else cloze.rendered(one, part)

    return cloze.rendered(cloze.parse(plain(card.text)), part)


def hidden(one: Cloze) -> str:
    return set_apart(one.hint or BLANK, "blank")


def filled(one: Cloze) -> str:
    words = cloze.revealed(one)
    return words if MARKED.search(words) else set_apart(words, "filled")


def whole(said: str) -> Markup:
    """A text with clozes, all of them filled in."""

    def part(one: Cloze) -> str:
        return filled(one) if one.number else cloze.rendered(one, part)

    return markdown(cloze.rendered(cloze.parse(plain(said)), part))


def short(said: str, most: int = 160) -> str:
    """A side of a card on one line."""
    line = " ".join(said.split())
    return line if len(line) <= most else f"{line[:most].rstrip()} …"


def address(card: str) -> str:
    return f"/quiz/cards/{quote(card)}"


def topic(name: str) -> Markup:
    return h('<a class="tag" href="/quiz/ask?{}">{}</a>', urlencode({"topic": name}), name[:60])


def state(known: Recall) -> Markup:
    """How well it is known, and what was decided about it."""
    marks = [chip(known.state, STATES[known.state], TONES[known.state])]
    if known.flagged:
        marks.append(chip("flagged", "wants mending; it is asked as before", "stale"))
    if known.suspended:
        marks.append(chip("suspended", "rests: it is not asked", "plain"))
    return h("{}", Markup(" ").join(marks))


def chip(word: str, why: str, tone: str) -> Markup:
    return h('<span class="chip {}" data-tip="{}" tabindex="0">{}</span>', tone, why, word)


def due(known: Recall, now: datetime) -> Markup:
    """`in 3 d`, or `now`."""
    if known.due is None:
        return h('<span class="none">–</span>')
    said = f"in {span(known.due - now)}" if known.due > now else "now"
    return h('<span data-tip="{}" tabindex="0">{}</span>', f"{known.due:%Y-%m-%d %H:%M} UTC", said)


def origin(card: Card, step: int = 0) -> Markup:
    """Where it is written, as a way there if there is a page. `step` is that of its course."""
    folder, _, name = card.path.partition("/")
    place = f"{card.path}:{card.line}"
    if step:
        to = f"/quiz/course/{quote(card.topic)}?step={step}"
        return h('<a href="{}">course of {}, step {}</a>', to, card.topic, step)
    if folder == "journal":
        return h('<a href="/journal/{}">{}</a>', quote(name.removesuffix(".md")), place)
    if folder == "reading":
        asked = urlencode({"topic": name.removesuffix(".md")})
        return h('<a href="/reading?{}">{}</a>', asked, place)
    return h("<span>{}</span>", place if card.path else "")
