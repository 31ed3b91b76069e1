"""Families: what belongs together and is folded into one group when there is no room for all of it.

`experiments of H-3, done` is one. A family is counted and paged in SQL; nothing here knows what of
it a view shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, column, func, select, table, text
from sqlalchemy.orm import Session

from warpbook.book.browse.knowledge import Node
from warpbook.book.browse.sieve import STATE, Sieve
from warpbook.book.graph import PROBLEM, RUNG, arms, rungs_of
from warpbook.book.tables import Campaign, Experiment, Finding, Hypothesis, Link, Prediction
from warpbook.core.errors import BadInput

GROUP = "group"
TABLES: dict[str, Any] = {"finding": Finding, "hypothesis": Hypothesis, "experiment": Experiment}
NOUNS = {
    "finding": ("finding", "findings"),
    "hypothesis": ("hypothesis", "hypotheses"),
    "experiment": ("experiment", "experiments"),
    "rung": ("kernel", "kernels"),
}
# Of experiments on a problem or with a kernel, the newest so many are looked at.
LOOKED_AT = 2000


@dataclass(frozen=True, order=True)
class Family:
    """Of a campaign or a hypothesis by state; of a kernel by the side it is on; findings tied to
    something by the type of the link."""

    kind: str
    of: str
    state: str = ""

    @property
    def id(self) -> str:
        return f"{GROUP}:{self.kind}:{self.state}:{self.of}"


def family_of(id_: str) -> Family:
    parts = id_.split(":", 3)
    if len(parts) != 4 or parts[0] != GROUP or parts[1] not in NOUNS:
        raise BadInput(f"{id_[:80]!r} is no group of the graph")
    return Family(parts[1], parts[3], parts[2])


def group(family: Family, count: int, of: str, partial: bool = False, least: bool = False) -> Node:
    """The node of a family, of which `count` are not shown themselves; `of` is what people call
    what it belongs to. `partial`: others are shown. `least`: there may be still more."""
    number = f"{'at least ' * least}{count:,}{' more' * partial}"
    said_ = f"{number} {said(family, of, count)}"
    return Node(family.id, GROUP, said_, family.state, count=count, holds=family.kind)


def said(family: Family, of: str, count: int = 2) -> str:
    """`experiments of H-3, done`."""
    noun = NOUNS[family.kind][count != 1]
    if family.kind == "experiment" and family.of.startswith(RUNG):
        return f"{noun} with {of} as {family.state}"
    if family.kind == "finding" and not family.of.startswith("C-"):
        verb = family.state.removesuffix("s") if count != 1 else family.state
        return f"{noun} that {verb} {of}"
    on = "on" if family.of.startswith(PROBLEM) and family.kind == "experiment" else "of"
    return f"{noun} {on} {of}" + (f", {family.state}" if family.state else "")


def query_of(family: Family, sieve: Sieve) -> Select[tuple[int]]:
    """The ids of its members that a sieve lets through; not for kernels and what has them."""
    kept = TABLES[family.kind]
    letter, _, digits = family.of.partition("-")
    if letter not in tuple("CHEF") or not (digits.isdecimal() and len(digits) < 16):
        raise BadInput(f"{family.id[:80]!r} is no group of the graph")
    number = int(digits)
    found: Select[tuple[int]] = select(kept.id).where(*sieve.conditions(kept))
    if letter == "C":
        found = found.where(kept.campaign_id == number)
        return found.where(STATE[kept] == family.state) if family.state else found
    if kept is Finding:
        tied = Link.finding_id == Finding.id, Link.to_kind == letter, Link.to_id == number
        return found.join(Link, Link.finding_id == Finding.id).where(
            *tied, Link.type == family.state
        )
    tests = found.join(Prediction, Prediction.experiment_id == Experiment.id)
    tests = tests.where(Prediction.hypothesis_id == number)
    return tests.where(Experiment.state == family.state) if family.state else tests


def members(
    session: Session, family: Family, sieve: Sieve, limit: int, offset: int
) -> tuple[list[int], int]:
    """One page of a family, the newest first, and how many there are in all."""
    if family.of.startswith((RUNG, PROBLEM)):
        found = [row.id for row in with_kernel(session, family.of, sieve) if in_(family, row)]
        return found[offset : offset + limit], len(found)
    query = query_of(family, sieve)
    total = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    newest = query.order_by(TABLES[family.kind].id.desc()).limit(limit).offset(offset)
    return [*session.scalars(newest)], total


def in_(family: Family, row: Any) -> bool:
    if family.of.startswith(PROBLEM):
        return bool(row.state == family.state)
    return (family.state, family.of) in rungs_of(row)


def with_kernel(session: Session, name: str, sieve: Sieve) -> Sequence[Any]:
    """The newest experiments on a problem or with a kernel, by the search index, each with its id,
    state and arms. A word of the index may stand for something else, so the plans are read."""
    plain = name.removeprefix(PROBLEM).removeprefix(RUNG).replace('"', " ")
    problem, _, rung = plain.rpartition("/") if name.startswith(RUNG) else (plain, "", "")
    words = [word for word in (problem, rung) if any(map(str.isalnum, word))]
    index = table("experiment_text")
    match = text("experiment_text MATCH :words").bindparams(
        words="arms : " + " AND arms : ".join(f'"{word}"' for word in words)
    )
    if not words:
        return []
    newest: Select[tuple[int]] = select(column("rowid")).select_from(index).where(match)
    newest = newest.order_by(text("rowid DESC")).limit(LOOKED_AT)
    rows = session.execute(
        select(Experiment.id, Experiment.state, *arms())
        .where(Experiment.id.in_(newest), *sieve.conditions(Experiment))
        .order_by(Experiment.id.desc())
    ).all()
    return [row for row in rows if is_of(row, name)]


def is_of(row: Any, name: str) -> bool:
    if name.startswith(PROBLEM):
        return bool(row.problem == name.removeprefix(PROBLEM))
    return name in [rung for _, rung in rungs_of(row)]


def counts(session: Session, kind: str, campaign: int, sieve: Sieve) -> dict[str, int]:
    """How many of a campaign are in which state."""
    kept = TABLES[kind]
    state = STATE[kept]
    rows = session.execute(
        select(state, func.count())
        .where(kept.campaign_id == campaign, *sieve.conditions(kept))
        .group_by(state)
    )
    return {str(name): number for name, number in rows}


def counts_by_claim(
    session: Session, claims: Sequence[int], sieve: Sieve
) -> dict[tuple[int, str], int]:
    """How many experiments of each hypothesis are in which state."""
    rows = session.execute(
        select(Prediction.hypothesis_id, Experiment.state, func.count())
        .join(Experiment, Experiment.id == Prediction.experiment_id)
        .where(Prediction.hypothesis_id.in_(claims), *sieve.conditions(Experiment))
        .group_by(Prediction.hypothesis_id, Experiment.state)
    )
    return {(claim, state): number for claim, state, number in rows}


def name_of(session: Session, of: str) -> str:
    """What people call what a family belongs to."""
    if of.startswith("C-") and of[2:].isdecimal():
        campaign = session.get(Campaign, int(of[2:])) if len(of) < 18 else None
        return campaign.name if campaign else of
    return of.removeprefix(PROBLEM).removeprefix(RUNG)
