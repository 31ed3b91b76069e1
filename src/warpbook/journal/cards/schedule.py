"""When a card is asked again: FSRS, with a fuzz that follows from the card and its reviews, so that
what is previewed is what happens, also when the log is folded anew. Works on acts alone: knows
nothing of files or tables.
"""

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from warpbook.journal.cards.reviews import Act, kept, moment

if TYPE_CHECKING:
    import fsrs

STATES = ("new", "learning", "review", "relearning")  # as fsrs numbers them, from 1
AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
RATINGS = {AGAIN: "again", HARD: "hard", GOOD: "good", EASY: "easy"}
PATCHING = threading.Lock()


@dataclass(frozen=True)
class Recall:
    """How well a card is known. `lapses`: how often it was forgotten after it was learnt."""

    card: str
    state: str = "new"
    due: datetime | None = None
    step: int | None = None
    stability: float | None = None
    difficulty: float | None = None
    last_review: datetime | None = None
    reviews: int = 0
    lapses: int = 0
    flagged: bool = False
    suspended: bool = False


def reviewed(before: Recall, rating: int, at: datetime, retention: float) -> Recall:
    import fsrs

    at = moment(at)
    card = fsrs.Card(0, due=at)
    if before.state != "new":
        card = fsrs.Card(
            0,
            fsrs.State(STATES.index(before.state)),
            before.step,
            before.stability,
            before.difficulty,
            before.due,
            before.last_review,
        )
    after = next_card(card, rating, at, retention, fuzz(before.card, before.reviews))
    return replace(
        before,
        state=STATES[after.state],
        due=after.due,
        step=after.step,
        stability=after.stability,
        difficulty=after.difficulty,
        last_review=after.last_review,
        reviews=before.reviews + 1,
        lapses=before.lapses + (rating == AGAIN and before.state == "review"),
    )


def next_card(
    card: "fsrs.Card", rating: int, at: datetime, retention: float, chance: float
) -> "fsrs.Card":
    """fsrs asks its module's `random` for the fuzz. It gets `chance` for this one call, and the
    generator that others use is left alone."""
    import fsrs
    import fsrs.scheduler

    module = vars(fsrs.scheduler)
    with PATCHING:
        theirs = module["random"]
        module["random"] = lambda: chance
        try:
            return scheduler(retention).review_card(card, fsrs.Rating(rating), at)[0]
        finally:
            module["random"] = theirs


@lru_cache(maxsize=8)
def scheduler(retention: float) -> "fsrs.Scheduler":
    import fsrs

    return fsrs.Scheduler(desired_retention=retention)


def fuzz(card: str, reviews: int) -> float:
    """From 0 to below 1."""
    digest = hashlib.sha256(f"{card}\0{reviews}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def taken(before: Recall, act: Act, retention: float) -> Recall:
    """After one act that is no undo."""
    match act.act:
        case "flag" | "unflag":
            return replace(before, flagged=act.act == "flag")
        case "suspend" | "unsuspend":
            return replace(before, suspended=act.act == "suspend")
    return reviewed(before, act.rating, act.at, retention)


def fold(acts: Iterable[Act], retention: float) -> dict[str, Recall]:
    """All that the acts say, by card."""
    known: dict[str, Recall] = {}
    for act in kept(acts):
        known[act.card] = taken(known.get(act.card) or Recall(act.card), act, retention)
    return known


def previewed(before: Recall, at: datetime, retention: float) -> dict[int, datetime]:
    """When it would be due again, by rating."""
    found = {rating: reviewed(before, rating, at, retention).due for rating in RATINGS}
    return {rating: due for rating, due in found.items() if due}


def span(time: timedelta) -> str:
    """In the unit people think of: `1 min`, `6 h`, `3 d`, `1.4 y`."""
    minutes = time.total_seconds() / 60
    if minutes < 59.5:
        return f"{max(round(minutes), 1)} min"
    if minutes < 23.5 * 60:
        return f"{round(minutes / 60)} h"
    days = round(minutes / 60 / 24)
    return f"{days} d" if days < 365 else f"{days / 365.25:.1f} y"
