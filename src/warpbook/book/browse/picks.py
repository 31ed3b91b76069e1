"""Which rows of the book a view of the graph shows, the most telling first, a bounded number of
each kind, and how many are left of what is only counted.

Campaigns, problems and kernels tie nearly everything together, so that a walk which does not start
at one of them ends there.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import case, func, or_, select
from sqlalchemy.orm import Session

from warpbook.book.browse import families
from warpbook.book.browse.families import TABLES, Family
from warpbook.book.browse.nodes import numbers
from warpbook.book.browse.sieve import Sieve
from warpbook.book.graph import PROBLEM, RUNG, rungs_of
from warpbook.book.tables import BY_LETTER, Experiment, Finding, Hypothesis, Link, Prediction

SHARES = {"F": 40, "H": 50, "E": 50}
WITH_KERNEL = 24  # experiments around a kernel or a problem
ELSEWHERE = 12  # findings of other campaigns
NEWEST = 500  # experiments of a campaign that are looked at for those without a hypothesis
ORDER = {"running": 0, "queued": 1}


@dataclass
class Picks:
    """`names` in the order they were picked. `near` are within a step, `measured` the experiments
    whose kernels are shown, and `counted` what is folded into groups. Of `partial` families some
    are shown; `open_ended` ones are not counted to the end."""

    names: dict[str, None] = field(default_factory=dict)
    near: set[str] = field(default_factory=set)
    measured: dict[str, None] = field(default_factory=dict)
    counted: dict[Family, int] = field(default_factory=dict)
    partial: set[str] = field(default_factory=set)
    open_ended: set[str] = field(default_factory=set)
    left_out: int = 0

    def add(self, letter: str, ids: Iterable[int]) -> None:
        self.names.update(dict.fromkeys(f"{letter}-{id_}" for id_ in ids))

    def count(self, family: Family, total: int, shown: int) -> None:
        if total > shown:
            self.counted[family] = total - shown
            self.partial |= {family.id} if shown > 0 else set()

    def of(self, letter: str) -> list[int]:
        return numbers(self.names, letter)


def of_campaign(session: Session, home: int, sieve: Sieve, first: Sequence[str]) -> Picks:
    """A campaign's findings, hypotheses and experiments; `first` are shown in any case."""
    picks = Picks(dict.fromkeys(first))
    found: Sequence[int] = session.scalars(
        kept(Finding, sieve)
        .where(Finding.campaign_id == home)
        .order_by(Finding.state, Finding.id.desc())
        .limit(SHARES["F"])
    ).all()
    tied = linked(session, [f"F-{id_}" for id_ in found])
    picks.add("F", found)
    picks.add("H", campaign_claims(session, home, sieve, numbers(tied, "H")))
    spoken_of = passing(session, [name for name in tied if name[0] == "E"], sieve)
    best = [
        *numbers(spoken_of, "E"),
        *best_experiments(session, picks.of("H"), sieve),
        *loose_experiments(session, home, sieve),
    ]
    picks.add("E", [*dict.fromkeys(best)][: SHARES["E"]])
    others = [name for name in [*tied, *speaking_of(session, picks.names)] if name[0] == "F"]
    picks.add("F", numbers(passing(session, others, sieve), "F")[:ELSEWHERE])
    picks.measured = {name: None for name in picks.names if name[0] == "E"}
    return picks


def campaign_claims(session: Session, home: int, sieve: Sieve, tied: Sequence[int]) -> list[int]:
    """Those that a finding speaks of, that are measured now, decided, measured most; the newest."""
    running = select(Prediction.hypothesis_id).join(Experiment).where(Experiment.state == "running")
    query = kept(Hypothesis, sieve).where(
        or_(Hypothesis.campaign_id == home, Hypothesis.id.in_(tied))
    )
    order = (
        Hypothesis.id.in_(tied).desc(),
        Hypothesis.id.in_(running).desc(),
        (Hypothesis.verdict != "open").desc(),
        Hypothesis.runs.desc(),
        Hypothesis.id.desc(),
    )
    return [*session.scalars(query.order_by(*order).limit(SHARES["H"]))]


def best_experiments(session: Session, claims: Sequence[int], sieve: Sieve) -> list[int]:
    """Of each hypothesis in turn: running, then queued, then the newest."""
    order = case(ORDER, value=Experiment.state, else_=len(ORDER))
    turn = func.row_number().over(
        partition_by=Prediction.hypothesis_id, order_by=(order, Experiment.id.desc())
    )
    ranked = (
        select(Experiment.id, (Experiment.state == "running").label("now"), turn.label("turn"))
        .join(Prediction, Prediction.experiment_id == Experiment.id)
        .where(Prediction.hypothesis_id.in_(claims), *sieve.conditions(Experiment))
        .subquery()
    )
    columns = ranked.c.now.desc(), ranked.c.turn, ranked.c.id.desc()
    found = session.scalars(select(ranked.c.id).order_by(*columns).limit(2 * SHARES["E"]))
    return [*dict.fromkeys(found)][: SHARES["E"]]


