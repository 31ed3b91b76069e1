"""Rows of the book as nodes of the graph, a query a kind, and the edges between those at hand."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from warpbook.book.browse.knowledge import Edge, Node
from warpbook.book.browse.lists import cut
from warpbook.book.browse.sieve import STATE
from warpbook.book.graph import arms, rungs_of
from warpbook.book.tables import (
    Campaign,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Prediction,
    Run,
)

Numbers = Sequence[int]


def numbers(ids: Iterable[str], letter: str) -> list[int]:
    """The numbers of those ids that have this letter."""
    return [int(name[2:]) for name in ids if name.startswith(f"{letter}-")]


def read(session: Session, ids: Iterable[str]) -> dict[str, Node]:
    """The nodes that these names have in the book, by name; in the order of their kinds."""
    names = [*ids]
    found = [
        *campaigns(session, numbers(names, "C")),
        *findings(session, numbers(names, "F")),
        *hypotheses(session, numbers(names, "H")),
        *experiments(session, numbers(names, "E")),
    ]
    return {node.id: node for node in found}


def campaigns(session: Session, ids: Numbers) -> list[Node]:
    columns = Campaign.id, Campaign.name, Campaign.state, Campaign.created_at
    rows = session.execute(select(*columns).where(Campaign.id.in_(ids)))
    return [Node(f"C-{id_}", "campaign", name, state, at=at) for id_, name, state, at in rows]


def findings(session: Session, ids: Numbers) -> list[Node]:
    rows = session.execute(
        select(
            *(Finding.id, cut(Finding.statement), STATE[Finding], cut(Finding.stale)),
            *(Finding.created_at, Finding.campaign_id, Finding.tags, Finding.gain, Finding.metric),
            func.json_array_length(Finding.runs),
        ).where(Finding.id.in_(ids))
    )
    return [
        Node(
            *(f"F-{id_}", "finding", text, state, stale, at, home, tuple(map(str, tags))),
            runs=runs or 0,
            gain=gain,
            metric=metric,
        )
        for id_, text, state, stale, at, home, tags, gain, metric, runs in rows
    ]


def hypotheses(session: Session, ids: Numbers) -> list[Node]:
    rows = session.execute(
        select(
            *(Hypothesis.id, cut(Hypothesis.claim), STATE[Hypothesis], cut(Hypothesis.stale)),
            *(Hypothesis.created_at, Hypothesis.campaign_id, Hypothesis.tags, Hypothesis.runs),
            *(Hypothesis.belief, Hypothesis.estimate, Hypothesis.metric),
        ).where(Hypothesis.id.in_(ids))
    )
    return [
        Node(
            *(f"H-{id_}", "hypothesis", text, state, stale, at, home, tuple(map(str, tags))),
            runs=runs,
            belief=belief,
            gain=gain,
            metric=metric,
        )
        for id_, text, state, stale, at, home, tags, runs, belief, gain, metric in rows
    ]


def experiments(session: Session, ids: Numbers) -> list[Node]:
    valid = (Run.state == "valid") & (Run.purpose != "noise")
    made = session.execute(
        select(Run.experiment_id, func.count(), func.avg(case((valid, Run.gain))))
        .where(Run.experiment_id.in_(ids))
        .group_by(Run.experiment_id)
    )
    runs = {id_: (count, gain) for id_, count, gain in made}
    rows = session.execute(
        select(
            *(Experiment.id, cut(Experiment.title), Experiment.state, Experiment.created_at),
            Experiment.campaign_id,
            func.json_extract(Experiment.plan, "$.metrics[0]"),
        ).where(Experiment.id.in_(ids))
    )
    found = []
    for id_, title, state, at, home, metric in rows:
        count, gain = runs.get(id_, (0, None))
        node = Node(f"E-{id_}", "experiment", title, state, "", at, home, runs=count, gain=gain)
        found.append(with_metric(node, metric))
    return found


def with_metric(node: Node, metric: str | None) -> Node:
    return replace(node, metric=json.loads(metric) if metric else None)


def edges(session: Session, shown: Mapping[str, Node]) -> set[Edge]:
    """What ties shown findings, hypotheses and experiments to each other."""
    return {*links(session, shown), *tests(session, shown), *repeats(session, shown)}


def links(session: Session, shown: Mapping[str, Node]) -> list[Edge]:
    rows = session.execute(
        select(Link.finding_id, Link.type, Link.to_kind, Link.to_id).where(
            Link.finding_id.in_(numbers(shown, "F"))
        )
    )
    tied = [Edge(f"F-{from_}", type_, f"{kind}-{to}") for from_, type_, kind, to in rows]
    return [edge for edge in tied if edge.end in shown]


def tests(session: Session, shown: Mapping[str, Node]) -> list[Edge]:
    rows = session.execute(
        select(Prediction.experiment_id, Prediction.hypothesis_id).where(
            Prediction.experiment_id.in_(numbers(shown, "E")),
            Prediction.hypothesis_id.in_(numbers(shown, "H")),
        )
    )
    return [Edge(f"E-{experiment}", "tests", f"H-{claim}") for experiment, claim in rows]


def repeats(session: Session, shown: Mapping[str, Node]) -> list[Edge]:
    ids = numbers(shown, "E")
    rows = session.execute(
        select(Experiment.id, Experiment.repeats_id).where(
            Experiment.id.in_(ids), Experiment.repeats_id.in_(ids)
        )
    )
    return [Edge(f"E-{id_}", "repeats", f"E-{before}") for id_, before in rows]


def kernels(session: Session, ids: Numbers) -> list[Edge]:
    """Which kernels experiments have as baseline and as change."""
    rows = session.execute(select(Experiment.id, *arms()).where(Experiment.id.in_(ids)))
    return [Edge(f"E-{row.id}", side, rung) for row in rows for side, rung in rungs_of(row)]
