"""Ladders as their pages show them: a problem's rungs with the latest time of each, on one device
and workload, and what came before.

Numbers of this book and those that are shipped are never mixed: a place is one or the other. Of a
problem that is not shipped nothing is opened, whatever path the book has for it.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath

from sqlalchemy.orm import Session

from warpbook.book.book import Book
from warpbook.book.browse import measured
from warpbook.book.browse.marks import Mark, by_roof, judged
from warpbook.book.browse.measured import Spot
from warpbook.book.browse.rungs import Step, shelf, steps_of
from warpbook.book.keys import here
from warpbook.core.codec import encode
from warpbook.core.cost import Cost
from warpbook.core.errors import NotFound
from warpbook.kernels.costs import costs_of
from warpbook.kernels.library import BUILT_IN, problem_names
from warpbook.kernels.rung import hash_of
from warpbook.kernels.shipped import Shipped, shipped

SHIPPED = "shipped:"
A_FEW_RUNS = 10


@dataclass(frozen=True)
class Place:
    """A device with numbers: one of this book's, or one whose receipts are shipped. `key` is what
    an address calls it."""

    key: str
    name: str
    platform: str = ""
    is_here: bool = False
    is_shipped: bool = False


@dataclass(frozen=True)
class Ladder:
    """One problem at one place and workload. `roofs` are rates by roof: bytes a second of `memory`,
    operations a second of units; `others` are rates of units the workload has no use for. `marks`
    are all that went into it, the newest first."""

    problem: str
    label: str
    is_shipped: bool
    places: tuple[Place, ...]
    place: Place | None
    workloads: tuple[str, ...]
    workload: str
    steps: tuple[Step, ...]
    left_out: int
    marks: tuple[Mark, ...]
    cost: Cost | None
    roofs: dict[str, float]
    others: dict[str, float]

    @property
    def floor(self) -> Mark | None:
        """The newest mark that has a floor, and not one of a unit that the problem does not count
        on."""
        units = ("", "memory", "launch", *(self.cost.operations if self.cost else ()))
        return next((mark for mark in self.marks if mark.floor_us and mark.binds in units), None)

    @property
    def timed(self) -> list[Step]:
        return [step for step in self.steps if step.us]

    @property
    def best(self) -> Step | None:
        """The fastest, other people's work included."""
        return min(self.timed, key=lambda step: step.us or 0.0, default=None)

    def step(self, name: str) -> Step:
        found = next((step for step in self.steps if step.name == name), None)
        if found is None:
            known = ", ".join(step.name for step in self.steps)
            raise NotFound(f"{self.label} has no rung {name!r}; there are: {known or 'none'}")
        return found


@dataclass(frozen=True)
class Entry:
    """A problem in the list, with its ladder at a place of this book, and where receipts are
    shipped."""

    problem: str
    label: str
    address: str
    rungs: int
    languages: tuple[str, ...]
    mine: Ladder | None
    shipped: Ladder | None


def entries(book: Book) -> list[Entry]:
    """Shipped problems, then those that this book names."""
    with book.reading() as session:
        named = measured.problems(session)
        known = measured.spots(session)
        every = [*problem_names(), *(name for name in named if name not in problem_names())]
        return [entry(book, session, problem, known) for problem in every]


def entry(book: Book, session: Session, problem: str, known: Sequence[Spot]) -> Entry:
    spots = [spot for spot in known if spot.problem == problem]
    taken = Gathered(book, session, problem, spots, A_FEW_RUNS)
    places = taken.places()
    mine = next((place for place in places if not place.is_shipped), None)
    theirs = next((place for place in places if place.is_shipped), None)
    _, rungs = shelf(problem)
    return Entry(
        problem=problem,
        label=label_of(problem),
        address=address(problem),
        rungs=len(rungs),
        languages=tuple(dict.fromkeys(rung.language for rung in rungs)),
        mine=taken.ladder(places, mine, "") if mine else None,
        shipped=taken.ladder(places, theirs, "") if theirs else None,
    )