def loose_experiments(session: Session, home: int, sieve: Sieve) -> list[int]:
    """Of the newest of a campaign, those for no hypothesis."""
    newest = kept(Experiment, sieve).where(Experiment.campaign_id == home)
    newest = newest.order_by(Experiment.id.desc()).limit(NEWEST)
    ids: Sequence[int] = session.scalars(newest).all()
    tied = select(Prediction.experiment_id).where(Prediction.experiment_id.in_(ids))
    bound = set(session.scalars(tied))
    return [id_ for id_ in ids if id_ not in bound][: SHARES["E"]]


def count_campaign(
    session: Session, picks: Picks, home: int, sieve: Sieve, shown: dict[str, str], room: int
) -> None:
    """Count what is not shown of a campaign; `shown` are the states of what is, by name. Up to
    `room` groups: experiments by hypothesis and state, or by state alone."""
    of = f"C-{home}"
    for kind in ("finding", "hypothesis"):
        letter = TABLES[kind].letter
        for state, total in families.counts(session, kind, home, sieve).items():
            seen = count_shown(session, kind, home, shown, state, letter)
            picks.count(Family(kind, of, state), total, seen)
    by_claim = count_by_claim(session, picks.of("H"), sieve, shown)
    fits = len(by_claim) + len(picks.counted) <= room
    if fits:
        count_each(picks, by_claim)
    totals = families.counts(session, "experiment", home, sieve)
    covered = covering(session, home, picks.of("H") if fits else [], sieve, shown)
    for state, total in totals.items():
        picks.count(Family("experiment", of, state), total, covered.get(state, 0))


def count_shown(
    session: Session, kind: str, home: int, shown: dict[str, str], state: str, letter: str
) -> int:
    ids = [id_ for id_ in numbers(shown, letter) if shown[f"{letter}-{id_}"] == state]
    table = TABLES[kind]
    query = select(func.count()).where(table.id.in_(ids), table.campaign_id == home)
    return session.scalar(query) or 0


def count_by_claim(
    session: Session, claims: Sequence[int], sieve: Sieve, shown: dict[str, str]
) -> dict[Family, tuple[int, int]]:
    """The experiments of each hypothesis by state where some are not shown: how many there are, and
    how many are shown."""
    found = families.counts_by_claim(session, claims, sieve)
    seen: Counter[tuple[int, str]] = Counter()
    tied = session.execute(
        select(Prediction.hypothesis_id, Prediction.experiment_id).where(
            Prediction.hypothesis_id.in_(claims),
            Prediction.experiment_id.in_(numbers(shown, "E")),
        )
    )
    for claim, experiment in tied:
        seen[claim, shown[f"E-{experiment}"]] += 1
    return {
        Family("experiment", f"H-{claim}", state): (total, seen[claim, state])
        for (claim, state), total in found.items()
        if total > seen[claim, state]
    }


def count_each(picks: Picks, found: dict[Family, tuple[int, int]]) -> None:
    for family, (total, seen) in found.items():
        picks.count(family, total, seen)


def covering(
    session: Session, home: int, claims: Sequence[int], sieve: Sieve, shown: dict[str, str]
) -> dict[str, int]:
    """How many experiments of a campaign, by state, are shown or counted with a hypothesis."""
    counted = select(Prediction.experiment_id).where(Prediction.hypothesis_id.in_(claims))
    rows = session.execute(
        select(Experiment.state, func.count())
        .where(
            Experiment.campaign_id == home,
            or_(Experiment.id.in_(counted), Experiment.id.in_(numbers(shown, "E"))),
            *sieve.conditions(Experiment),
        )
        .group_by(Experiment.state)
    )
    return {str(row[0]): row[1] for row in rows}


def of_node(session: Session, centre: str, sieve: Sieve, first: Sequence[str]) -> Picks:
    """What is within two steps of a finding, a hypothesis, an experiment, a kernel or a problem."""
    picks = Picks(dict.fromkeys([centre] if centre[1] == "-" else []))
    if centre.startswith((RUNG, PROBLEM)):
        near = [f"E-{id_}" for id_ in kernel_experiments(session, picks, centre, sieve)]
    else:
        near = passing(session, neighbours(session, [centre], sieve), sieve)
    far = passing(session, neighbours(session, near, sieve), sieve)
    picks.names.update(dict.fromkeys(first))
    room = {letter: share - (centre[0] == letter) for letter, share in SHARES.items()}
    left: list[str] = []
    for name in dict.fromkeys([*near, *far]):
        if name in picks.names:
            continue
        if room[name[0]]:
            picks.names[name] = None
            room[name[0]] -= 1
        else:
            left.append(name)
    picks.near = {centre, *near}
    measured = picks.near | {*first}
    picks.measured = {name: None for name in picks.names if name[0] == "E" and name in measured}
    claims = numbers([name for name in picks.names if name in picks.near], "H")
    picks.left_out = len(left) - folded(session, numbers(left, "E"), claims)
    return picks


