"""The running log, the newest first, a page at a time: by kind, by subject, or by its words.

Pages go by the number of the line, and kinds and subjects by their index, so that the millionth
line costs no more than the first. Words are looked for in the newest lines only.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, or_, select, union_all
from sqlalchemy.orm import Session

from warpbook.book.browse.lists import cut
from warpbook.book.collection import check_page, contains
from warpbook.book.log import spelled
from warpbook.book.tables import Event

if TYPE_CHECKING:
    from warpbook.book.book import Book

LONGEST = 2000
SEARCHED = 20_000
MOST_KINDS = 200


@dataclass(frozen=True)
class LogLine:
    """`text` is cut; `length` is that of the whole."""

    id: int
    at: str
    author: str
    kind: str
    subject: str
    text: str
    length: int


@dataclass(frozen=True)
class LogPage:
    """`older` is what to ask `before` for the next page, or None. `last` is the log's last line."""

    lines: tuple[LogLine, ...]
    older: int | None
    last: int


@dataclass(frozen=True)
class Wanted:
    """`kind` may be the noun alone: `run` for run.valid. `before` is the number of a line."""

    before: int | None = None
    kind: str = ""
    subject: str = ""
    words: str = ""


def log_lines(book: "Book", wanted: Wanted, limit: int = 50) -> LogPage:
    check_page(limit, 0)
    with book.reading() as session:
        last = session.scalar(select(func.max(Event.id))) or 0
        before = last + 1 if wanted.before is None else wanted.before
        numbers = chosen(session, wanted, before, last, limit + 1)
        rows = session.execute(
            select(
                *(Event.id, Event.at, Event.author, Event.kind, Event.subject),
                cut(Event.text, LONGEST),
                func.length(Event.text),
            )
            .where(Event.id.in_(numbers[:limit]))
            .order_by(Event.id.desc())
        )
        lines = tuple(LogLine(*row) for row in rows)
    return LogPage(lines, lines[-1].id if len(numbers) > limit else None, last)


def chosen(session: Session, wanted: Wanted, before: int, last: int, limit: int) -> list[int]:
    query = select(Event.id).where(Event.id < before)
    if wanted.words:
        like = contains(wanted.words)
        found = [column.like(like, escape="\\") for column in (Event.text, Event.author)]
        query = query.where(Event.id > last - SEARCHED, or_(*found))
    if wanted.subject:
        query = query.where(Event.subject == spelled(session, wanted.subject))
    kinds = kinds_of(session, wanted.kind) if wanted.kind else None
    if kinds == []:
        return []
    if kinds and wanted.words:
        query = query.where(Event.kind.in_(kinds))
    elif kinds:
        query = newest_of(query, kinds, limit)
    return [*session.scalars(query.order_by(Event.id.desc()).limit(limit))]


def newest_of(query: Select[Any], kinds: list[str], limit: int) -> Select[Any]:
    """The newest of each kind, by the index; so that a common one is not read as a whole."""
    heads = [
        select(query.where(Event.kind == kind).order_by(Event.id.desc()).limit(limit).subquery())
        for kind in kinds
    ]
    return select(Event.id).where(Event.id.in_(union_all(*heads)))


def kinds_of(session: Session, kind: str) -> list[str]:
    return [one for one in all_kinds(session) if one == kind or one.startswith(f"{kind}.")]


def all_kinds(session: Session) -> list[str]:
    """Those that the log has, a look-up each."""
    found = [""]
    while len(found) <= MOST_KINDS:
        after = session.scalar(select(func.min(Event.kind)).where(Event.kind > found[-1]))
        if after is None:
            break
        found.append(after)
    return found[1:]


def log_kinds(book: "Book") -> list[str]:
    with book.reading() as session:
        return all_kinds(session)
