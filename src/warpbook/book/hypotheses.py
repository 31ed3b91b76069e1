"""Hypotheses: claims in a campaign, each with what its runs say so far."""

import builtins
import math
from collections.abc import Sequence
from typing import Any

from sqlalchemy import or_, select

from warpbook.book import evaluation, names, queue
from warpbook.book.authors import known_author
from warpbook.book.campaigns import INBOX, find
from warpbook.book.collection import Collection, Name, check_finite, check_page, contains
from warpbook.book.decisions import size
from warpbook.book.events import now
from warpbook.book.statistics.verdict import Verdict
from warpbook.book.summary import Summary, summary_of
from warpbook.book.tables import Hypothesis
from warpbook.core.codec import encode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput


class Hypotheses(Collection):
    def add(
        self,
        claim: str,
        metric: Metric,
        delta: float,
        direction: int = 1,
        because: str = "",
        prior: float = 0.5,
        guards: Sequence[tuple[Metric, float]] = (),
        campaign: Name = INBOX,
        tags: Sequence[str] = (),
    ) -> Hypothesis:
        """`guards` are pairs of a metric and the loss of it that is allowed, as a positive gain."""
        check(claim, delta, direction, prior, guards)
        with self.writing() as write:
            home = find(write.session, campaign)
            if home.state == "archived":
                raise BadInput(f"the campaign {home.name} is archived; choose another")
            known_author(write)
            hypothesis = Hypothesis(
                campaign_id=home.id,
                author=write.author,
                claim=claim.strip(),
                because=because.strip(),
                metric=encode(metric),
                direction=direction,
                delta=float(delta),
                prior=float(prior),
                guards=[guard_document(metric, margin) for metric, margin in guards],
                tags=[*tags],
                created_at=now(),
                belief=float(prior),
            )
            before = queue.top(write.session)
            write.add(hypothesis, "hypothesis.added", f"{{name}}: {hypothesis.claim}")
            cause = f"the campaign grew to {size(write.session, home.id)} hypotheses"
            evaluation.evaluate(write, [hypothesis.id], cause, grown=home.id)
            queue.reorder(write, before, cause)
            return hypothesis

    def get(self, name: Name) -> Hypothesis:
        with self.reading() as session:
            return names.get(session, Hypothesis, name)

    def list(
        self,
        campaign: Name | None = None,
        verdict: str | None = None,
        search: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[Hypothesis]:
        """The newest first. `search` looks in claims and reasons."""
        check_page(limit, offset)
        query = select(Hypothesis).order_by(Hypothesis.id.desc()).limit(limit).offset(offset)
        if verdict is not None:
            if verdict not in list(Verdict):
                raise BadInput(f"no verdict {verdict!r}: {', '.join(Verdict)}")
            query = query.where(Hypothesis.verdict == verdict)
        if search:
            like = contains(search)
            columns = (Hypothesis.claim, Hypothesis.because)
            query = query.where(or_(*(column.like(like, escape="\\") for column in columns)))
        with self.reading() as session:
            if campaign is not None:
                query = query.where(Hypothesis.campaign_id == find(session, campaign).id)
            return [*session.scalars(query)]

    def withdraw(self, name: Name) -> Hypothesis:
        """Its runs stay, and it still counts among its campaign's: who looked has looked."""
        with self.writing() as write:
            hypothesis = names.get(write.session, Hypothesis, name)
            if hypothesis.state == "withdrawn":
                return hypothesis
            before = queue.top(write.session)
            text = f"{hypothesis.name} is withdrawn"
            write.set(hypothesis, "hypothesis.withdrawn", text, state="withdrawn")
            home = hypothesis.campaign_id
            evaluation.evaluate(write, [hypothesis.id], text, grown=home)
            queue.reorder(write, before, text)
            return hypothesis

    def summary(self, name: Name) -> Summary:
        with self.reading() as session:
            return summary_of(session, names.get(session, Hypothesis, name))


def check(
    claim: str, delta: float, direction: int, prior: float, guards: Sequence[tuple[Metric, float]]
) -> None:
    if not claim.strip():
        raise BadInput("a hypothesis needs a claim, in words")
    check_finite("the least effect", delta)
    if delta < 0:
        raise BadInput(f"the least effect is {delta:g}: give its size, and the direction beside it")
    if direction not in (1, -1):
        raise BadInput(f"the direction is {direction}: 1 for better, -1 for worse")
    if not 0 < prior < 1:
        raise BadInput(f"the belief beforehand is {prior:g}: give a chance between 0 and 1")
    for metric, margin in guards:
        if not (math.isfinite(margin) and margin > 0):
            raise BadInput(f"the guard on {metric.name} allows {margin:g}: give a size above 0")


def guard_document(metric: Metric, margin: float) -> dict[str, Any]:
    return {"metric": encode(metric), "margin": float(margin)}
