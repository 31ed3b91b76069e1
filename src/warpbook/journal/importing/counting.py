"""Dates of posts that have none, counted from the date of a neighbour or of the first day.

A post without a count, or with no neighbour to count from, stays without a date. Pure.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from warpbook.journal.importing.settling import Settled
from warpbook.journal.importing.years import plus


@dataclass(frozen=True)
class Post:
    track: str
    day: int | None
    settled: Settled
    open: bool  # it has no date of its own


def count(posts: Sequence[Post], start: date | None, today: date) -> list[Settled]:
    known: dict[str, list[tuple[int, date]]] = {}
    for post in posts:
        if post.day is not None and post.settled.date:
            known.setdefault(post.track, []).append((post.day, post.settled.date))
    for pairs in known.values():
        pairs.sort()
    return [
        counted(post, known.get(post.track, []), start, today) if post.open else post.settled
        for post in posts
    ]


def counted(
    post: Post, known: Sequence[tuple[int, date]], start: date | None, today: date
) -> Settled:
    if post.day is None:
        return post.settled
    if near := nearest(known, post.day):
        day, at = near
        made = plus(at, post.day - day)
        how = f"counted from Day {day} on {at}"
        if beyond(known, post.day, made):
            return Settled(None, problem=f"{how} it would pass the days that follow it")
    elif start:
        made, how = plus(start, post.day - 1), f"counted from Day 1 on {start}"
    else:
        return Settled(None, problem="no date, and no entry to count from; give --start")
    if made > today:
        return Settled(None, problem=f"{made} is in the future ({how})")
    return Settled(made, how)


def nearest(known: Sequence[tuple[int, date]], day: int) -> tuple[int, date] | None:
    at = bisect_left(known, (day, date.min))
    around = known[max(0, at - 1) : at + 1]
    return min(around, key=lambda pair: abs(pair[0] - day), default=None)


def beyond(known: Sequence[tuple[int, date]], day: int, made: date) -> bool:
    at = bisect_left(known, (day, date.min))
    before = known[at - 1][1] if at else date.min
    after = next((on for number, on in known[at:] if number > day), date.max)
    return not before <= made <= after
