"""Measured claims in prose ("5x over PyTorch", "1.2 TB/s"), and tying one to the run behind it.

A claim is what a line says, no more: it is unverified until its line cites a run or an experiment
of the book. Knows nothing of what a run measured; that is for `figures`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.days import figures, plans
from warpbook.journal.entry import Entry

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.texts.blocks import Line

NUMBER = r"(?<![\w.,/:\-])~?\d[\d,]*(?:\.\d+)?"
TIME = r"(?:ns|us|\u00b5s|\u03bcs|ms|microseconds?|milliseconds?|nanoseconds?)\b(?!/)"
RATE = r"[kMGTP]?(?:i?B|bytes|[Ff][Ll][Oo][Pp]s?|OPS?|tok(?:en)?s?)/s(?:ec)?\b|[MGTP]FLOPS\b"
SHARE = (
    r"(?:of\s+(?!the\s+(?:time|day|week))\w|faster|slower|quicker|less|more|better|worse|fewer|"
    r"lower|higher|improvement|speed-?up|utili[sz]ation|occupancy|peak|bandwidth)"
)
CLAIM = re.compile(
    rf"{NUMBER}\s?(?:"
    rf"[x\u00d7](?![\w\u00d7])(?:\s+(?:over|faster|slower|quicker|than|of|vs\.?|speed-?up)\b"
    rf"(?:\s+(?:than\s+)?[\w.+-]*\w)?)?"
    rf"|%\s+{SHARE}(?:[\w.+-]*\w)?"
    rf"|(?:st|nd|rd|th)?\s?percentile\b"
    rf"|{RATE}"
    rf"|{TIME}"
    rf")"
)
ADDRESS = re.compile(r"<?https?://\S+|<!--.{0,300}?-->")
CARD = re.compile(r"\s*(?:[-*+]\s+)?[QA]:")
WITH_EVIDENCE = ("run:", "exp:")


@dataclass(frozen=True)
class Claim:
    """`text` is the figure as it is written, `said` its whole line."""

    line: int
    text: str
    said: str
    references: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        return "linked" if self.references else "unverified"


def found(lines: Sequence["Line"]) -> list[Claim]:
    """Not in code, plans or cards, which do not say that something was measured."""
    planned = {mention.line: mention.start for mention in plans.mentions(lines)}
    made = []
    in_card = False
    for line in lines:
        in_card = bool(CARD.match(line.text)) or (in_card and line.kind in ("text", "item"))
        if line.kind in ("text", "item", "heading") and not in_card:
            made += in_line(line.number, line.text, planned.get(line.number))
    return made


def in_line(number: int, text: str, end: int | None = None) -> list[Claim]:
    """Those before `end`."""
    bare = ADDRESS.sub(lambda match: " " * len(match[0]), text[:end])
    cited = tuple(
        reference
        for _, _, reference in figures.references(text)
        if reference.startswith(WITH_EVIDENCE)
    )
    said = text.strip()
    return [Claim(number, match[0].strip(), said, cited) for match in CLAIM.finditer(bare)]


def entries(day: str, lines: Sequence["Line"]) -> list[Entry]:
    """Called by the day and their order in it: `2026-01-04.3`."""
    return [
        Entry(
            kind="claim",
            key=f"{day}.{number}",
            line=claim.line,
            title=claim.text,
            body="",
            date=day,
            state=claim.state,
            document={"text": claim.text, "said": claim.said, "references": [*claim.references]},
        )
        for number, claim in enumerate(found(lines), 1)
    ]


def listed(
    journal: "Journal", state: str | None = None, limit: int | None = None, offset: int = 0
) -> list[Entry]:
    """The newest first."""
    return journal.index.entries("claim", state=state, descending=True, limit=limit, offset=offset)


def get(journal: "Journal", key: str) -> Entry:
    claim = journal.index.one("claim", key)
    if claim is None:
        raise NotFound(f"no claim {key!r}; they are called 2026-01-04.3: warpbook claim list")
    return claim


def link(journal: "Journal", key: str, name: str) -> Entry:
    """Cite a run or an experiment at the end of the claim's line, before a plan in it."""
    claim = get(journal, key)
    reference = cited(name)
    shown = figures.figure(journal.index.connection, reference)
    if not shown.known:
        raise NotFound(f"{reference}: {shown.text}")
    said, line = claim.document["said"], claim.line

    def change(text: str) -> str:
        lines = text.split("\n")
        at = place(lines, line - 1, said)
        if at is None:
            raise BadInput(
                f"{claim.path}:{line}: the line has changed meanwhile, and says nothing of "
                f"{claim.title!r}; look again: warpbook claim list"
            )
        if reference not in (found for _, _, found in figures.references(lines[at])):
            lines[at] = citing(lines[at], reference)
        return "\n".join(lines)

    journal.edit(claim.path, change)
    return get(journal, key)


def citing(line: str, reference: str) -> str:
    plan = plans.TOMORROW.search(line)
    end = plan.start() if plan else len(line)
    return f"{line[:end].rstrip()} ({reference}){line[end:]}"


def cited(name: str) -> str:
    """`E-31`, `r57` or `run:R-57` as a reference."""
    match = re.fullmatch(r"(?:(?:run|exp):)?([ER])-?(\d{1,12})", name.strip(), re.IGNORECASE)
    if match is None:
        raise BadInput(f"{name!r} is no run or experiment: write R-57 or E-31")
    return f"run:{match[1].upper()}-{int(match[2])}"


def place(lines: Sequence[str], expected: int, said: str) -> int | None:
    """Where that line is by now: the nearest one that says the same."""
    same = [i for i, line in enumerate(lines) if line.strip() == said]
    return min(same, key=lambda i: abs(i - expected), default=None)


def document(claim: Entry) -> dict[str, Any]:
    return {
        "claim": claim.key,
        "date": claim.date,
        "state": claim.state,
        "path": claim.path,
        "line": claim.line,
        **claim.document,
    }


def documents(claims: Iterable[Entry]) -> list[dict[str, Any]]:
    return [document(claim) for claim in claims]