def ladder(book: Book, name: str, device: str = "", workload: str = "") -> Ladder:
    """By the address's name of a problem; NotFound for a problem, device or workload that the book
    and the library do not know."""
    with book.reading() as session:
        problem = find(session, name)
        spots = [spot for spot in measured.spots(session) if spot.problem == problem]
        taken = Gathered(book, session, problem, spots)
        places = taken.places()
        place = next((one for one in places if one.key == device), None)
        if device and place is None:
            known = ", ".join(one.key for one in places) or "none yet"
            raise NotFound(
                f"nothing of {label_of(problem)} was measured on {device!r}; on: {known}"
            )
        return taken.ladder(places, place or next(iter(places), None), workload)


def history(book: Book, shown: Ladder, step: Step) -> list[Mark]:
    """All times of a rung at the ladder's place and workload, the newest first."""
    place, workload = shown.place, shown.workload
    if place is None or step.mark is None:
        return []
    rung, own = step.mark.rung, step.mark.own
    if place.is_shipped:
        return [mark for mark in shown.marks if mark.rung == rung and mark.us]
    with book.reading() as session:
        found = measured.measurements(session, shown.problem, rung)
        spot = measured.spot(place.name, shown.problem, workload)
        found += measured.arms(book, session, [spot], rung)
    mine = [m for m in found if (m.rung, m.device, m.workload) == (rung, place.name, workload)]
    return newest(mark for mark in mine if mark.us and mark.own == own)


def address(problem: str) -> str:
    """Of its page: a shipped problem by name, any other by the end of its path and a hash."""
    return f"/kernels/{slug(problem)}"


def slug(problem: str) -> str:
    if problem in problem_names():
        return problem
    kept = "".join(
        c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in label_of(problem)
    )
    return f"{kept[:40]}~{hashlib.sha256(problem.encode()).hexdigest()[:10]}"


def label_of(problem: str) -> str:
    return PurePath(problem).name or problem


def find(session: Session, name: str) -> str:
    known = [*problem_names(), *measured.problems(session)]
    found = next((problem for problem in known if name in (problem, slug(problem))), None)
    if found is None:
        raise NotFound(f"no problem {name!r} in the library or in this book")
    return found


