"""How the last pull of each feed went, kept in the index: it can be lost, and the next pull knows.

Knows nothing of how feeds are fetched.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.reading.feeds import Pulled

NAME = "pulls"  # in journal_meta


@dataclass(frozen=True)
class Pull:
    """`failed` says why not all of the feed came."""

    at: str
    new: int = 0
    failed: str = ""


def record(journal: "Journal", results: "Sequence[Pulled]") -> None:
    at = journal.now().isoformat(timespec="seconds")
    made = {one.feed.url: asdict(Pull(at, one.new, one.failed)) for one in results}
    journal.index.connection.execute(
        "INSERT OR REPLACE INTO journal_meta (name, value) VALUES (?, ?)", (NAME, json.dumps(made))
    )


def last(journal: "Journal") -> dict[str, Pull]:
    """By the address of the feed."""
    row = journal.index.connection.execute(
        "SELECT value FROM journal_meta WHERE name = ?", (NAME,)
    ).fetchone()
    return {url: Pull(**said) for url, said in json.loads(row[0]).items()} if row else {}
