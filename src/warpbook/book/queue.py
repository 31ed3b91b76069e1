"""The queue: which experiment comes next, and why.

Its order follows from the rows: pins, then priorities, then scores, and every fourth slot goes to
the one that has waited longest. Knows nothing of workers.
"""

import builtins
from collections.abc import Collection as Several
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from warpbook.book import costs
from warpbook.book.authors import known_author
from warpbook.book.campaigns import spent
from warpbook.book.collection import Collection, check_page
from warpbook.book.life import claims_of
from warpbook.book.scoring import has_left, is_open
from warpbook.book.statistics.turns import turns
from warpbook.book.store import Write
from warpbook.book.tables import Author, Campaign, Experiment, Hypothesis, State

PAUSED, TAKEN = "queue.paused", "queue.taken"
TOP = 10
NAMED = 3  # so many changes of a reorder are told in its line; all are in its data


@dataclass(frozen=True)
class Place:
    """`money` is at the price of the local executor. `blocked` says why it is not taken."""

    position: int
    experiment: Experiment
    score: float
    worth: float
    cost_s: float
    money: float
    reason: str
    waiting_s: float
    blocked: str = ""


class Queue(Collection):
    def order(self, limit: int = 50) -> builtins.list[Place]:
        """All that wait, in the order they would be taken from now on; what may not be taken, of a
        stopped campaign or a held author, comes last."""
        check_page(limit, 0)
        with self.reading() as session:
            numbers = line(session, limit)
            numbers += blocked_numbers(session, limit - len(numbers))
            price = self.book.settings.prices.get("local", 0.0)
            return places(session, numbers, price)

    def paused(self) -> bool:
        with self.reading() as session:
            return is_paused(session)

    def pause(self) -> None:
        """Runs that are under way go on; no other is taken."""
        self._set_paused(True, "queue.paused", "the queue is paused")

    def resume(self) -> None:
        self._set_paused(False, "queue.resumed", "the queue goes on")

    def held(self) -> builtins.list[str]:
        """The authors of whom nothing is taken."""
        with self.reading() as session:
            names = select(Author.name).where(Author.held).order_by(Author.name)
            return [*session.scalars(names)]

    def hold(self, author: str) -> None:
        self._hold(author, True, "author.held", f"nothing of {author} is taken")

    def unhold(self, author: str) -> None:
        self._hold(author, False, "author.released", f"what {author} queued is taken again")

    def next(self, session: Session, devices: Several[str]) -> Experiment | None:
        """The experiment whose turn it is on one of these devices; its turn then counts as given.
        Call it inside a write, and start its run there."""
        if is_paused(session):
            return None
        numbers = line(session, 1, devices)
        if not numbers:
            return None
        put_state(session, TAKEN, {"count": taken(session) + 1})
        return session.get_one(Experiment, numbers[0])

    def top(self, session: Session) -> builtins.list[int]:
        return top(session)

    def reorder(self, write: Write, before: Sequence[int], cause: str) -> None:
        reorder(write, before, cause)

    def _set_paused(self, paused: bool, kind: str, text: str) -> None:
        with self.writing() as write:
            if is_paused(write.session) != paused:
                put_state(write.session, PAUSED, {"paused": paused})
                write.event(kind, "", text)

    def _hold(self, name: str, held: bool, kind: str, text: str) -> None:
        with self.writing() as write:
            author = known_author(write, name)
            if author.held != held:
                before = top(write.session)
                write.set(author, kind, text, held=held)
                reorder(write, before, text)


def is_paused(session: Session) -> bool:
    found = session.get(State, PAUSED)
    return bool(found and found.value["paused"])


def taken(session: Session) -> int:
    found = session.get(State, TAKEN)
    return int(found.value["count"]) if found else 0


def put_state(session: Session, key: str, value: dict[str, Any]) -> None:
    session.merge(State(key=key, value=value))


