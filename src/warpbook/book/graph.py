"""All of a book at once, or one campaign: what there is, and how it hangs together.

A query a table, plain rows and no objects, so that a hundred thousand experiments take a few
seconds. What a node has beyond its name, state and text is for the verbs that show it.
Kernels are nodes by what experiments call them: `rung:softmax/online`, or `rung:softmax/mine.py`
for a file of the user's own, and in their problem, `problem:softmax`.
"""

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.orm import Session

from warpbook.book.campaigns import find
from warpbook.book.collection import Name
from warpbook.book.tables import Campaign, Experiment, Finding, Hypothesis, Link, Prediction, Run

if TYPE_CHECKING:
    from warpbook.book.book import Book

Document = dict[str, Any]
PROBLEM, RUNG = "problem:", "rung:"
SIDES = ("baseline", "change")
# What a node is called, the column that is its text, and what else it has.
SHOWN: dict[Any, tuple[str, str, tuple[str, ...]]] = {
    Campaign: ("campaign", "name", ()),
    Hypothesis: ("hypothesis", "claim", ("verdict", "belief", "runs", "estimate", "stale")),
    Experiment: ("experiment", "title", ("runs_valid", "device", "workload")),
    Finding: ("finding", "statement", ("gain", "stale")),
}


def graph(book: "Book", campaign: Name | None = None) -> Document:
    """`{"nodes": [{"id", "kind", ...}], "edges": [{"from", "type", "to"}]}`. Of one campaign, also
    what its findings and experiments point to elsewhere."""
    with book.reading() as session:
        home = None if campaign is None else find(session, campaign).id
        edges = [*links(session, home), *within(session, home), *tests(session, home)]
        rungs = sorted({edge["to"] for edge in edges if edge["type"] in SIDES})
        edges += [edge(rung, "in", problem_of(rung)) for rung in rungs]
        problems = sorted({edge["to"] for edge in edges if edge["type"] == "measures"})
        ran = runs(session, home)
        quotes = quoted(session, home)
        edges += [edge(run["id"], "of", run.pop("experiment")) for run in ran] + quotes
        nodes = nodes_of(session, home) + ran
        nodes += [{"id": p, "kind": "problem", "text": p.removeprefix(PROBLEM)} for p in problems]
        nodes += [{"id": r, "kind": "rung", "text": r.removeprefix(RUNG)} for r in rungs]
        known = {node["id"] for node in nodes}
        outside = {edge["to"] for edge in edges} - known
        nodes += nodes_of(session, home, outside) if outside else []
        known |= {node["id"] for node in nodes}
    return {"nodes": nodes, "edges": [edge for edge in edges if edge["to"] in known]}


def edge(start: str, type_: str, end: str) -> Document:
    return {"from": start, "type": type_, "to": end}


def nodes_of(session: Session, home: int | None, names: set[str] | None = None) -> list[Document]:
    """Of a campaign; or, with `names`, those by name."""
    found: list[Document] = []
    for table, (kind, text, more) in SHOWN.items():
        columns = [getattr(table, name) for name in ("id", "state", text, *more)]
        owner = table.id if table is Campaign else table.campaign_id
        rows: Any = session.execute(
            select(*columns)
            .where(*chosen(owner, table.letter, home, table.id, names))
            .order_by(table.id)
        )
        for number, state, said, *rest in rows:
            node = {"id": f"{table.letter}-{number}", "kind": kind, "state": state, "text": said}
            found.append(node | dict(zip(more, rest, strict=True)))
    return found


def chosen(
    column: Any, letter: str, home: int | None, key: Any, names: set[str] | None
) -> list[ColumnElement[bool]]:
    if names is not None:
        numbers = [name[2:] for name in names if name.startswith(f"{letter}-")]
        return [key.in_([int(number) for number in numbers])]
    return [] if home is None else [column == home]


