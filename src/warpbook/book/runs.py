"""Runs: one execution of an experiment each, with its receipt in the book's folder."""

import builtins
import json
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import select

from warpbook.book import names
from warpbook.book.collection import Collection, Name, check_page
from warpbook.book.folder import RUNS
from warpbook.book.tables import Experiment, Run
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput, NotFound
from warpbook.core.run import RunReceipt

RECEIPT = "receipt.json"
STATES = ("running", "valid", "invalid", "disqualified", "failed", "stopped", "lost")


class Runs(Collection):
    def get(self, name: Name) -> Run:
        with self.reading() as session:
            return names.get(session, Run, name)

    def list(
        self,
        experiment: Name | None = None,
        state: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[Run]:
        """The newest first."""
        check_page(limit, offset)
        if state is not None and state not in STATES:
            raise BadInput(f"no state {state!r}: {', '.join(STATES)}")
        query = select(Run).order_by(Run.id.desc()).limit(limit).offset(offset)
        with self.reading() as session:
            if experiment is not None:
                row = names.get(session, Experiment, experiment)
                query = query.where(Run.experiment_id == row.id)
            if state:
                query = query.where(Run.state == state)
            return [*session.scalars(query)]

    def main_metrics(self, runs: Iterable[Run]) -> dict[int, Metric]:
        """The metric that each run's gain is of, by its experiment."""
        wanted = {run.experiment_id for run in runs}
        query = select(Experiment.id, Experiment.plan).where(Experiment.id.in_(wanted))
        with self.reading() as session:
            found = session.execute(query)
            return {row.id: decode(Metric, row.plan["metrics"][0]) for row in found}

    def folder(self, name: Name) -> Path:
        return self.book.folder / RUNS / self.get(name).name

    def receipt(self, name: Name) -> RunReceipt:
        path = self.folder(name) / RECEIPT
        try:
            return decode(RunReceipt, json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise NotFound(f"{path}: there is no receipt of {path.parent.name}") from None
        except (OSError, ValueError) as error:
            raise BadInput(f"{path}: not a receipt: {error}") from None

    def ask_stop(self, name: Name) -> Run:
        """The worker sees it within a heartbeat, and ends what it started."""
        with self.writing() as write:
            run = names.get(write.session, Run, name)
            if run.state != "running":
                raise BadInput(f"{run.name} is not running: it is {run.state}")
            if not run.stop_asked:
                run.stop_asked = True
                write.event("run.stop_asked", run.name, f"{write.author} asks {run.name} to stop")
            return run


def purpose_of(experiment: Experiment) -> str:
    """What the next run of an experiment is for."""
    if experiment.a_sha256 == experiment.b_sha256:
        return "noise"
    if experiment.confirm_after is not None and experiment.runs_valid >= experiment.confirm_after:
        return "confirm"
    return "evidence"
