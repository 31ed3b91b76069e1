"""One sitting of a quiz: which card comes next, a review that counts once, and how it went.

A sitting is what was done since the last pause of half an hour, wherever it was done: it is read
from the log of reviews, so that nothing is lost with a page or a terminal. Knows nothing of how a
card is shown.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput, Taken
from warpbook.journal.cards import deck, recall, reviews, schedule
from warpbook.journal.cards.deck import Held, Topic
from warpbook.journal.cards.recall import Outcome
from warpbook.journal.cards.reviews import Act
from warpbook.journal.texts import lock

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

PAUSE = timedelta(minutes=30)
AHEAD = timedelta(minutes=20)  # what is being learnt is asked that early where nothing else is left
TAIL_BYTES = 400_000  # of the log that are looked at: thousands of reviews
GUARD = "cards/reviewing"  # one review at a time; the log's own lock is for each line


@dataclass(frozen=True)
class Sitting:
    """`acts` are those not undone, the oldest first; `undone` is the card of the act taken back
    last, if nothing was done since."""

    acts: tuple[Act, ...] = ()
    undone: str = ""

    @property
    def reviews(self) -> list[Act]:
        return [act for act in self.acts if act.act == "review"]

    @property
    def last(self) -> Act | None:
        return self.acts[-1] if self.acts else None

    @property
    def ratings(self) -> Mapping[int, int]:
        return Counter(act.rating for act in self.reviews)

    @property
    def missed(self) -> list[str]:
        """Cards that were not known, in their order."""
        again = (act.card for act in self.reviews if act.rating == schedule.AGAIN)
        return list(dict.fromkeys(again))


@dataclass(frozen=True)
class Sheet:
    """What a quiz shows: the card to ask, if there is one, when it would come again by rating, and
    how far this is. `left` counts what is to be asked today, `learning` what comes again within
    minutes or hours, `due` when the next card is due where none is asked now."""

    held: Held | None
    previews: Mapping[int, str] = field(default_factory=dict)
    left: int = 0
    learning: int = 0
    more_new: int = 0
    due: datetime | None = None
    sitting: Sitting = field(default_factory=Sitting)
    missed: Sequence[Held] = ()
    last: Held | None = None  # that of the last act
    topics: Sequence[Topic] = ()  # all there are


def sheet(
    journal: "Journal",
    topic: str | None = None,
    stay: tuple[str, int] | None = None,
    more: int = 0,
) -> Sheet:
    """`stay` is the card shown now and how many reviews it had: it stays until it is reviewed or
    rests, whatever else falls due. `more`: so many new cards beyond those of a day."""
    done = sitting(journal)
    mine = of_topic(journal, done, topic)
    new = journal.settings.new_a_day + more
    held = next_card(journal, topic, stay, done.undone, new)
    topics = deck.topics(journal)
    found = [one for one in topics if topic in (None, one.name)]
    fresh = min(sum(one.new for one in found), max(new - deck.introduced(journal), 0))
    shown = shown_cards(journal, [*mine.missed, *([done.last.card] if done.last else [])])
    return Sheet(
        held,
        previews(journal, held) if held else {},
        sum(one.due for one in found) + fresh,
        sum(one.learning for one in found),
        sum(one.new for one in found) - fresh,
        None if held else deck.next_due(journal, topic),
        Sitting(mine.acts, done.undone),
        [shown[card] for card in mine.missed if card in shown],
        shown.get(done.last.card) if done.last else None,
        topics,
    )


def next_card(
    journal: "Journal",
    topic: str | None = None,
    stay: tuple[str, int] | None = None,
    undone: str = "",
    new: int | None = None,
) -> Held | None:
    """What was undone is asked again at once."""
    for card in filter(None, (undone, stay[0] if stay else "")):
        held = shown_cards(journal, [card]).get(card)
        is_same = held and (card == undone or stay == (card, held.recall.reviews))
        if held and is_same and not held.recall.suspended and topic in (None, held.card.topic):
            return held
    found = deck.due(journal, topic, 1, new) or deck.due(journal, topic, 1, new, AHEAD)
    return found[0] if found else None


def shown_cards(journal: "Journal", cards: Sequence[str]) -> dict[str, Held]:
    """Those that are still there."""
    found = {}
    for card in dict.fromkeys(cards):
        with suppress(BadInput):
            found[card] = deck.get(journal, card)
    return {card: held for card, held in found.items() if held.card.id == card}


def previews(journal: "Journal", held: Held) -> dict[int, str]:
    """How long until it comes again, by rating."""
    now = journal.now()
    dates = schedule.previewed(held.recall, now, journal.settings.retention)
    return {rating: schedule.span(due - now) for rating, due in dates.items()}


def review(
    journal: "Journal",
    card: str,
    rating: int,
    reviews: int,
    seconds: float = 0.0,
    at: datetime | None = None,
) -> Outcome:
    """`reviews` is how many the card had when it was shown: where it has another number somebody
    was quicker, and nothing is recorded."""
    journal.path(GUARD).parent.mkdir(exist_ok=True)
    with lock.locked(journal.path(GUARD)):
        had = recall.get(journal, card).reviews
        if had != reviews:
            raise Taken("this card was reviewed elsewhere meanwhile; that review counts")
        return recall.review(journal, card, rating, seconds, at)


def sitting(journal: "Journal") -> Sitting:
    """Reads the log from its end, as far as the last pause."""
    mine: list[Act] = []
    at = journal.now()
    for raw in reversed(tail(journal).split(b"\n")):
        for act in reviews.read(raw).acts:
            if at - act.at >= PAUSE:
                return made(mine[::-1])
            mine.append(act)
            at = act.at
    return made(mine[::-1])


def made(acts: Sequence[Act]) -> Sitting:
    last = acts[-1] if acts else None
    return Sitting(tuple(reviews.kept(acts)), last.card if last and last.act == "undo" else "")


def tail(journal: "Journal") -> bytes:
    """The end of the log; a line that the cut goes through is left out."""
    try:
        with journal.path(reviews.FILE).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - TAIL_BYTES, 0))
            data = file.read()
    except FileNotFoundError:
        return b""
    return data.partition(b"\n")[2] if size > TAIL_BYTES else data


def of_topic(journal: "Journal", done: Sitting, topic: str | None) -> Sitting:
    if topic is None:
        return done
    shown = shown_cards(journal, [act.card for act in done.acts])
    mine = {card for card, held in shown.items() if held.card.topic == topic}
    return Sitting(tuple(act for act in done.acts if act.card in mine), done.undone)