class Gathered:
    """All marks of a problem, to be shown at one place and workload."""

    def __init__(
        self,
        book: Book,
        session: Session,
        problem: str,
        spots: Sequence[Spot],
        runs: int = measured.MOST_RUNS,
    ) -> None:
        self.book, self.session, self.problem = book, session, problem
        self.spots, self.runs = spots, runs
        self.marks = measured.measurements(session, problem)
        self.shipped = {SHIPPED + one.name: one for one in shipped(problem)}

    def places(self) -> list[Place]:
        """This machine's own, others of the book, and then what is shipped."""
        mine = {
            found["device"]: platform for platform in ("cuda", "cpu") if (found := here(platform))
        }
        seen = {mark.device: mark.platform for mark in reversed(self.marks)}
        names = dict.fromkeys([*seen, *(spot.device for spot in self.spots)])
        book = [
            Place(name, name, seen.get(name) or mine.get(name, ""), is_here=name in mine)
            for name in names
        ]
        book.sort(key=lambda place: (not place.is_here, place.platform != "cuda", place.name))
        return book + [
            Place(key, one.device, one.judgements[0].device, is_shipped=True)
            for key, one in self.shipped.items()
        ]

    def ladder(self, places: Sequence[Place], place: Place | None, workload: str) -> Ladder:
        receipts = self.shipped.get(place.key) if place else None
        marks = self._measured_at(place, receipts)
        spots = [s for s in self.spots if place and not receipts and s.device == place.name]
        workloads = self._workloads(place, marks, spots)
        if workload and workload not in workloads:
            known = ", ".join(workloads) or "none"
            raise NotFound(f"{label_of(self.problem)} has no workload {workload!r} here: {known}")
        chosen = workload or usual(workloads, marks, spots)
        spots = [spot for spot in spots if spot.workload == chosen]
        if spots:
            marks += measured.arms(self.book, self.session, spots, limit=self.runs)
        marks = newest(mark for mark in marks if mark.of(chosen))
        cost = next((m.cost for m in marks if m.cost), None) or self._kept_cost(chosen, receipts)
        steps, left_out = steps_of(self.problem, marks)
        roofs, others = roofs_of(marks, cost, receipts)
        return Ladder(
            problem=self.problem,
            label=label_of(self.problem),
            is_shipped=self.problem in problem_names(),
            places=tuple(places),
            place=place,
            workloads=tuple(workloads),
            workload=chosen,
            steps=steps,
            left_out=left_out,
            marks=tuple(marks),
            cost=cost,
            roofs=roofs,
            others=others,
        )

    def _measured_at(self, place: Place | None, receipts: Shipped | None) -> list[Mark]:
        if place is None:
            return []
        if receipts:
            return [*shipped_marks(receipts.problem, receipts.name, receipts.created)]
        return [mark for mark in self.marks if mark.device == place.name]

    def _workloads(
        self, place: Place | None, marks: Sequence[Mark], spots: Sequence[Spot]
    ) -> list[str]:
        """Those that are timed there, in the problem's order, and any other that has a time."""
        platform = place.platform if place else ""
        usual_ones = [
            name
            for name, timed in costs_of(self.problem).items()
            if not platform or platform in timed.timed_on
        ]
        seen = [mark.workload for mark in marks if mark.us] + [spot.workload for spot in spots]
        return [*dict.fromkeys([*usual_ones, *seen])]

    def _kept_cost(self, workload: str, receipts: Shipped | None) -> Cost | None:
        """Of a shipped problem, as it is today: not for a receipt of another version of it."""
        known = costs_of(self.problem).get(workload)
        if known is None:
            return None
        if receipts and receipts.problem_sha256 != hash_of(
            [BUILT_IN / self.problem / "problem.py"]
        ):
            return None
        return known.cost


@lru_cache(maxsize=64)
def shipped_marks(problem: str, name: str, created: str) -> tuple[Mark, ...]:
    """Read once: they do not change."""
    return tuple(
        mark
        for receipts in shipped(problem)
        if (receipts.name, receipts.created) == (name, created)
        for judgement in receipts.judgements
        for mark in judged(encode(judgement), created, "")
    )


def usual(workloads: Sequence[str], marks: Sequence[Mark], spots: Sequence[Spot]) -> str:
    """The one that most rungs have a time on, or else the first."""
    rungs = {
        name: len({m.rung for m in marks if m.us and m.workload == name}) for name in workloads
    }
    ran = {spot.workload for spot in spots}
    return max(workloads, key=lambda name: (rungs[name], name in ran), default="")


def roofs_of(
    marks: Sequence[Mark], cost: Cost | None, receipts: Shipped | None
) -> tuple[dict[str, float], dict[str, float]]:
    """From what each roof alone would take; of older documents only the roof that binds."""
    if cost is None:
        return {}, {}
    mark = next((m for m in marks if m.by_roof_us), None) or next(
        (m for m in marks if m.binds), None
    )
    times = dict(mark.by_roof_us) if mark else {}
    if mark and not times and mark.floor_us:
        times = {mark.binds: mark.floor_us}
    if receipts and receipts.roofs:
        times |= by_roof(cost, receipts.roofs)
    counts = {"memory": float(cost.bytes_read + cost.bytes_written), **cost.operations}
    roofs = {name: count / times[name] * 1e6 for name, count in counts.items() if name in times}
    rates = receipts.roofs.rates if receipts and receipts.roofs else {}
    return roofs, {unit: rate for unit, rate in rates.items() if unit not in roofs}


def newest(marks: Iterable[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: mark.at, reverse=True)
