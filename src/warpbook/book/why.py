"""From a claim down to the raw samples: finding, hypotheses, experiments, runs, both arms' samples.

A tree of documents. Each node has its `name`, `kind` and `text`, what there is to say of it, and
the nodes it rests on under `below`. Receipts are read and held against what the book recorded, so
that each number here is one that can be opened.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book import documents, findings, names, run_folder
from warpbook.book.audit import receipts
from warpbook.book.folder import RUNS
from warpbook.book.tables import Experiment, Finding, Hypothesis, Link, Prediction, Run
from warpbook.core.codec import decode, encode
from warpbook.core.effect import Metric, show_gain, show_interval
from warpbook.core.errors import BadInput
from warpbook.core.run import MetricSamples, RunReceipt

if TYPE_CHECKING:
    from warpbook.book.book import Book

Node = dict[str, Any]
KINDS = (Finding, Hypothesis, Experiment, Run)


def why(book: "Book", name: str) -> Node:
    with book.reading() as session:
        row = names.get_any(session, name)
        if not isinstance(row, KINDS):
            raise BadInput(f"{name} is no claim: ask about F-7, H-3, E-31 or R-57")
        return Walk(session, book.folder).node(row)


class Walk:
    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self.folder = folder
        self.above: set[str] = set()
        self.quoted: set[int] = set()

    def node(self, row: Any) -> Node:
        """A finding may refer to another that refers to it: it is opened once."""
        if row.name in self.above:
            return {"name": row.name, "kind": names.WORDS[row.letter], "shown_above": True}
        self.above.add(row.name)
        if isinstance(row, Finding):
            return self.finding(row)
        if isinstance(row, Hypothesis):
            return self.hypothesis(row)
        if isinstance(row, Experiment):
            return self.experiment(row, None)
        return self.run(row)

    def finding(self, row: Finding) -> Node:
        self.quoted.update(row.runs)
        made = documents.finding(row)
        links = self.session.scalars(
            select(Link).where(Link.finding_id == row.id).order_by(Link.id)
        ).all()
        targets = [
            (link.type, names.get_any(self.session, f"{link.to_kind}-{link.to_id}"))
            for link in links
        ]
        chosen = ("effect_text", "interval_text", "runs", "environment", "state", "stale", "author")
        return {
            "name": row.name,
            "kind": "finding",
            "text": row.statement,
            **{key: made[key] for key in (*chosen, "gain", "low", "high", "environment_key")},
            "n": len(row.runs),
            "rerun": findings.rerun_line(self.session, row),
            "below": [self.node(target) | {"link": type_} for type_, target in targets],
        }

    def hypothesis(self, row: Hypothesis) -> Node:
        made = documents.hypothesis(row)
        predictions = self.session.scalars(
            select(Prediction).where(Prediction.hypothesis_id == row.id).order_by(Prediction.id)
        ).all()
        chosen = ("because", "verdict", "stale", "least_text", "effect_text", "interval_text")
        numbers = ("runs", "log_support", "log_refute", "estimate", "low", "high", "sigma")
        rest = ("basis", "belief", "environment_key", "state", "author", "guards")
        return {
            "name": row.name,
            "kind": "hypothesis",
            "text": row.claim,
            **{key: made[key] for key in (*chosen, *numbers, *rest)},
            "below": [
                self.experiment(self.session.get_one(Experiment, one.experiment_id), one)
                for one in predictions
            ],
        }

    def experiment(self, row: Experiment, prediction: Prediction | None) -> Node:
        runs = self.session.scalars(
            select(Run).where(Run.experiment_id == row.id).order_by(Run.id)
        ).all()
        return {
            "name": row.name,
            "kind": "experiment",
            "text": row.title,
            "state": row.state,
            "state_reason": row.state_reason,
            "workload": row.workload,
            "device": row.device,
            "baseline": arm(row.plan["baseline"]),
            "change": arm(row.plan["change"]),
            "repeats": f"E-{row.repeats_id}" if row.repeats_id else None,
            "prediction": None if prediction is None else self.prediction(prediction),
            "below": [self.run(run) for run in runs],
        }

    def prediction(self, row: Prediction) -> Node:
        hypothesis = self.session.get_one(Hypothesis, row.hypothesis_id)
        made = documents.prediction(row, decode(Metric, hypothesis.metric))
        chosen = ("name", "author", "low", "high", "interval_text", "locked_at", "outcome", "score")
        return {key: made[key] for key in chosen}

    def run(self, row: Run) -> Node:
        experiment = self.session.get_one(Experiment, row.experiment_id)
        folder = self.folder / RUNS / row.name
        path = folder / run_folder.RECEIPT
        receipt = read(path)
        metric = decode(Metric, experiment.plan["metrics"][0])
        valid = row.state == "valid"
        said = f"{show_gain(row.gain, metric)} in {metric.name}" if row.gain is not None else ""
        wrong = [*receipts.problems(folder, receipts.recorded(row, experiment))] if valid else []
        return {
            "name": row.name,
            "kind": "run",
            "text": said or row.reason or row.state,
            "state": row.state,
            "purpose": row.purpose,
            "quoted": row.id in self.quoted,
            "started_at": row.started_at,
            "ended_at": row.ended_at,
            "environment_key": row.environment_key,
            "environment": dict(receipt.environment) if receipt else None,
            "receipt": {
                "path": str(path) if path.exists() else None,
                "sha256": row.receipt_sha256,
                "problems": wrong,
            },
            "metrics": [samples(one, receipt.order) for one in receipt.metrics] if receipt else [],
            "below": [],
        }


def arm(document: dict[str, Any]) -> Node:
    return {key: document.get(key, "") for key in ("label", "rung", "command", "sha256")}


def samples(one: MetricSamples, order: str) -> Node:
    half = 1.96 * one.error
    return {
        "metric": encode(one.metric),
        "gain": one.gain,
        "error": one.error,
        "effect_text": show_gain(one.gain, one.metric),
        "within_text": show_interval(one.gain - half, one.gain + half, one.metric),
        "order": order,
        "baseline": [*one.baseline],
        "change": [*one.change],
    }


def read(path: Path) -> RunReceipt | None:
    try:
        return receipts.read(path)[0]
    except BadInput:
        return None
