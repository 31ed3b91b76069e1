"""Findings: what was learned, tied to its evidence by typed links.

A finding supports or refutes a hypothesis only where the data did: a link against the verdict, or
ahead of it, is refused, since a reader would take the finding for the verdict. What is not decided
can rest on an experiment, whose effect is quoted with its interval. A finding refines or supersedes
others; the superseded one is flagged stale. Whatever changes under a finding later flags it as well
(`staleness.py`), and leaves what it quotes as it was.
"""

import builtins
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book import names, quote, staleness
from warpbook.book.authors import known_author
from warpbook.book.campaigns import find
from warpbook.book.collection import Collection, Name, check_page, contains
from warpbook.book.events import now
from warpbook.book.store import Write
from warpbook.book.tables import Campaign, Experiment, Finding, Hypothesis, Link, Run
from warpbook.core.errors import BadInput

# What each type of link may point to.
TARGETS = {"supports": "HEF", "refutes": "HEF", "refines": "HF", "supersedes": "F"}
VERDICTS = {"supports": "supported", "refutes": "refuted"}
ORDERED = ("supersedes", "refines")
Target = Hypothesis | Experiment | Finding
Linked = tuple[str, Target]


class Findings(Collection):
    def add(
        self,
        statement: str,
        links: Sequence[tuple[str, str]],
        campaign: Name | None = None,
        tags: Sequence[str] = (),
    ) -> Finding:
        """`links` are pairs of a type and an id. The effect is that of the first hypothesis or
        experiment which it supports or refutes."""
        if not statement.strip():
            raise BadInput("a finding needs a statement, in words")
        with self.writing() as write:
            session = write.session
            linked = [checked(session, type_, to) for type_, to in links]
            if len({(type_, target.name) for type_, target in linked}) < len(linked):
                raise BadInput("the same link is given twice")
            ground = ground_of(linked)
            quotes = [quote_of(session, target) for target in ground]
            home = find(session, campaign) if campaign is not None else home_of(session, ground[0])
            known_author(write)
            finding = Finding(
                campaign_id=home.id,
                author=write.author,
                statement=statement.strip(),
                tags=[*tags],
                metric=quotes[0].metric,
                gain=quotes[0].gain,
                low=quotes[0].low,
                high=quotes[0].high,
                runs=quotes[0].runs,
                environment_key=quotes[0].environment_key,
                environment=self.environment(quotes[0].runs),
                state="active",
                created_at=now(),
                stale="",
            )
            write.add(finding, "finding.added", f"{{name}}: {finding.statement}")
            for type_, target in linked:
                tie(write, finding, type_, target)
            return finding

    def link(self, name: Name, type_: str, to: str) -> Link:
        """Tie a finding to one thing more. What it quotes stays."""
        with self.writing() as write:
            finding = names.get(write.session, Finding, name)
            linked_type, target = checked(write.session, type_, to)
            refuse_circle(write.session, finding, linked_type, target)
            if target in [one for t, one in linked_of(write.session, finding) if t == linked_type]:
                raise BadInput(f"{finding.name} {linked_type} {target.name} already")
            return tie(write, finding, linked_type, target)

    def get(self, name: Name) -> Finding:
        with self.reading() as session:
            return names.get(session, Finding, name)

    def list(
        self,
        campaign: Name | None = None,
        search: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[Finding]:
        """The newest first. `search` looks in statements."""
        check_page(limit, offset)
        query = select(Finding).order_by(Finding.id.desc()).limit(limit).offset(offset)
        if search:
            query = query.where(Finding.statement.like(contains(search), escape="\\"))
        with self.reading() as session:
            if campaign is not None:
                query = query.where(Finding.campaign_id == find(session, campaign).id)
            return [*session.scalars(query)]

    def links(self, name: Name) -> builtins.list[Link]:
        with self.reading() as session:
            number = names.get(session, Finding, name).id
            query = select(Link).where(Link.finding_id == number).order_by(Link.id)
            return [*session.scalars(query)]

    def withdraw(self, name: Name) -> Finding:
        """It stays to be read. What it superseded stands again."""
        with self.writing() as write:
            finding = names.get(write.session, Finding, name)
            if finding.state == "withdrawn":
                return finding
            write.set(
                finding, "finding.withdrawn", f"{finding.name} is withdrawn", state="withdrawn"
            )
            for _, target in linked_of(write.session, finding):
                if isinstance(target, Finding) and target.stale == superseded_by(finding):
                    text = f"{target.name} stands again: {finding.name} is withdrawn"
                    write.set(target, "finding.restored", text, stale="")
            return finding

    def rerun(self, name: Name) -> str:
        """The command that measures again what a finding rests on."""
        with self.reading() as session:
            return rerun_line(session, names.get(session, Finding, name))

    def environment(self, runs: Sequence[int]) -> dict[str, str]:
        """What the receipts of these runs agree on."""
        found = [dict(self.book.runs.receipt(number).environment) for number in runs]
        common = found[0].items()
        return {key: value for key, value in common if all(e.get(key) == value for e in found)}


def checked(session: Session, type_: str, to: str) -> Linked:
    if type_ not in TARGETS:
        raise BadInput(f"no link {type_!r}: {', '.join(TARGETS)}")
    letter, _ = names.split_name(to)
    if letter not in TARGETS[type_]:
        kinds = " or ".join(f"a {names.WORDS[one]}" for one in TARGETS[type_])
        raise BadInput(f"a finding {type_} {kinds}; {to} is a {names.WORDS[letter]}")
    target: Target = names.get_any(session, to)
    if isinstance(target, Hypothesis):
        refuse_against_verdict(type_, target)
    if isinstance(target, Finding) and target.state == "withdrawn":
        raise BadInput(f"{target.name} is withdrawn; there is nothing to tie to")
    return type_, target


def refuse_against_verdict(type_: str, hypothesis: Hypothesis) -> None:
    wanted = VERDICTS.get(type_)
    if wanted is None or hypothesis.verdict == wanted:
        return
    if hypothesis.verdict == "open":
        raise BadInput(
            f"{hypothesis.name} is open: its runs do not decide it yet, so that no finding {type_} "
            f"it; for more runs: warpbook more {hypothesis.name}, or tie the finding to the "
            "experiment, whose effect it then quotes"
        )
    raise BadInput(f"{hypothesis.name} is {hypothesis.verdict}: no finding {type_} it")


def ground_of(linked: Sequence[Linked]) -> list[Hypothesis | Experiment]:
    """What it rests on."""
    found = [
        target for type_, target in linked if type_ in VERDICTS and not isinstance(target, Finding)
    ]
    if not found:
        raise BadInput(
            "a finding rests on runs: name a hypothesis or an experiment that it supports or "
            "refutes (--supports H-3, --refutes E-31)"
        )
    return found


def quote_of(session: Session, target: Hypothesis | Experiment) -> quote.Quote:
    if isinstance(target, Hypothesis):
        return quote.of_hypothesis(session, target)
    return quote.of_experiment(session, target)


def home_of(session: Session, target: Hypothesis | Experiment) -> Campaign:
    return session.get_one(Campaign, target.campaign_id)


def tie(write: Write, finding: Finding, type_: str, target: Target) -> Link:
    text = f"{finding.name} {type_} {target.name}"
    link = Link(finding_id=finding.id, type=type_, to_kind=target.letter, to_id=target.id)
    write.add(link, "link.added", text)
    if type_ == "supersedes" and isinstance(target, Finding):
        staleness.flag(write, [target], superseded_by(finding))
    return link


def superseded_by(finding: Finding) -> str:
    return f"superseded by {finding.name}"


def linked_of(session: Session, finding: Finding) -> list[Linked]:
    links = session.scalars(select(Link).where(Link.finding_id == finding.id).order_by(Link.id))
    return [(link.type, names.get_any(session, f"{link.to_kind}-{link.to_id}")) for link in links]


def refuse_circle(session: Session, finding: Finding, type_: str, target: Target) -> None:
    """A finding that supersedes or refines itself, by however many steps."""
    if not isinstance(target, Finding):
        return
    if target.id == finding.id:
        raise BadInput(f"{finding.name} cannot be tied to itself")
    if type_ not in ORDERED:
        return
    seen, waiting = set(), [target.id]
    while waiting:
        number = waiting.pop()
        if number == finding.id:
            raise BadInput(
                f"{target.name} already rests on {finding.name}: both cannot come after the other"
            )
        if number in seen:
            continue
        seen.add(number)
        waiting += session.scalars(
            select(Link.to_id).where(
                Link.finding_id == number, Link.to_kind == "F", Link.type.in_(ORDERED)
            )
        )


def rerun_line(session: Session, finding: Finding) -> str:
    experiment = session.scalar(
        select(Run.experiment_id).where(Run.id.in_(finding.runs)).order_by(Run.id.desc()).limit(1)
    )
    return f"warpbook rerun E-{experiment}" if experiment is not None else ""
