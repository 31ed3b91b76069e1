"""Which experiments a listing shows, in which order: one query for a page of ids, one to count.

Each order has an index that holds all it needs, and so have the filters: the rows themselves, with
their plans, are read only for the page that is shown.
"""

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from warpbook.book.campaigns import find
from warpbook.book.experiments import STATES
from warpbook.book.match import match
from warpbook.core.errors import BadInput

GROUPS = {
    "current": ("running",),
    "future": ("queued", "held", "draft"),
    "past": ("done", "disqualified", "failed", "moot", "cancelled"),
}
WAITING = "('running', 'queued', 'held', 'draft')"
LISTING = "experiments e INDEXED BY experiments_listing"
TITLES = "experiments e INDEXED BY experiments_title"
QUEUE = "experiments e INDEXED BY experiments_queue"
# The mean of the valid runs since the last disqualified one.
EFFECTS = """(SELECT experiment_id AS id, avg(gain) AS gain FROM runs r INDEXED BY runs_experiment
  WHERE state = 'valid' AND NOT EXISTS (SELECT 1 FROM (SELECT experiment_id, max(id) AS last
  FROM runs WHERE state = 'disqualified' GROUP BY experiment_id) d
  WHERE d.experiment_id = r.experiment_id AND d.last > r.id) GROUP BY experiment_id
  UNION ALL SELECT e.id, NULL FROM experiments e INDEXED BY experiments_listing
  WHERE e.runs_valid = 0) e"""
STATE_ORDER = "CASE e.state " + " ".join(
    f"WHEN '{state}' THEN {place}"
    for place, state in enumerate(state for group in GROUPS.values() for state in group)
)
# What is gone through for an order, and its key; what has no value comes last, whichever way.
SORTS = {
    "id": (LISTING, "e.id"),
    "title": (TITLES, "e.title"),
    "state": (LISTING, f"{STATE_ORDER} END"),
    "effect": (EFFECTS, "e.gain"),
    "cost": (LISTING, "e.cost_s"),
    "worth": (QUEUE, f"CASE WHEN e.state IN {WAITING} THEN e.score END"),
    "created": (LISTING, "e.created_at"),
    "runs": (LISTING, "e.runs_valid"),
}
NAME = re.compile(r"([EHR])-?([0-9]{1,15})", re.IGNORECASE)
NAMED = {
    "E": "SELECT :number",
    "H": "SELECT experiment_id FROM predictions WHERE hypothesis_id = :number",
    "R": "SELECT experiment_id FROM runs WHERE id = :number",
}
MATCH = "experiment_text MATCH :words"
FOUND = f"e.id IN (SELECT rowid FROM experiment_text WHERE {MATCH})"
TAGGED = """SELECT p.experiment_id FROM hypotheses h INDEXED BY hypotheses_tags, json_each(h.tags) t
  JOIN predictions p ON p.hypothesis_id = h.id WHERE h.tags != '[]' AND t.value = :tag"""


@dataclass(frozen=True)
class Wanted:
    """`state` is a state, or a group of them: past, current, future. `sort` is one of SORTS, with a
    dash before it for the largest first. A `search` of an id, such as H-3, finds what it names."""

    state: str = ""
    campaign: str = ""
    author: str = ""
    tag: str = ""
    device: str = ""
    kind: str = ""
    search: str = ""
    sort: str = "-id"
    page: int = 1

    @property
    def filtered(self) -> bool:
        return any(
            (self.state, self.campaign, self.author, self.tag, self.device, self.kind, self.search)
        )


def page_of_ids(
    session: Session, wanted: Wanted, rows: int, offset: int | None = None
) -> list[int]:
    """So many rows of the page that is wanted; with `offset`, from there on, whatever the page."""
    source, key = order(wanted.sort)
    down = " DESC" if wanted.sort.startswith("-") else ""
    where, values = conditions(session, wanted, direct=source == LISTING)
    by = f"{key} IS NULL, {key}{down}, e.id DESC"
    if key == "e.id" and where in ("1", FOUND):
        source, where, by = short_cut(where, down)
    query = f"SELECT e.id FROM {source} WHERE {where} ORDER BY {by} LIMIT :rows OFFSET :offset"
    skipped = (max(wanted.page, 1) - 1) * rows if offset is None else offset
    values |= {"rows": rows, "offset": skipped}
    return [*dict.fromkeys(session.scalars(text(query), values))]


def short_cut(where: str, down: str) -> tuple[str, str, str]:
    """All, or all that have some words, by id: in the order that the tables have themselves."""
    if where == "1":
        return "experiments e NOT INDEXED", "1", f"e.id{down}"
    found = f"(SELECT rowid AS id FROM experiment_text WHERE {MATCH} ORDER BY rowid{down}) e"
    return found, "1", f"e.id{down}"


def count(session: Session, wanted: Wanted) -> int:
    where, values = conditions(session, wanted, direct=True)
    if where == FOUND:
        query = f"SELECT count(*) FROM experiment_text WHERE {MATCH}"
    else:
        query = f"SELECT count(*) FROM {LISTING} WHERE {where}"
    return session.scalar(text(query), values) or 0


def order(sort: str) -> tuple[str, str]:
    found = SORTS.get(sort.removeprefix("-"))
    if found is None:
        raise BadInput(f"no order {sort[:80]!r}: {', '.join(SORTS)}, or with a dash before it")
    return found


def conditions(session: Session, wanted: Wanted, direct: bool) -> tuple[str, dict[str, Any]]:
    """SQL and its values. `direct`: the listing's index is the one that is gone through."""
    parts, values = columns(session, wanted)
    if parts and not direct:
        inner = f"SELECT e.id FROM {LISTING} WHERE {' AND '.join(parts)}"
        parts = [f"e.id IN ({inner})"]
    if wanted.tag:
        parts.append(f"e.id IN ({TAGGED})")
        values["tag"] = wanted.tag
    if named := NAME.fullmatch(wanted.search.strip()):
        parts.append(f"e.id IN ({NAMED[named[1].upper()]})")
        values["number"] = int(named[2])
    elif wanted.search.strip():
        words = match(wanted.search)
        parts.append(FOUND if words else "0")
        values |= {"words": words} if words else {}
    return " AND ".join(parts) or "1", values


def columns(session: Session, wanted: Wanted) -> tuple[list[str], dict[str, Any]]:
    parts: list[str] = []
    values: dict[str, Any] = {}
    if wanted.campaign:
        parts.append("e.campaign_id = :campaign")
        values["campaign"] = find(session, wanted.campaign).id
    if wanted.state:
        states = GROUPS.get(wanted.state, (wanted.state,))
        if not set(states) <= set(STATES):
            known = ", ".join([*GROUPS, *STATES])
            raise BadInput(f"no state {wanted.state[:80]!r}: {known}")
        parts.append(f"e.state IN ({', '.join(repr(state) for state in states)})")
    for name in ("author", "device", "kind"):
        if asked := getattr(wanted, name):
            parts.append(f"e.{name} = :{name}")
            values[name] = asked
    return parts, values
