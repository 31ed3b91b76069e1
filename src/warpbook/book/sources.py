"""The texts of arms, kept once by their content, and plans with and without them."""

import hashlib
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from warpbook.book.store import Write
from warpbook.book.tables import Source
from warpbook.core.codec import decode, encode
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan

MARK = "sha256:"


def keep(write: Write, plan: Plan) -> dict[str, Any]:
    """The plan as the book stores it: each text is in `sources`, its hash in its place."""
    kept = replace(
        plan, baseline=kept_arm(write, plan.baseline), change=kept_arm(write, plan.change)
    )
    document: dict[str, Any] = encode(kept)
    return document


def kept_arm(write: Write, arm: Arm) -> Arm:
    return replace(arm, text=keep_text(write, arm, arm.text), cuda=keep_text(write, arm, arm.cuda))


def keep_text(write: Write, arm: Arm, text: str | None) -> str | None:
    if text is None:
        return None
    digest = hashlib.sha256(text.encode()).hexdigest()
    if write.session.get(Source, digest) is None:
        name = arm.rung or arm.label
        source = Source(sha256=digest, name=name, text=text)
        write.add(source, "source.added", f"{name} is kept as {digest[:12]}")
    return MARK + digest


def plan_of(session: Session, document: dict[str, Any]) -> Plan:
    """The plan with its texts, as it was given."""
    plan = decode(Plan, document)
    return replace(
        plan, baseline=full_arm(session, plan.baseline), change=full_arm(session, plan.change)
    )


def full_arm(session: Session, arm: Arm) -> Arm:
    return replace(arm, text=text_of(session, arm.text), cuda=text_of(session, arm.cuda))


def text_of(session: Session, mark: str | None) -> str | None:
    if mark is None:
        return None
    digest = mark.removeprefix(MARK)
    source = session.get(Source, digest)
    if source is None:
        raise BadInput(f"the source {digest[:12]} is not in this book; `warpbook check` says more")
    return source.text
