"""Times of rungs, read from the documents they are kept in: judgements, comparisons and receipts.

Documents come from files and from other people's books: what does not fit is passed over, never
guessed. Knows nothing of SQL or of ladders.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warpbook.core.cost import Cost
from warpbook.core.roofs import Roofs, floor

FINE = ("correct", "skipped")
# These say nothing of the rung, so that what was known of it before still stands.
SAY_NOTHING = ("skipped", "invalid")
ALL = ""  # the workload of a mark that speaks of all workloads
MOST_SAMPLES = 20_000
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Mark:
    """One time of a rung on a workload, or why it has none. `source` is the measurement or run it
    comes from, empty for a receipt that is shipped. `error` is the largest on any workload, as a
    multiple of the plain reference's own. `own` is a file of somebody's, not a shipped rung.
    `floor_us` is by roof too, where that is known."""

    rung: str
    workload: str
    at: str
    source: str
    kind: str  # judgement, comparison, run
    device: str = ""  # as it calls itself
    platform: str = ""  # cpu, cuda
    status: str = "correct"
    reason: str = ""
    us: float | None = None
    low_us: float | None = None
    high_us: float | None = None
    floor_us: float | None = None
    binds: str = ""
    by_roof_us: Mapping[str, float] = field(default_factory=dict, hash=False)
    cost: Cost | None = None
    limit_us: float | None = None
    error: float | None = None
    budget: float | None = None
    sha256: str = ""
    own: bool = False
    software: str = ""
    notes: tuple[str, ...] = ()

    @property
    def fraction(self) -> float | None:
        """The floor over the time; may pass 1."""
        return self.floor_us / self.us if self.floor_us and self.us else None

    def of(self, workload: str) -> bool:
        return self.workload in (workload, ALL)


def judged(document: Document, at: str, source: str) -> Iterator[Mark]:
    """Of a judgement: a mark for each workload that has a time or a reason to have none."""
    status = word(document.get("status"))
    common = shared(document, at, source, "judgement") | {
        "rung": word(document.get("rung")),
        "sha256": word(document.get("source_sha256")),
    }
    outcomes = documents(document.get("outcomes"))
    common |= dict(zip(("error", "budget"), worst_error(outcomes), strict=True))
    if not common["rung"]:
        return
    if status not in FINE and not any(outcome.get("device") for outcome in outcomes):
        reason = word(document.get("reason"))
        yield Mark(**common, workload=ALL, status=status, reason=reason)
        return
    for outcome in outcomes:
        timing = mapping(outcome.get("device"))
        own_status = word(outcome.get("status"))
        if not timing and own_status == "correct":
            continue
        yield Mark(
            **common,
            workload=word(outcome.get("workload")),
            status=own_status,
            reason=word(outcome.get("reason")),
            us=positive(timing.get("median_us")),
            low_us=positive(timing.get("low_us")),
            high_us=positive(timing.get("high_us")),
            limit_us=positive(mapping(outcome.get("limit")).get("median_us")),
            notes=tuple(word(note) for note in sequence(outcome.get("notes"))),
            **least(outcome),
        )


def compared(document: Document, at: str, source: str, kind: str = "comparison") -> Iterator[Mark]:
    """Of a comparison: both its arms; one, where both are the same."""
    from warpbook.core.statistics import summarise  # and numpy, which judgements do without

    common = shared(document, at, source, kind) | least(document)
    common["workload"] = word(document.get("workload"))
    notes = tuple(word(note) for note in sequence(document.get("notes")))
    seen = set()
    for side in ("a", "b"):
        rung, sha256 = word(document.get(side)), word(document.get(f"{side}_sha256"))
        samples = [positive(sample) for sample in sequence(document.get(f"{side}_us"))]
        known = [sample for sample in samples[:MOST_SAMPLES] if sample]
        if not rung or not known or (rung, sha256) in seen:
            continue
        seen.add((rung, sha256))
        found = summarise(known)
        yield Mark(
            **common,
            rung=rung,
            sha256=sha256,
            us=found.median_us,
            low_us=found.low_us,
            high_us=found.high_us,
            notes=notes,
        )


def shared(document: Document, at: str, source: str, kind: str) -> dict[str, Any]:
    environment = mapping(document.get("environment"))
    platform = word(document.get("device"))
    named = ("torch", "triton", "driver")
    return {
        "at": at,
        "source": source,
        "kind": kind,
        "platform": platform,
        "device": word(environment.get("device")) or platform,
        "software": ", ".join(f"{n} {word(environment[n])}" for n in named if environment.get(n)),
    }


def least(document: Document) -> dict[str, Any]:
    """The floor and what it was worked out from, as far as the document has them."""
    found = mapping(document.get("floor"))
    by_roof = mapping(found.get("by_roof_us")).items()
    return {
        "floor_us": positive(found.get("us")),
        "binds": word(found.get("binds")),
        "by_roof_us": {name: us for name, value in by_roof if (us := positive(value))},
        "cost": cost_from(mapping(document.get("cost"))),
    }


def cost_from(found: Document) -> Cost | None:
    read, written = found.get("bytes_read"), found.get("bytes_written")
    if not isinstance(read, int) or not isinstance(written, int) or read + written <= 0:
        return None
    made = mapping(found.get("operations")).items()
    return Cost(read, written, {unit: count for unit, value in made if (count := positive(value))})


def by_roof(cost: Cost, roofs: Roofs) -> dict[str, float]:
    return dict(floor(cost, roofs).by_roof_us)


def worst_error(outcomes: Sequence[Document]) -> tuple[float | None, float | None]:
    """Of the outcome that comes nearest to its error budget."""
    known = [(positive(one.get("error")), positive(one.get("budget"))) for one in outcomes]
    found = [(error / budget, error, budget) for error, budget in known if error and budget]
    return max(found)[1:] if found else (None, None)


def positive(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def word(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Document:
    return value if isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def documents(value: object) -> list[Document]:
    return [one for one in sequence(value) if isinstance(one, Mapping)]
