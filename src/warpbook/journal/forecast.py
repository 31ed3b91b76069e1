"""How many cards come back on each of the days ahead."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from warpbook.journal import recall

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

DAYS = 14


def forecast(journal: "Journal", days: int = DAYS) -> list[int]:
    """Of today and the days after it; what is overdue is today's. New cards have no day yet."""
    recall.sync(journal)
    end = journal.now() + timedelta(days=days)
    rows = journal.index.connection.execute(
        "SELECT due FROM journal_recall WHERE state > 0 AND suspended = 0 AND due < ?",
        (recall.text_of(end),),
    )
    zone, today = journal.now().tzinfo, journal.today()
    counts = [0] * days
    for (due,) in rows:
        day = datetime.fromisoformat(due).replace(tzinfo=UTC).astimezone(zone).date()
        at = max((day - today).days, 0)
        if at < days:
            counts[at] += 1
    return counts
