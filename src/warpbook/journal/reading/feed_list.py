"""The feeds, with how each of them does: what was seen of it, and how its last pull went."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from warpbook.journal.reading import feeds, pulls
from warpbook.journal.reading.feeds import Feed
from warpbook.journal.reading.pulls import Pull

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal


@dataclass(frozen=True)
class Standing:
    """`last` is when something of it was new, empty for never; `pull` is None where it was not
    pulled yet."""

    feed: Feed
    seen: int = 0
    last: str = ""
    pull: Pull | None = None


def listed(journal: "Journal") -> list[Standing]:
    seen, last = feeds.seen(journal), pulls.last(journal)
    known = [(one, seen.get(one.url, feeds.Seen())) for one in feeds.read(journal)]
    return [Standing(one, len(found.guids), found.at, last.get(one.url)) for one, found in known]


def document(one: Standing) -> dict[str, Any]:
    """As programs read it."""
    return asdict(one.feed) | {
        "seen": one.seen,
        "last": one.last or None,
        "pulled": one.pull.at if one.pull else None,
        "new": one.pull.new if one.pull else 0,
        "failed": one.pull.failed if one.pull else "",
    }