def top(session: Session) -> builtins.list[int]:
    return line(session, TOP)


def line(session: Session, limit: int, devices: Several[str] | None = None) -> builtins.list[int]:
    """The ids of the experiments that come next."""
    session.flush()
    allowed = takeable(session)
    if devices is not None:
        allowed.append(Experiment.device.in_(devices))
    best = best_first(session, limit, allowed)
    longest = session.scalars(
        select(Experiment.id)
        .where(*allowed, ~Experiment.pinned)
        .order_by(Experiment.queued_at, Experiment.id)
        .limit(limit)
    ).all()
    pinned = [number for number, is_pinned in best if is_pinned]
    rest = [number for number, is_pinned in best if not is_pinned]
    return (pinned + merged(rest, longest, taken(session) + len(pinned)))[:limit]


def best_first(
    session: Session, limit: int, allowed: Sequence[ColumnElement[bool]]
) -> builtins.list[tuple[int, bool]]:
    """By pins, priorities and scores alone; and whether each is pinned."""
    order = (
        Experiment.pinned.desc(),
        Experiment.priority.desc(),
        Experiment.score.desc(),
        Experiment.id,
    )
    chosen = select(Experiment.id, Experiment.pinned).where(*allowed).limit(limit)
    return [(row.id, row.pinned) for row in session.execute(chosen.order_by(*order))]


def by_waiting(session: Session, numbers: Sequence[int]) -> set[int]:
    """Those of a line that are ahead of better ones since they have waited longest."""
    best = iter(number for number, _ in best_first(session, len(numbers), takeable(session)))
    first = next(best, None)
    given: set[int] = set()
    found = set()
    for number in numbers:
        while first in given:
            first = next(best, None)
        if first not in (number, None):
            found.add(number)
        given.add(number)
    return found


def merged(best: Sequence[int], longest: Sequence[int], slot: int) -> builtins.list[int]:
    """Both are the heads of one queue; what only one of them names comes last in the other."""
    numbers = [*dict.fromkeys([*best, *longest])]
    far = len(numbers)
    ranks = {number: rank for rank, number in enumerate(best)}
    waits = {number: rank for rank, number in enumerate(longest)}
    order = turns(
        [-ranks.get(number, far) for number in numbers],
        [waits.get(number, far) for number in numbers],
        slot,
    )
    return [numbers[place] for place in order]


def takeable(session: Session) -> builtins.list[ColumnElement[bool]]:
    held = session.scalars(select(Author.name).where(Author.held)).all()
    idle = session.scalars(select(Campaign.id).where(Campaign.state != "active")).all()
    wanted = [Experiment.state == "queued"]
    if held:
        wanted.append(Experiment.author.not_in(held))
    if idle:
        wanted.append(Experiment.campaign_id.not_in(idle))
    return wanted


def blocked_numbers(session: Session, limit: int) -> builtins.list[int]:
    blocked = (
        select(Experiment.id)
        .join(Campaign, Campaign.id == Experiment.campaign_id)
        .outerjoin(Author, Author.name == Experiment.author)
        .where(Experiment.state == "queued", (Campaign.state != "active") | Author.held)
        .order_by(Experiment.score.desc(), Experiment.id)
        .limit(max(limit, 0))
    )
    return [*session.scalars(blocked)]


def places(session: Session, numbers: Sequence[int], price: float) -> builtins.list[Place]:
    rows = session.execute(
        select(Experiment, Campaign, Author.held)
        .join(Campaign, Campaign.id == Experiment.campaign_id)
        .outerjoin(Author, Author.name == Experiment.author)
        .where(Experiment.id.in_(numbers))
    )
    found = {row.Experiment.id: row for row in rows}
    hypotheses = claims_of(session, numbers)
    waited = by_waiting(session, numbers)
    made = []
    for position, number in enumerate(numbers, 1):
        row = found[number]
        experiment = row.Experiment
        made.append(
            Place(
                position,
                experiment,
                experiment.score,
                experiment.worth,
                experiment.cost_s,
                costs.money_of(experiment.cost_s, price),
                reason(experiment, hypotheses.get(number, []), number in waited),
                waited_s(experiment.queued_at),
                blocked(row.Campaign, experiment.author if row.held else None),
            )
        )
    return made


