"""The running log as a collection: lines to read, and notes to add."""

import builtins
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from warpbook.book import names
from warpbook.book.collection import Collection, check_page
from warpbook.book.tables import Event
from warpbook.core.errors import BadInput

PLAIN = ("note", "commit", "imported")  # kinds that are one word


class Log(Collection):
    def list(
        self,
        after: int = 0,
        limit: int = 100,
        kind: str | None = None,
        subject: str | None = None,
    ) -> builtins.list[Event]:
        """Events past `after`, oldest first. `kind` may be the noun alone: `run` for run.valid."""
        check_page(limit, 0)
        with self.reading() as session:
            query = only(session, kind, subject).where(Event.id > after)
            return [*session.scalars(query.order_by(Event.id).limit(limit))]

    def latest(
        self, limit: int = 100, kind: str | None = None, subject: str | None = None
    ) -> builtins.list[Event]:
        """The last lines, oldest first."""
        check_page(limit, 0)
        with self.reading() as session:
            query = only(session, kind, subject).order_by(Event.id.desc()).limit(limit)
            return [*session.scalars(query)][::-1]

    def last(self) -> int:
        """The number of the last line; 0 for an empty log."""
        with self.reading() as session:
            return session.scalar(select(func.max(Event.id))) or 0

    def note(self, text: str, subject: str = "") -> Event:
        if not text.strip():
            raise BadInput("the note is empty")
        with self.writing() as write:
            if subject:
                subject = names.name_of(names.get_any(write.session, subject))
            number = write.event("note", subject, text.strip())
            return write.session.get_one(Event, number)


def only(session: Session, kind: str | None, subject: str | None) -> Select[Any]:
    query: Select[Any] = select(Event)
    if kind:
        query = query.where(Event.id.in_(of_kind(kind)))
    if subject:
        query = query.where(Event.subject == spelled(session, subject))
    return query


def of_kind(kind: str) -> Select[Any]:
    """From the index alone: a rare kind is found without reading the whole log."""
    query = select(Event.id)
    if "." in kind or kind in PLAIN:
        return query.where(Event.kind == kind)
    return query.where(Event.kind > f"{kind}.", Event.kind < f"{kind}/")


def spelled(session: Session, subject: str) -> str:
    """`h3` as the log has it, if the book has that; what is no id stays as it is."""
    try:
        names.split_name(subject)
    except BadInput:
        return subject
    return names.name_of(names.get_any(session, subject))