def kernel_experiments(session: Session, picks: Picks, name: str, sieve: Sieve) -> list[int]:
    """The newest with a kernel or on a problem; the others are counted."""
    rows = families.with_kernel(session, name, sieve)
    shown = sorted(rows, key=lambda row: ORDER.get(row.state, len(ORDER)))[:WITH_KERNEL]
    known = {row.id for row in shown}
    totals: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for row in rows:
        sides = [side for side, rung in rungs_of(row) if rung == name]
        states = [row.state] if name.startswith(PROBLEM) else sides
        totals.update(states)
        seen.update(states if row.id in known else [])
    for state, total in totals.items():
        family = Family("experiment", name, state)
        picks.count(family, total, seen[state])
        picks.open_ended |= {family.id} if len(rows) >= families.LOOKED_AT else set()
    return [row.id for row in shown]


def count_around(
    session: Session, picks: Picks, centre: str, near: Sequence[int], sieve: Sieve,
    shown: dict[str, str],
) -> None:  # fmt: skip
    """Count the experiments of the hypotheses within a step, and the findings on the centre, that
    are not shown."""
    count_each(picks, count_by_claim(session, near, sieve, shown))
    if centre[0] not in "HEF" or centre[1] != "-":
        return
    rows = session.execute(
        select(Link.type, func.count())
        .join(Finding, Finding.id == Link.finding_id)
        .where(
            *(Link.to_kind == centre[0], Link.to_id == int(centre[2:])),
            *(Finding.id.not_in(numbers(shown, "F")), *sieve.conditions(Finding)),
        )
        .group_by(Link.type)
    )
    picks.counted.update({Family("finding", centre, type_): count for type_, count in rows})


def folded(session: Session, experiments: Sequence[int], claims: Sequence[int]) -> int:
    """How many of these experiments are counted with one of the hypotheses."""
    query = select(func.count(Prediction.experiment_id.distinct())).where(
        Prediction.experiment_id.in_(experiments), Prediction.hypothesis_id.in_(claims)
    )
    return session.scalar(query) or 0


def neighbours(session: Session, names: Sequence[str], sieve: Sieve) -> list[str]:
    """One step on, through links, predictions and repeats."""
    experiments, claims = numbers(names, "E"), numbers(names, "H")
    found = [*linked(session, names), *speaking_of(session, names)]
    tests = select(Prediction.hypothesis_id).where(Prediction.experiment_id.in_(experiments))
    found += [f"H-{id_}" for id_ in session.scalars(tests.distinct().limit(NEWEST))]
    found += [f"E-{id_}" for id_ in best_experiments(session, claims, sieve)] if claims else []
    again = or_(Experiment.id.in_(experiments), Experiment.repeats_id.in_(experiments))
    rows = session.execute(
        select(Experiment.id, Experiment.repeats_id)
        .where(again, Experiment.repeats_id.is_not(None))
        .limit(NEWEST)
    )
    found += [f"E-{id_}" for row in rows for id_ in row]
    return [*dict.fromkeys(found)]


def linked(session: Session, names: Iterable[str]) -> list[str]:
    """What these findings speak of, the newest links first."""
    rows = session.execute(
        select(Link.to_kind, Link.to_id)
        .where(Link.finding_id.in_(numbers(names, "F")))
        .order_by(Link.id.desc())
        .limit(NEWEST)
    )
    return [*dict.fromkeys(f"{kind}-{id_}" for kind, id_ in rows)]


def speaking_of(session: Session, names: Iterable[str]) -> list[str]:
    """The findings that speak of these, the newest first."""
    known = [*names]
    found: dict[int, None] = {}
    for letter in "HEF":
        of = (Link.to_kind == letter, Link.to_id.in_(numbers(known, letter)))
        query = select(Link.finding_id).where(*of).order_by(Link.id.desc()).limit(NEWEST)
        found.update(dict.fromkeys(session.scalars(query)))
    return [f"F-{id_}" for id_ in sorted(found, reverse=True)]


def passing(session: Session, names: Sequence[str], sieve: Sieve) -> list[str]:
    """Those of the names that a sieve lets through, in their order."""
    if sieve == Sieve():
        return [*names]
    through: set[str] = set()
    for letter in "HEF":
        table: Any = BY_LETTER[letter]
        query = kept(table, sieve).where(table.id.in_(numbers(names, letter)))
        through |= {f"{letter}-{id_}" for id_ in session.scalars(query)}
    return [name for name in names if name in through]


def kept(table: Any, sieve: Sieve) -> Any:
    return select(table.id).where(*sieve.conditions(table))
