"""A quiz in the terminal, or with its answers piped in, one line an input.

Every answer is in the log before the next card is shown, so that leaving loses nothing. What is
due, and when a card comes back, the deck decides.
"""

import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from warpbook.cli.guard import INTERRUPTED
from warpbook.cli.journal.prompt import Left, read_line, ready, show
from warpbook.cli.screen import console
from warpbook.core.duration import show_duration
from warpbook.core.errors import NotFound, Taken
from warpbook.core.text import printable
from warpbook.journal.cards import deck, recall, sitting
from warpbook.journal.cards.reviews import moment
from warpbook.journal.cards.schedule import RATINGS, span
from warpbook.journal.cards.sitting import AHEAD
from warpbook.journal.ids import plain

if TYPE_CHECKING:
    from datetime import datetime

    from warpbook.journal.cards.deck import Held
    from warpbook.journal.journal import Journal

GRADES = {key: rating for rating, word in RATINGS.items() for key in (str(rating), word[0], word)}
UNDO, FLAG, SUSPEND = "u", "f", "s"


class Quiz:
    """One sitting. `acts` are the ids of what was done in it, which undo walks back."""

    def __init__(
        self, journal: "Journal", topic: str | None, limit: int | None, most_new: int | None
    ) -> None:
        self.journal = journal
        self.topic = topic
        self.limit = limit
        self.most_new = most_new
        self.screen = console()
        self.acts: list[tuple[str, str, int]] = []  # id, what, rating
        self.back: Held | None = None  # the card of what was undone
        self.began = time.monotonic()

    def run(self) -> int:
        ready()
        status = 0
        try:
            while self.limit is None or self.answered() < self.limit:
                held, left = self.next_card()
                if held is None:
                    break
                self.ask(held, left)
        except Left:
            pass
        except KeyboardInterrupt:
            status = INTERRUPTED
            self.screen.print()
        self.summary()
        return status

    def answered(self) -> int:
        return sum(what == "review" for _, what, _ in self.acts)

    def next_card(self) -> "tuple[Held | None, int]":
        """The card to ask, and how many there are with it; a card may be mended meanwhile."""
        self.journal.index.refresh()
        due = deck.queue(self.journal, self.topic, self.most_new)
        due = due or deck.queue(self.journal, self.topic, 0, AHEAD)
        if self.back:
            held, self.back = self.back, None
            return deck.get(self.journal, held.card.id), max(len(due), 1)
        return (deck.get(self.journal, due[0]), len(due)) if due else (None, 0)

    def ask(self, held: "Held", left: int) -> None:
        card = held.card
        shown = time.monotonic()
        about = [card.topic, held.recall.state, "flagged" * held.recall.flagged, f"{left} to ask"]
        self.screen.print()
        self.screen.print(printable(" · ".join(filter(None, about))), style="dim")
        show(card.question, "bold")
        typed = read_line("your answer (Enter to see it, u to undo, q to leave)")
        if typed == UNDO:
            self.undo()
            return
        same = plain(typed) == plain(card.answer) and bool(typed)
        show(card.answer)
        if same:
            self.screen.print("word for word", style="green")
        self.grade(held, shown)

    def grade(self, held: "Held", shown: float) -> None:
        """The moment of the preview is that of the review, so that it is what happens."""
        card, at = held.card.id, moment(self.journal.now())
        seen = recall.preview(self.journal, card, at)
        prompt = f"{offered(seen, at)}; f flag, s suspend, u undo, q to leave"
        flagged = held.recall.flagged
        while True:
            typed = read_line(prompt).lower()
            if typed in GRADES:
                self.review(held, GRADES[typed], time.monotonic() - shown, at)
                return
            if typed == FLAG:
                flagged = not flagged
                done = recall.flag(self.journal, card, flagged)
                self.acts.append((done.act.id, done.act.act, 0))
                self.screen.print("flagged" if flagged else "no longer flagged")
            elif typed == SUSPEND:
                done = recall.suspend(self.journal, card)
                self.acts.append((done.act.id, "suspend", 0))
                self.screen.print("suspended: it is asked no more")
                return
            elif typed == UNDO:
                self.undo()
                return
            else:
                self.screen.print("1, 2, 3 or 4 for how well you knew it, or f, s, u, q")

    def review(self, held: "Held", rating: int, seconds: float, at: "datetime") -> None:
        """Counts once, where the card was answered on another screen since it was shown."""
        seen = held.recall.reviews
        try:
            done = sitting.review(self.journal, held.card.id, rating, seen, seconds, at)
        except Taken as error:
            self.screen.print(printable(str(error)))
            return
        self.acts.append((done.act.id, "review", rating))

    def undo(self) -> None:
        if not self.acts:
            self.screen.print("nothing was done yet; warpbook card undo goes further back")
            return
        of, what, rating = self.acts.pop()
        undone = recall.undo(self.journal, of)
        with suppress(NotFound):  # somebody took the card away meanwhile
            self.back = deck.get(self.journal, undone.card)
        self.screen.print(f"undone: {RATINGS[rating] if rating else what}")

    def summary(self) -> None:
        due = deck.queue(self.journal, self.topic, self.most_new)
        said = [self.answers()] if self.acts else []
        said.append(f"{len(due)} still to ask" if due else self.nothing_due())
        show("; ".join(said))

    def answers(self) -> str:
        ratings = Counter(rating for _, what, rating in self.acts if what == "review")
        counts = [
            f"{ratings[rating]} {word}" for rating, word in RATINGS.items() if ratings[rating]
        ]
        acts = Counter(what for _, what, _ in self.acts)
        others = [
            f"{acts[what]} {word}"
            for what, word in (("flag", "flagged"), ("suspend", "suspended"))
            if acts[what]
        ]
        took = show_duration(time.monotonic() - self.began)
        known = f": {', '.join(counts)}" if counts else ""
        return "; ".join([f"{self.answered()} answered in {took}{known}", *others])

    def nothing_due(self) -> str:
        now = self.journal.now()
        comes = deck.next_due(self.journal, self.topic)
        more = f"; the next one in {span(comes - now)}" if comes and comes > now else ""
        waiting = len(deck.queue(self.journal, self.topic, 10**6))
        if waiting:
            more += f"; {waiting} new ones wait for another day, or for --new {waiting}"
        return f"nothing is due now{more}"


def offered(seen: "dict[int, datetime]", at: "datetime") -> str:
    return ", ".join(f"{rating} {RATINGS[rating]} {span(due - at)}" for rating, due in seen.items())
