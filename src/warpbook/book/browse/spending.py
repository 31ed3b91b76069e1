"""Time and money spent on runs: today, in all, and of each campaign's budget."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book.tables import Campaign, Run

if TYPE_CHECKING:
    from warpbook.book.book import Book

# Runs are not indexed by when they ended; those of a day are among the newest.
NEWEST = 20_000


@dataclass(frozen=True)
class Spent:
    campaign: str
    seconds: float
    money: float
    budget_s: float | None
    budget_money: float | None


@dataclass(frozen=True)
class Spending:
    """`since_*` are of the runs that ended since the time asked for, among the newest. `campaigns`
    are the active ones that spent most, of `active`."""

    since_runs: int
    since_s: float
    since_money: float
    total_s: float
    total_money: float
    campaigns: tuple[Spent, ...]
    active: int


def spending(book: "Book", since: str, limit: int = 6) -> Spending:
    """`since` is a time in UTC, in ISO 8601."""
    with book.reading() as session:
        runs, seconds, money = ended_since(session, since)
        total_s, total_money = session.execute(
            select(func.total(Campaign.spent_s), func.total(Campaign.spent_money))
        ).one()
        active = Campaign.state == "active"
        count = session.scalar(select(func.count()).select_from(Campaign).where(active)) or 0
        has_budget = Campaign.budget_s.is_not(None) | Campaign.budget_money.is_not(None)
        rows = session.scalars(
            select(Campaign)
            .where(active, has_budget | (Campaign.spent_s > 0))
            .order_by(has_budget.desc(), Campaign.spent_s.desc(), Campaign.id)
            .limit(limit)
        )
        campaigns = tuple(
            Spent(one.name, one.spent_s, one.spent_money, one.budget_s, one.budget_money)
            for one in rows
        )
    return Spending(runs, seconds, money, total_s, total_money, campaigns, count)


def ended_since(session: Session, since: str) -> tuple[int, float, float]:
    last = session.scalar(select(func.max(Run.id))) or 0
    row = session.execute(
        select(func.count(), func.total(Run.seconds), func.total(Run.money)).where(
            Run.id > last - NEWEST, Run.ended_at >= since
        )
    ).one()
    return row[0], row[1], row[2]
