"""Campaigns: a goal, its hypotheses and its budget."""

import builtins
import re

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book import names
from warpbook.book.authors import known_author
from warpbook.book.collection import Collection, Name, check_finite
from warpbook.book.events import now
from warpbook.book.store import Write
from warpbook.book.tables import Campaign
from warpbook.core.codec import encode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput, NotFound, Taken

INBOX = "inbox"


class Campaigns(Collection):
    def add(
        self,
        name: str,
        goal: str = "",
        metric: Metric | None = None,
        workload: str = "",
        device: str = "",
        goal_gain: float | None = None,
        budget_s: float | None = None,
        budget_money: float | None = None,
    ) -> Campaign:
        name = name.strip()
        if not name:
            raise BadInput("a campaign needs a name")
        if not name.isprintable() or re.fullmatch(r"[A-Za-z]-?\d+", name):
            raise BadInput(
                f"{name!r} is no name for a campaign: it reads as an id or cannot be shown"
            )
        check_finite("the goal", goal_gain)
        check_budget(budget_s, budget_money)
        with self.writing() as write:
            if write.session.scalar(select(Campaign).where(Campaign.name == name)):
                raise Taken(f"there is a campaign {name} already; give another name")
            known_author(write)
            campaign = Campaign(
                name=name,
                author=write.author,
                goal=goal,
                metric=encode(metric),
                workload=workload,
                device=device,
                goal_gain=goal_gain,
                budget_s=budget_s,
                budget_money=budget_money,
                created_at=now(),
            )
            return write.add(campaign, "campaign.added", f"campaign {name}" + told(goal))

    def get(self, name: Name) -> Campaign:
        with self.reading() as session:
            return find(session, name)

    def list(self) -> builtins.list[Campaign]:
        with self.reading() as session:
            return [*session.scalars(select(Campaign).order_by(Campaign.id))]

    def set_budget(self, name: Name, seconds: float | None, money: float | None) -> Campaign:
        check_budget(seconds, money)
        with self.writing() as write:
            campaign = find(write.session, name)
            limits = [f"{seconds:g} s" if seconds else "", f"{money:g} in money" if money else ""]
            text = f"budget of {campaign.name}: {' and '.join(filter(None, limits)) or 'no limit'}"
            write.set(campaign, "campaign.budget", text, budget_s=seconds, budget_money=money)
            stop_if_spent(write, campaign)
            return campaign

    def stop(self, name: Name) -> Campaign:
        return self._to(name, "stopped", "campaign.stopped", "is stopped: nothing of it is taken")

    def resume(self, name: Name) -> Campaign:
        with self.writing() as write:
            campaign = find(write.session, name)
            if why := spent(campaign):
                raise BadInput(f"{campaign.name}: {why}; raise its budget first")
        return self._to(name, "active", "campaign.resumed", "goes on")

    def archive(self, name: Name) -> Campaign:
        text = "is archived: nothing of it is taken"
        return self._to(name, "archived", "campaign.archived", text)

    def _to(self, name: Name, state: str, kind: str, text: str) -> Campaign:
        with self.writing() as write:
            campaign = find(write.session, name)
            if campaign.state != state:
                before = self.book.queue.top(write.session)
                write.set(campaign, kind, f"{campaign.name} {text}", state=state)
                self.book.queue.reorder(write, before, f"{campaign.name} {text}")
            return campaign


def find(session: Session, name: Name) -> Campaign:
    found = session.scalar(select(Campaign).where(Campaign.name == str(name).strip()))
    if found:
        return found
    try:
        return names.get(session, Campaign, name)
    except BadInput:
        known = session.scalars(select(Campaign.name).order_by(Campaign.id).limit(10)).all()
        raise NotFound(f"there is no campaign {name!r}; there are: {', '.join(known)}") from None


def told(goal: str) -> str:
    return f": {goal}" if goal else ""


def check_budget(seconds: float | None, money: float | None) -> None:
    check_finite("the budget", seconds, money)
    for value in (seconds, money):
        if value is not None and value <= 0:
            raise BadInput(
                f"a budget of {value:g} allows nothing; give more than 0, or none at all"
            )


def spent(campaign: Campaign) -> str:
    """Which budget is used up, in words; empty while none is."""
    if campaign.budget_s is not None and campaign.spent_s >= campaign.budget_s:
        return f"{campaign.spent_s:.0f} s of {campaign.budget_s:g} s are spent"
    if campaign.budget_money is not None and campaign.spent_money >= campaign.budget_money:
        return f"{campaign.spent_money:.2f} of {campaign.budget_money:g} in money are spent"
    return ""


def stop_if_spent(write: Write, campaign: Campaign) -> None:
    why = spent(campaign)
    if why and campaign.state == "active":
        text = f"{campaign.name} is stopped: {why}"
        write.set(campaign, "campaign.stopped", text, state="stopped")
