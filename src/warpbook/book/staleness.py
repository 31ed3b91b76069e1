"""Stale: a flag beside a verdict or a finding that says how the ground under it has changed."""

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.decisions import Flip
from warpbook.book.statistics.verdict import LEAST_RUNS, Verdict
from warpbook.book.store import Write
from warpbook.book.tables import Finding, Hypothesis, Link, Prediction


def after(
    write: Write,
    hypotheses: Sequence[Hypothesis],
    keys_before: Mapping[int, str | None],
    flips: Sequence[Flip],
    cause: str,
) -> None:
    """Flag what rested on another environment, and findings on verdicts that no longer stand."""
    afresh = set()
    for hypothesis in hypotheses:
        old, new = keys_before[hypothesis.id], hypothesis.environment_key
        if old is None or new is None or old == new:
            continue
        afresh.add(hypothesis.id)
        why = f"{cause}, with other arms or in another environment than the runs before"
        if hypothesis.runs < LEAST_RUNS:
            hypothesis.stale = why
        found = findings_on(write.session, hypothesis.id, new)
        flag(write, found, f"{hypothesis.name} starts afresh: {why}")
    for flip in flips:
        if flip.before == Verdict.OPEN or flip.hypothesis_id in afresh:
            continue
        why = f"H-{flip.hypothesis_id} was {flip.before} and is {flip.after}: {cause}"
        flag(write, findings_on(write.session, flip.hypothesis_id), why)


def findings_on(session: Session, hypothesis: int, but_key: str | None = None) -> list[Finding]:
    """The findings that speak of a hypothesis or of an experiment for it; without those that rest
    on the environment `but_key`."""
    experiments = select(Prediction.experiment_id).where(Prediction.hypothesis_id == hypothesis)
    linked = select(Link.finding_id).where(
        ((Link.to_kind == "H") & (Link.to_id == hypothesis))
        | ((Link.to_kind == "E") & Link.to_id.in_(experiments))
    )
    findings = session.scalars(
        select(Finding).where(Finding.id.in_(linked), Finding.state == "active")
    )
    return [f for f in findings if but_key is None or f.environment_key != but_key]


def flag(write: Write, findings: Sequence[Finding], why: str) -> None:
    for finding in findings:
        if finding.stale == why:
            continue
        write.set(finding, "finding.stale", f"{finding.name} is stale: {why}", stale=why)
