"""Measurements: judgements and comparisons made by hand inside the book. Never evidence."""

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select

from warpbook.book import names
from warpbook.book.authors import known_author
from warpbook.book.collection import Collection, Name, check_page
from warpbook.book.events import now
from warpbook.book.tables import Measurement


class Measurements(Collection):
    def add(
        self,
        kind: str,
        problem: str,
        rungs: Sequence[str],
        workload: str,
        device: str,
        document: Mapping[str, Any],
    ) -> Measurement:
        with self.writing() as write:
            known_author(write)
            measurement = Measurement(
                author=write.author,
                kind=kind,
                problem=problem,
                rungs=[*rungs],
                workload=workload,
                device=device,
                document=dict(document),
                created_at=now(),
            )
            text = f"{kind} of {' and '.join(rungs)} on {problem} {workload}".rstrip()
            return write.add(measurement, "measurement.added", f"{{name}}: {text}")

    def get(self, name: Name) -> Measurement:
        with self.reading() as session:
            return names.get(session, Measurement, name)

    def list(
        self, problem: str | None = None, limit: int = 50, offset: int = 0
    ) -> builtins.list[Measurement]:
        check_page(limit, offset)
        query = select(Measurement).order_by(Measurement.id.desc()).limit(limit).offset(offset)
        if problem:
            query = query.where(Measurement.problem == problem)
        with self.reading() as session:
            return [*session.scalars(query)]
