"""How many cards come back on each of the days ahead."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from warpbook.journal.cards import deck, recall

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

DAYS = 14


def forecast(journal: "Journal", days: int = DAYS) -> list[int]:
    """Of today and the days after it; what is overdue is today's. New cards have no day yet, and
    those that are in no text any more have none again."""
    recall.sync(journal)
    end = journal.now() + timedelta(days=days)
    rows = journal.index.connection.execute(
        "SELECT due FROM journal_recall WHERE state > 0 AND suspended = 0 AND due < ? "
        "AND card IN (SELECT key FROM journal_entries WHERE kind = 'card')",
        (recall.text_of(end),),
    )
    taught = [one.recall for one in deck.of_courses(journal, "all", None, journal.now())]
    dues = [datetime.fromisoformat(due).replace(tzinfo=UTC) for (due,) in rows]
    dues += [one.due for one in taught if one.due and not one.suspended]
    zone, today = journal.now().tzinfo, journal.today()
    counts = [0] * days
    for due in dues:
        at = max((due.astimezone(zone).date() - today).days, 0)
        if at < days:
            counts[at] += 1
    return counts
