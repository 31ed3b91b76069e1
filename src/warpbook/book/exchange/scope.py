"""What leaves the book in an export: everything, or one campaign and what its evidence rests on.

Gives rows and events as documents, other rows named by their uid. Knows nothing of files.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

import warpbook
from warpbook.book.events import PARTS, now
from warpbook.book.exchange import bundle
from warpbook.book.exchange.bundle import Manifest, Member
from warpbook.book.revision import HEAD
from warpbook.book.sources import MARK
from warpbook.book.tables import (
    BY_LETTER,
    Base,
    Campaign,
    Event,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Measurement,
    Prediction,
    Run,
    Source,
)


class Scope:
    """A campaign leaves with the experiments of its hypotheses, those its findings quote, and the
    runs of A against A that tell its noise."""

    def __init__(self, session: Session, campaign: Campaign | None) -> None:
        self.session = session
        self.campaign = campaign
        self.chosen: dict[type[Base], Select[Any]] = {}
        if campaign is not None:
            self.choose(campaign.id)
        named: list[Any] = [table for table in bundle.TABLES if table is not Source]
        self.uids: dict[type[Base], dict[int, str]] = {
            table: {row.id: row.uid for row in session.execute(select(table.id, table.uid))}
            for table in named
        }

    def choose(self, number: int) -> None:
        hypotheses = select(Hypothesis.id).where(Hypothesis.campaign_id == number)
        findings = select(Finding.id).where(Finding.campaign_id == number)
        quoted = [
            run
            for runs in self.session.scalars(
                select(Finding.runs).where(Finding.campaign_id == number)
            )
            for run in runs
        ]
        linked = select(Link.to_id).where(Link.to_kind == "E", Link.finding_id.in_(findings))
        noise = select(Experiment.noise_key).where(Experiment.campaign_id == number)
        experiments = select(Experiment.id).where(
            or_(
                Experiment.campaign_id == number,
                Experiment.id.in_(
                    select(Prediction.experiment_id).where(Prediction.hypothesis_id.in_(hypotheses))
                ),
                Experiment.id.in_(linked),
                Experiment.id.in_(select(Run.experiment_id).where(Run.id.in_(quoted))),
                (Experiment.a_sha256 == Experiment.b_sha256) & Experiment.noise_key.in_(noise),
            )
        )
        homes = select(Experiment.campaign_id).where(Experiment.id.in_(experiments))
        self.chosen = {
            Campaign: select(Campaign.id).where(or_(Campaign.id == number, Campaign.id.in_(homes))),
            Hypothesis: hypotheses,
            Experiment: experiments,
            Prediction: select(Prediction.id).where(
                Prediction.experiment_id.in_(experiments), Prediction.hypothesis_id.in_(hypotheses)
            ),
            Run: select(Run.id).where(Run.experiment_id.in_(experiments)),
            Finding: findings,
            Link: select(Link.id).where(Link.finding_id.in_(findings)),
            Measurement: select(Measurement.id).where(Measurement.id < 0),
        }

    def query(self, table: Any) -> Select[Any]:
        key = table.sha256 if table is Source else table.id
        made = select(table).order_by(key).execution_options(yield_per=500)
        if table is Run:
            made = made.where(Run.state != "running")
        if self.campaign is None:
            return made
        if table is Source:
            return made.where(Source.sha256.in_(self.texts()))
        return made.where(key.in_(self.chosen[table]))

    def texts(self) -> list[str]:
        """The hashes of the sources that the plans name."""
        plans = self.session.scalars(
            select(Experiment.plan).where(Experiment.id.in_(self.chosen[Experiment]))
        )
        marks = {
            plan[side].get(kind) or ""
            for plan in plans
            for side in ("baseline", "change")
            for kind in ("text", "cuda")
        }
        return sorted(m.removeprefix(MARK) for m in marks if m.startswith(MARK))

    def rows(self, table: type[Base]) -> Iterator[tuple[str, dict[str, Any]]]:
        for row in self.session.scalars(self.query(table)):
            name = f"source {row.name}" if isinstance(row, Source) else f"{row.letter}-{row.id}"
            yield name, self.document(table, row)

    def document(self, table: type[Base], row: Any) -> dict[str, Any]:
        """The row with uids for what it refers to."""
        made = {column.key: getattr(row, column.key) for column in bundle.carried(table)}
        for name, other in bundle.REFERENCES.get(table.__tablename__, {}).items():
            made[name] = None if made[name] is None else self.uids[other][made[name]]
        if isinstance(row, Link):
            made["to_id"] = self.uids[bundle.LINKED[row.to_kind]].get(row.to_id, "")
        if isinstance(row, Finding):
            made["runs"] = [self.uids[Run][number] for number in row.runs]
        return made

    def runs(self) -> Iterator[tuple[Run, Experiment]]:
        for run in self.session.scalars(self.query(Run)):
            yield run, self.session.get_one(Experiment, run.experiment_id)

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The log. A line that came from another book leaves as it was there."""
        within = None
        if self.campaign is not None:
            within = {
                f"{table.letter}-{number}"  # type: ignore[attr-defined]
                for table, ids in self.chosen.items()
                for number in self.session.scalars(ids)
            }
        query = select(Event).order_by(Event.id).execution_options(yield_per=1000)
        for event in self.session.scalars(query):
            if within is not None and event.subject not in within:
                continue
            foreign = event.data.get("event") if event.kind == "imported" else None
            record = foreign or {name: getattr(event, name) for name in (*PARTS, "hash")}
            yield f"event {event.id}", {"about": self.about(event.subject), "event": record}

    def about(self, subject: str) -> str:
        letter, _, number = subject.partition("-")
        known = self.uids.get(BY_LETTER.get(letter, Base), {})
        return str(known.get(int(number), "")) if number.isdigit() else ""

    def manifest(self, counts: dict[str, int], members: dict[str, Member]) -> Manifest:
        head = self.session.scalar(select(Event.hash).order_by(Event.id.desc()).limit(1))
        return Manifest(
            format=bundle.FORMAT,
            warpbook=warpbook.__version__,
            tables=HEAD,
            made=now(),
            campaign=self.campaign.name if self.campaign is not None else "",
            head=head or "",
            counts=counts,
            members=members,
        )