def reason(experiment: Experiment, hypotheses: Sequence[Hypothesis], waited: bool) -> str:
    """`0.62 bits for H-3 (belief 0.55) in about 40 s`, after what puts it above others."""
    above = [
        "pinned" if experiment.pinned else "",
        f"priority {experiment.priority}" if experiment.priority else "",
        "waited longest" if waited else "",
    ]
    cost = f"in about {experiment.cost_s:.3g} s"
    waiting = [h for h in hypotheses if is_open(h) and not has_left(experiment, h)]
    if experiment.a_sha256 == experiment.b_sha256:
        teaches = f"A against A, for the noise here, {cost}"
    elif not hypotheses:
        teaches = f"exploratory, {cost}"
    elif not waiting:
        asked = "to confirm " if experiment.confirm_after is not None else "asked for, "
        teaches = f"{asked}{', '.join(told(experiment, h) for h in hypotheses)}, {cost}"
    else:
        beliefs = " and ".join(f"{h.name} (belief {h.belief:.2f})" for h in waiting)
        teaches = f"{experiment.worth:.2g} bits for {beliefs} {cost}"
    return ": ".join(filter(None, [", ".join(filter(None, above)), teaches]))


def told(experiment: Experiment, hypothesis: Hypothesis) -> str:
    state = "withdrawn" if hypothesis.state == "withdrawn" else hypothesis.verdict
    if is_open(hypothesis) and has_left(experiment, hypothesis):
        state = "open, and rests on other arms or another environment by now"
    return f"{hypothesis.name} ({state})"


def blocked(campaign: Campaign, held: str | None) -> str:
    if campaign.state != "active":
        return f"{campaign.name} is {campaign.state}" + (
            f": {spent(campaign)}" * bool(spent(campaign))
        )
    return f"{held} is held" if held else ""


def waited_s(since: str | None) -> float:
    if since is None:
        return 0.0
    return max((datetime.now(UTC) - datetime.fromisoformat(since)).total_seconds(), 0.0)


def reorder(write: Write, before: Sequence[int], cause: str, returned: int | None = None) -> None:
    """Tell of the changes in the top 10 since `before`, if it is not only that some are gone, or
    that the one whose run ended has `returned`."""
    session = write.session
    after = top(session)
    waiting = set(
        session.scalars(
            select(Experiment.id).where(Experiment.id.in_(before), Experiment.state == "queued")
        )
    )
    old = [number for number in before if number in waiting]
    rest = [number for number in after if number != returned]
    if rest[: len(old)] == old[: len(rest)]:
        return
    changes = moves(old, after)
    told = [f"E-{m['experiment']} {came(m)}" for m in changes if rose(m)][:NAMED]
    write.event("queue.reordered", "", f"{', '.join(told)}: {cause}", cause=cause, changes=changes)


def moves(old: Sequence[int], after: Sequence[int]) -> builtins.list[dict[str, int | None]]:
    """Positions before and after; None is outside of the top 10."""
    was = {number: place for place, number in enumerate(old, 1)}
    now = {number: place for place, number in enumerate(after, 1)}
    return [
        {"experiment": number, "from": was.get(number), "to": now.get(number)}
        for number in dict.fromkeys([*after, *old])
        if was.get(number) != now.get(number)
    ]


def rose(move: dict[str, int | None]) -> bool:
    return move["to"] is not None and (move["from"] is None or move["to"] < move["from"])


def came(move: dict[str, int | None]) -> str:
    return f"in at {move['to']}" if move["from"] is None else f"from {move['from']} to {move['to']}"
