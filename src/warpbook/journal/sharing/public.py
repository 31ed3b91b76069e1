"""What of the journal may leave it: days that have come and are not private, and no keys.

A day is private where its front matter says `private: true`; in doubt it is. Knows nothing of
where a day goes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput
from warpbook.journal.days import days
from warpbook.journal.texts import front, textfile

if TYPE_CHECKING:
    from warpbook.journal.days.days import Day
    from warpbook.journal.journal import Journal

KEY = "private"
SAID = re.compile(rf"^\s*['\"]?{KEY}['\"]?\s*:", re.MULTILINE)


@dataclass
class Chosen:
    """`private` counts those left out so far."""

    days: "list[Day]" = field(default_factory=list)
    private: int = 0


def is_private(text: str) -> bool:
    """By the text of a day's file."""
    if not SAID.search(text):
        return False
    found = front.split(text)
    if found.problem:
        return True  # what it says cannot be known
    return found.values.get(KEY) not in (None, False)


def newest(
    journal: "Journal", track: str | None = None, since: str = "", limit: int | None = None
) -> Chosen:
    """The newest days first; all where there is no limit."""
    chosen = Chosen()
    for on in dates(journal, track, since):
        if limit is not None and len(chosen.days) >= limit:
            break
        path = days.relative(on)
        text = textfile.read(journal.path(path)).content
        if is_private(text):
            chosen.private += 1
        else:
            chosen.days.append(days.parse(path, text, journal.settings, on))
    return chosen


def dates(journal: "Journal", track: str | None, since: str) -> Iterator[date]:
    """Of days that have come, the newest first."""
    rows = journal.index.connection.execute(
        "SELECT date FROM journal_entries WHERE kind = 'day' AND date BETWEEN ? AND ? "
        "AND (? IS NULL OR ? IN (SELECT value FROM json_each(document, '$.tracks'))) "
        "ORDER BY date DESC",
        (since, journal.today().isoformat(), track, track),
    )
    for (on,) in rows:
        yield date.fromisoformat(on)


def day(journal: "Journal", on: date) -> "Day":
    """One that is asked for by its date; NotFound where there is none."""
    found = days.get(journal, on)
    if is_private(textfile.read(journal.path(found.path)).content):
        raise BadInput(
            f"{found.path}: the day is private; take `{KEY}: true` out of its front matter first"
        )
    return found
