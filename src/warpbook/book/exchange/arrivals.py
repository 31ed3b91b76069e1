"""Rows and events of another book on their way into this one, in one transaction.

Each row is checked before it is added: its columns, what it refers to, its plan, and the receipt of
a valid run. Knows nothing of files, beyond the folder in which the runs' own lie.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from warpbook.book import events, names, predictions
from warpbook.book.audit import receipts
from warpbook.book.authors import known_author
from warpbook.book.exchange import bundle
from warpbook.book.findings import TARGETS
from warpbook.book.sources import plan_of
from warpbook.book.store import Write
from warpbook.book.tables import (
    Base,
    Campaign,
    Event,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Prediction,
    Run,
    Source,
)
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput

PURPOSES = ("evidence", "noise", "confirm")
WAITING = ("queued", "running")
# JSON of another shape than its column means, which only shows where it is used.
MISFITS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
NAMES = re.compile(r"\b([CHEPRF]-[0-9]+)\b")


class Arrivals:
    """`folders` are runs by the names of their folders in the file."""

    def __init__(self, write: Write, staged: Path) -> None:
        self.write = write
        self.session = write.session
        self.staged = staged
        self.added: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.renamed: dict[str, str] = {}
        self.held: list[str] = []
        self.left_out: list[str] = []
        self.folders: dict[str, Run] = {}
        self.new_runs: set[str] = set()
        self.new: dict[str, list[int]] = {}
        self.here: dict[tuple[type[Base], str], Any] = {}
        self.names: dict[str, str] = {}  # as called elsewhere: as called here
        self.subjects: dict[str, str] = {}  # by uid

    def row(self, where: str, table: Any, document: Any) -> None:
        wrong = bundle.wrong_with(table, document)
        if wrong:
            raise BadInput(f"{where} {wrong}")
        uid = document["sha256"] if table is Source else document["uid"]
        found = self.find(table, uid)
        if found is None:
            try:
                found = self.add(table, dict(document))
            except (BadInput, *MISFITS) as error:
                raise BadInput(f"{where}: {error}") from error
            if found is None:
                return
            self.added[table.__tablename__] += 1
            self.here[table, uid] = found.sha256 if table is Source else found.id
        else:
            self.known[table.__tablename__] += 1
        if table is Source:
            return
        self.names[f"{table.letter}-{document['id']}"] = f"{table.letter}-{found.id}"
        self.subjects[uid] = f"{table.letter}-{found.id}"
        if isinstance(found, Run):
            self.folders[f"R-{document['id']}"] = found

    def find(self, table: Any, uid: str) -> Any:
        if table is Source:
            return self.session.get(Source, uid)
        return self.session.scalar(select(table).where(table.uid == uid))

    def number(self, table: Any, uid: str) -> int | None:
        """The id here of what is known elsewhere by this uid."""
        if (table, uid) not in self.here:
            found = self.find(table, uid)
            self.here[table, uid] = None if found is None else found.id
        number: int | None = self.here[table, uid]
        return number

    def add(self, table: Any, document: dict[str, Any]) -> Any:
        """The row as added; None where it is left out."""
        was = "" if table is Source else f"{table.letter}-{document.pop('id')}"
        self.resolve(table, document)
        if table is Link:
            document["to_id"] = self.number(bundle.LINKED[document["to_kind"]], document["to_id"])
            if document["to_id"] is None:
                kind = names.WORDS[document["to_kind"]]
                self.left_out.append(f"F-{document['finding_id']} {document['type']} a {kind}")
                return None
        row = table(**document)
        self.check(row, was)
        if "author" in document:
            known_author(self.write, document["author"])
        noun = table.__name__.lower()
        text = f"{{name}} came in, {was} elsewhere" if was else f"{names.name_of(row)} came in"
        made = self.write.add(row, f"{noun}.imported", text, was=was)
        if table is not Source:
            self.new.setdefault(table.__tablename__, []).append(made.id)
        if isinstance(made, Link):
            self.retell(made)
        return made

    def resolve(self, table: Any, document: dict[str, Any]) -> None:
        """Ids for uids."""
        for name, other in bundle.REFERENCES.get(table.__tablename__, {}).items():
            if document[name] is None:
                continue
            number = self.number(other, document[name])
            if number is None and name != "repeats_id":
                raise BadInput(f"its {name} is not in the file")
            document[name] = number
        for name in ("state_reason", "stale"):
            if name in document:
                document[name] = NAMES.sub(
                    lambda match: self.names.get(match[1], match[1]), document[name]
                )
        if table is Link and (
            document["to_kind"] not in bundle.LINKED
            or document["to_kind"] not in TARGETS.get(document["type"], "")
        ):
            raise BadInput(f"there is no link {document['type']!r} to {document['to_kind']!r}")

    def check(self, row: Any, was: str) -> None:
        """What a column's type does not say."""
        if isinstance(row, Source) and hashlib.sha256(row.text.encode()).hexdigest() != row.sha256:
            raise BadInput("its hash does not fit its text")
        if isinstance(row, Campaign):
            self.rename(row)
        elif isinstance(row, Hypothesis):
            check_hypothesis(row)
        elif isinstance(row, Experiment):
            self.check_experiment(row)
        elif isinstance(row, Prediction):
            hypothesis = self.session.get_one(Hypothesis, row.hypothesis_id)
            experiment = self.session.get_one(Experiment, row.experiment_id)
            predictions.check_interval(hypothesis.name, (row.low, row.high))
            predictions.check_metrics(hypothesis, plan_of(self.session, experiment.plan))
        elif isinstance(row, Run):
            self.check_run(row, was)
        elif isinstance(row, Finding):
            numbers = [self.number(Run, str(uid)) for uid in row.runs]
            if None in numbers:
                raise BadInput("it quotes runs that are not in the file")
            row.runs = numbers

    def rename(self, campaign: Campaign) -> None:
        """A name that is in use here belongs to another campaign."""
        name, number = campaign.name, 1
        while self.session.scalar(select(Campaign.id).where(Campaign.name == campaign.name)):
            number += 1
            campaign.name = f"{name} ({number})"
        if number > 1:
            self.renamed[name] = campaign.name

    def check_experiment(self, experiment: Experiment) -> None:
        try:
            plan = plan_of(self.session, experiment.plan)
        except (ValueError, TypeError, AttributeError) as error:
            raise BadInput(f"its plan is none: {error}") from None
        said = (plan.baseline.sha256, plan.change.sha256, plan.workload, plan.device, plan.kind)
        columns = ("a_sha256", "b_sha256", "workload", "device", "kind")
        if said != tuple(getattr(experiment, name) for name in columns) or not plan.metrics:
            raise BadInput("its plan is of another experiment")
        experiment.imported = True
        if experiment.state in WAITING:
            was = experiment.state
            experiment.state = "held"
            experiment.state_reason = f"it came from another book, where it was {was}"

    def check_run(self, run: Run, was: str) -> None:
        self.new_runs.add(run.uid)
        experiment = self.session.get_one(Experiment, run.experiment_id)
        noise = experiment.a_sha256 == experiment.b_sha256
        if run.purpose not in PURPOSES or (run.purpose == "noise") != noise:
            raise BadInput(f"its purpose is {run.purpose}, which does not fit its experiment")
        foreseen = predictions.of_experiment(self.session, experiment.id)
        if any(prediction.locked_at is None for prediction in foreseen):
            raise BadInput("a prediction of its experiment is not locked, and nothing runs before")
        if run.state != "valid":
            run.gain = run.error = run.gains = None
            return
        if missing := {m["name"] for m in experiment.plan["metrics"]} - (run.gains or {}).keys():
            raise BadInput(f"it has no gain of {', '.join(sorted(missing))}")
        folder = self.staged / bundle.RUNS / was
        for problem in receipts.problems(folder, receipts.recorded(run, experiment)):
            raise BadInput(problem)

    def retell(self, link: Link) -> None:
        """By which finding another one is superseded, as it is called here."""
        finding = self.session.get_one(Finding, link.finding_id)
        if link.type != "supersedes" or finding.state != "active":
            return
        target = self.session.get_one(Finding, link.to_id)
        why = f"superseded by {finding.name}"
        if target.stale != why and (not target.stale or target.stale.startswith("superseded by")):
            text = f"{target.name} is stale: {why}"
            self.write.set(target, "finding.stale", text, stale=why)

    def log(self, lines: Iterable[tuple[str, Any]]) -> None:
        known = set(self.session.scalars(select(Event.hash)))
        inside = func.json_extract(Event.data, "$.event.hash")
        known.update(self.session.scalars(select(inside).where(Event.kind == "imported")))
        events.append_all(self.session, self.write.author, self.foreign(lines, known))

    def foreign(self, lines: Iterable[tuple[str, Any]], known: set[str]) -> Iterator[events.Line]:
        for where, line in lines:
            record = line.get("event") if isinstance(line, dict) else None
            if not isinstance(record, dict) or record.keys() != {*events.PARTS, "hash"}:
                raise BadInput(f"{where} is no event")
            own = {name: record[name] for name in events.PARTS}
            if not isinstance(record["hash"], str) or events.digest(own) != record["hash"]:
                raise BadInput(f"{where} was edited: its hash does not fit its contents")
            if record["hash"] in known:
                self.known["events"] += 1
                continue
            known.add(record["hash"])
            self.added["events"] += 1
            subject = self.subjects.get(str(line.get("about", "")), "")
            text = f"elsewhere, {str(record['at'])[:19]}: {record['text']}"
            yield "imported", subject, text, {"event": record}


def check_hypothesis(hypothesis: Hypothesis) -> None:
    try:
        decode(Metric, hypothesis.metric)
        for guard in hypothesis.guards:
            decode(Metric, guard["metric"])
            if not guard["margin"] >= 0:
                raise ValueError(f"a margin of {guard['margin']}")
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(f"its metric or a guard is none: {error}") from None
    if hypothesis.direction not in (1, -1) or hypothesis.delta < 0 or not 0 < hypothesis.prior < 1:
        raise BadInput("its direction, least effect or belief beforehand makes no sense")
