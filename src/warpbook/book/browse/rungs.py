"""The rungs of a problem, each with the mark that stands of it.

Shipped rungs are read from the library, once; of anything else only the book's marks are known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from warpbook.book.browse.marks import SAY_NOTHING, Mark
from warpbook.core.score import Gain, gains
from warpbook.kernels.library import Outline, problem_names, read_outline, readable_rungs
from warpbook.kernels.rung import Rung

MOST_OWN = 40


@dataclass(frozen=True)
class Step:
    """A rung with its latest mark, which has its time, or why it has none; None where it was not
    measured. `is_older`: the mark is of another text than the rung has today."""

    name: str
    rung: Rung | None
    mark: Mark | None
    gain: Gain = field(default_factory=Gain)
    is_peer: bool = False
    on_ladder: bool = False
    is_older: bool = False

    @property
    def us(self) -> float | None:
        return self.mark.us if self.mark else None


def steps_of(problem: str, marks: Sequence[Mark]) -> tuple[tuple[Step, ...], int]:
    """The ladder from the lowest up, its peers, then rungs of people's own, the newest first; and
    how many of those were left out."""
    outline, rungs = shelf(problem)
    ladder_names = outline.ladder if outline else ()
    shipped_marks = [mark for mark in marks if not mark.own]
    latest = latest_of(shipped_marks)
    found = [(rung, latest.get(rung.name)) for rung in rungs]
    gained = gains(
        (r.name, m.us if m else None, r.expected_gain) for r, m in on(found, ladder_names)
    )
    by_name = dict(zip([r.name for r, _ in on(found, ladder_names)], gained, strict=True))
    steps = [
        Step(
            name=rung.name,
            rung=rung,
            mark=mark,
            gain=by_name.get(rung.name, Gain()),
            is_peer=bool(outline and rung.name in outline.peers),
            on_ladder=rung.name in ladder_names,
            is_older=bool(mark and mark.sha256 and mark.sha256 != rung.sha256),
        )
        for rung, mark in found
    ]
    known = {rung.name for rung in rungs}
    own = latest_of([mark for mark in marks if mark.own or mark.rung not in known])
    mine = [Step(own_name(name, known), None, mark) for name, mark in own.items()]
    return (*steps, *mine[:MOST_OWN]), max(len(mine) - MOST_OWN, 0)


def on(
    found: Iterable[tuple[Rung, Mark | None]], names: Sequence[str]
) -> list[tuple[Rung, Mark | None]]:
    return [(rung, mark) for rung, mark in found if rung.name in names]


def own_name(name: str, known: Iterable[str]) -> str:
    """A file of somebody's may be called as a shipped rung is."""
    return f"{name} (own)" if name in known else name


def latest_of(marks: Sequence[Mark]) -> dict[str, Mark]:
    """What stands of each rung: the newest mark that says something, with the last known error."""
    found: dict[str, Mark] = {}
    errors: dict[str, Mark] = {}
    for mark in marks:
        if mark.error is not None:
            errors.setdefault(mark.rung, mark)
        kept = found.get(mark.rung)
        if kept is None or (kept.status in SAY_NOTHING and mark.status not in SAY_NOTHING):
            found[mark.rung] = mark
    for name, judged_mark in errors.items():
        if found[name].error is None and found[name].sha256 == judged_mark.sha256:
            error, budget = judged_mark.error, judged_mark.budget
            found[name] = replace(found[name], error=error, budget=budget)
    return found


@lru_cache(maxsize=64)
def shelf(problem: str) -> tuple[Outline | None, tuple[Rung, ...]]:
    """A shipped problem and its rungs; they do not change while a process lives."""
    if problem not in problem_names():
        return None, ()
    outline = read_outline(problem)
    return outline, tuple(readable_rungs(outline)) if outline else ()