def within(session: Session, home: int | None) -> list[Document]:
    """What is in which campaign, what measures which problem by which rungs, what repeats what."""
    found: list[Document] = []
    for letter, table in (("H", Hypothesis), ("F", Finding)):
        rows = session.execute(
            select(table.id, table.campaign_id).where(
                *chosen(table.campaign_id, letter, home, table.id, None)
            )
        )
        found += [edge(f"{letter}-{row.id}", "in", f"C-{row.campaign_id}") for row in rows]
    rows = session.execute(
        select(
            Experiment.id,
            Experiment.campaign_id,
            Experiment.repeats_id,
            *arms(),
        ).where(*chosen(Experiment.campaign_id, "E", home, Experiment.id, None))
    )
    for row in rows:
        name = f"E-{row.id}"
        found.append(edge(name, "in", f"C-{row.campaign_id}"))
        if row.repeats_id is not None:
            found.append(edge(name, "repeats", f"E-{row.repeats_id}"))
        if row.problem:
            found.append(edge(name, "measures", PROBLEM + row.problem))
            found += [edge(name, side, rung) for side, rung in rungs_of(row)]
    return found


def arms() -> list[Any]:
    """The columns by which `rungs_of` knows the kernels of an experiment."""
    plan = Experiment.plan
    found = [func.json_extract(plan, "$.problem").label("problem")]
    for side in SIDES:
        text, cuda = (func.json_extract(plan, f"$.{side}.{part}") for part in ("text", "cuda"))
        shipped = func.coalesce(text, cuda).is_(None)
        rung, label = (func.json_extract(plan, f"$.{side}.{part}") for part in ("rung", "label"))
        found.append(case((shipped, rung), else_=label).label(side))
    return found


def rungs_of(row: Any) -> list[tuple[str, str]]:
    """The sides of an experiment with the kernels they are, where it is one of kernels."""
    if not row.problem:
        return []
    named = [(side, getattr(row, side)) for side in SIDES]
    return [(side, f"{RUNG}{row.problem}/{name}") for side, name in named if name]


def problem_of(rung: str) -> str:
    return PROBLEM + rung.removeprefix(RUNG).rpartition("/")[0]


def tests(session: Session, home: int | None) -> list[Document]:
    query = select(Prediction.experiment_id, Prediction.hypothesis_id)
    if home is not None:
        query = query.join(Experiment, Experiment.id == Prediction.experiment_id).where(
            Experiment.campaign_id == home
        )
    return [
        edge(f"E-{row.experiment_id}", "tests", f"H-{row.hypothesis_id}")
        for row in session.execute(query.order_by(Prediction.id))
    ]


def runs(session: Session, home: int | None) -> list[Document]:
    columns = (Run.id, Run.state, Run.purpose, Run.gain, Run.experiment_id, Run.receipt_sha256)
    query = select(*columns).order_by(Run.id)
    if home is not None:
        query = query.join(Experiment, Experiment.id == Run.experiment_id).where(
            Experiment.campaign_id == home
        )
    return [
        {
            "id": f"R-{row.id}",
            "kind": "run",
            "state": row.state,
            "text": row.purpose,
            "gain": row.gain,
            "receipt_sha256": row.receipt_sha256,
            "experiment": f"E-{row.experiment_id}",
        }
        for row in session.execute(query)
    ]


def quoted(session: Session, home: int | None) -> list[Document]:
    """The runs whose effect a finding quotes."""
    query = select(Finding.id, Finding.runs).order_by(Finding.id)
    if home is not None:
        query = query.where(Finding.campaign_id == home)
    rows = session.execute(query)
    return [edge(f"F-{row.id}", "quotes", f"R-{number}") for row in rows for number in row.runs]


def links(session: Session, home: int | None) -> list[Document]:
    query = select(Link.finding_id, Link.type, Link.to_kind, Link.to_id).order_by(Link.id)
    if home is not None:
        query = query.join(Finding, Finding.id == Link.finding_id).where(
            Finding.campaign_id == home
        )
    return [
        edge(f"F-{row.finding_id}", row.type, f"{row.to_kind}-{row.to_id}")
        for row in session.execute(query)
    ]
