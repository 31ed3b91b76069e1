"""What of a log no earlier import took in, and what became of the rest."""

from dataclasses import dataclass, field

from warpbook.journal.importing.ledger import Ledger, entry_hash
from warpbook.journal.importing.lists import Found
from warpbook.journal.importing.pairs import Pair
from warpbook.journal.importing.understood import Dated, Understood


@dataclass
class Done:
    """How many of each kind were taken in, and what could not be now."""

    days: int = 0
    reading: int = 0
    notes: int = 0  # added to reading that was there already
    cards: int = 0
    before: int = 0  # entries that an earlier import took in
    there: int = 0  # entries whose text the book has already
    failed: list[str] = field(default_factory=list)


def day_hash(day: Dated) -> str:
    return entry_hash("day", day.date.isoformat(), day.text)


def reading_hash(item: Found) -> str:
    return entry_hash("reading", item.address, item.title, item.topic, item.notes)


def card_hash(card: Pair) -> str:
    return entry_hash("card", card.question, card.answer)


def fresh(understood: Understood, ledger: Ledger) -> tuple[list[Dated], list[Found], list[Pair]]:
    """What no earlier import took in."""
    return (
        [day for day in understood.days if day_hash(day) not in ledger],
        [item for item in understood.reading if reading_hash(item) not in ledger],
        [card for card in understood.cards if card_hash(card) not in ledger],
    )
