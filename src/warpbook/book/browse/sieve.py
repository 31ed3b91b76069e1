"""Which hypotheses, experiments and findings a filter lets through: by tag, time and status.

An experiment has the tags of its hypotheses. A status of hypotheses keeps the experiments and
findings that speak of one, and a state of experiments the other way round.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, String, case, cast, exists, func, or_, select

from warpbook.book.tables import (
    Belief,
    Event,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Prediction,
    Run,
)
from warpbook.core.errors import BadInput

CLAIM_STATES = ("open", "supported", "refuted", "stale", "withdrawn")
PLAN_STATES = (
    *("draft", "held", "queued", "running", "done"),
    *("disqualified", "failed", "moot", "cancelled"),
)
DAYS = (1, 7, 30)
Conditions = list[ColumnElement[bool]]

# What a row's state is called on screen.
STATE: dict[Any, Any] = {
    Hypothesis: case((Hypothesis.state == "withdrawn", "withdrawn"), else_=Hypothesis.verdict),
    Experiment: Experiment.state,
    Finding: case(
        (Finding.state == "withdrawn", "withdrawn"),
        (Finding.stale != "", "stale"),
        else_=Finding.state,
    ),
}


@dataclass(frozen=True)
class Sieve:
    """`since` is a time in ISO 8601; empty is no filter, as everywhere here."""

    tag: str = ""
    status: str = ""
    since: str = ""

    def conditions(self, table: Any) -> Conditions:
        return [*self._tag(table), *self._status(table), *self._since(table)]

    def _tag(self, table: Any) -> Conditions:
        if not self.tag:
            return []
        if table is Experiment:
            return [tests(tagged(Hypothesis, self.tag))]
        return [tagged(table, self.tag)]

    def _status(self, table: Any) -> Conditions:
        if not self.status:
            return []
        if self.status in PLAN_STATES:
            return [with_plan(table, self.status)]
        if table is Finding and self.status in ("stale", "withdrawn"):
            return [STATE[Finding] == self.status]
        return [with_claim(table, claim_is(self.status))]

    def _since(self, table: Any) -> Conditions:
        if not self.since:
            return []
        changed = [table.created_at >= self.since]
        if table is Experiment:
            ran = Run.experiment_id == Experiment.id, Run.started_at >= self.since
            changed += [Experiment.queued_at >= self.since, exists().where(*ran)]
            return [or_(*changed)]
        subject = f"{table.letter}-" + cast(table.id, String)
        told = Event.subject == subject, Event.at >= self.since
        changed.append(exists().where(*told))
        if table is Hypothesis:
            moved = Belief.hypothesis_id == Hypothesis.id, Belief.at >= self.since
            changed.append(exists().where(*moved))
        return [or_(*changed)]


def sieve(tag: str, status: str, days: str, now: datetime) -> Sieve:
    """As an address has them."""
    if status and status not in (*CLAIM_STATES, *PLAN_STATES):
        raise BadInput(
            f"no status {status!r}: {', '.join((*CLAIM_STATES, *PLAN_STATES))}, or nothing for all"
        )
    if days and days not in map(str, DAYS):
        raise BadInput(f"no time {days!r}: {', '.join(map(str, DAYS))} days, or nothing for all")
    since = (now - timedelta(days=int(days))).isoformat() if days else ""
    return Sieve(tag, status, since)


def tagged(table: Any, tag: str) -> ColumnElement[bool]:
    each = func.json_each(table.tags).table_valued("value", name="each_tag")
    return exists(select(1).select_from(each).where(each.c.value == tag))


def claim_is(status: str) -> ColumnElement[bool]:
    if status == "stale":
        return Hypothesis.stale != ""
    found: ColumnElement[bool] = STATE[Hypothesis] == status
    return found


def with_claim(table: Any, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """On hypotheses themselves; else on one that a row tests or is tied to."""
    if table is Hypothesis:
        return condition
    if table is Experiment:
        return tests(condition)
    return exists(
        select(1)
        .select_from(Link)
        .join(Hypothesis, (Link.to_kind == "H") & (Link.to_id == Hypothesis.id))
        .where(Link.finding_id == Finding.id, condition)
    )


def with_plan(table: Any, state: str) -> ColumnElement[bool]:
    """On experiments themselves; else on one that tests a row or that it is tied to. The state may
    not use its index, or SQLite goes through all experiments in it for every row."""
    is_in = func.coalesce(Experiment.state, "") == state
    if table is Experiment:
        return is_in
    if table is Hypothesis:
        join = select(1).select_from(Prediction).join(Experiment)
        return exists(join.where(Prediction.hypothesis_id == Hypothesis.id, is_in))
    return exists(
        select(1)
        .select_from(Link)
        .join(Experiment, (Link.to_kind == "E") & (Link.to_id == Experiment.id))
        .where(Link.finding_id == Finding.id, is_in)
    )


def tests(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    join = select(1).select_from(Prediction).join(Hypothesis)
    return exists(join.where(Prediction.experiment_id == Experiment.id, condition))
