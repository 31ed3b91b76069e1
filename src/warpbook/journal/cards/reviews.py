"""`cards/reviews.jsonl`: what was done with cards, a line each, only ever added to.

A line that cannot be used is told of with its number and stays where it is. Knows nothing of
schedules.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from warpbook.core.errors import BadInput
from warpbook.journal.entry import Problem

FILE = "cards/reviews.jsonl"
ACTS = ("review", "flag", "unflag", "suspend", "unsuspend", "undo")
RATINGS = (1, 2, 3, 4)
LINE = re.compile(rb"[^\n]*\n|[^\n]+")
YEARS = range(1970, 2200)  # a card may be due a hundred years on, and still have a date


@dataclass(frozen=True)
class Act:
    """`of` is the act that an undo takes back."""

    id: str
    card: str
    at: datetime  # UTC, to the millisecond
    act: str
    rating: int = 0
    seconds: float = 0.0
    of: str = ""


@dataclass(frozen=True)
class Lines:
    """What was read: the acts, what could not be used, and how many lines and bytes it was. A last
    line that is torn is not among them, for it may be under way."""

    acts: list[Act]
    problems: list[Problem]
    count: int
    size: int


def new(card: str, act: str, at: datetime, **more: Any) -> Act:
    return Act(secrets.token_hex(6), card, moment(at), act, **more)


def moment(at: datetime) -> datetime:
    """As it is written, so that what follows from it is the same when it is read again."""
    at = at.astimezone(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def append(path: Path, act: Act) -> None:
    from warpbook.journal.texts.textfile import append_line

    append_line(path, written(act))


def written(act: Act) -> str:
    line: dict[str, Any] = {
        "id": act.id,
        "card": act.card,
        "at": act.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "act": act.act,
    }
    if act.act == "review":
        line |= {"rating": act.rating, "seconds": round(act.seconds, 1)}
    if act.of:
        line["of"] = act.of
    return json.dumps(line, ensure_ascii=False)


def read(data: bytes, first_line: int = 1) -> Lines:
    acts: list[Act] = []
    problems: list[Problem] = []
    count = size = 0
    for raw in LINE.findall(data):
        torn = not raw.endswith(b"\n")
        try:
            act = parsed(raw)
        except BadInput as error:
            problems.append(Problem(FILE, first_line + count, str(error)))
            if torn:
                break
        else:
            if act:
                acts.append(act)
        count += not torn
        size += len(raw)
    return Lines(acts, problems, count, size)


def parsed(raw: bytes) -> Act | None:
    """None for an empty line."""
    if not raw.strip():
        return None
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadInput("no line of JSON; it is left out and stays as it is") from None
    if not isinstance(line, dict):
        raise BadInput("no object with id, card, at and act; it is left out and stays as it is")
    wrong = wrong_in(line)
    if wrong:
        raise BadInput(f"{wrong}; it is left out and stays as it is")
    at = datetime.fromisoformat(line["at"])
    seconds = line.get("seconds")
    return Act(
        line["id"],
        line["card"],
        at.astimezone(UTC),
        line["act"],
        int(line["rating"]) if line["act"] == "review" else 0,
        float(seconds) if isinstance(seconds, int | float) else 0.0,
        line["of"] if line["act"] == "undo" else "",
    )


def wrong_in(line: dict[str, Any]) -> str:
    for name in ("id", "card", "at", "act"):
        if not is_plain(line.get(name)):
            return f"{name!r} is missing, or no plain text"
    if line["act"] not in ACTS:
        return f"{line['act'][:40]!r} is none of {', '.join(ACTS)}"
    if line["act"] == "review" and line.get("rating") not in RATINGS:
        return "the rating of a review is 1, 2, 3 or 4"
    if line["act"] == "undo" and not is_plain(line.get("of")):
        return "'of' is missing: the act that is undone"
    try:
        at = datetime.fromisoformat(line["at"])
    except ValueError:
        return f"{line['at'][:40]!r} is no time"
    if at.tzinfo is None or at.year not in YEARS:
        return f"{line['at'][:40]!r} is no time with its zone, between 1970 and 2199"
    return ""


def is_plain(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isascii() and value.isprintable()


def kept(acts: Iterable[Act]) -> Iterator[Act]:
    """Those that were not undone, in their order, each once."""
    acts = list(acts)
    seen = {act.of for act in acts if act.act == "undo"}
    for act in acts:
        if act.act != "undo" and act.id not in seen:
            seen.add(act.id)
            yield act
