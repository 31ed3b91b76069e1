"""Plans: "tomorrow: ..." and "- [ ]" in days, which carry to the next day until done or dropped.

A plan is its text: two that differ in case or spaces are one. The latest mention decides its state;
of two in one file, the lower. Knows nothing of what a plan is about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal import ids
from warpbook.journal.entry import Entry
from warpbook.journal.texts import front

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.texts.blocks import Line

STATES = {" ": "open", "x": "done", "X": "done", "-": "dropped", "~": "dropped"}
BOXES = {"open": " ", "done": "x", "dropped": "-"}
BOX = re.compile(r"(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX~-])(\]\s+)(\S.*)")
ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(\S.*)")
EMPHASIS = r"(?:\*\*|__|[*_])?"
# At the beginning of a line, or behind the end of a sentence in it.
TOMORROW = re.compile(
    rf"(?:^\s*(?:[-*+]\s+)?|[.!?;\u2026][\"'\u201d\u2019)\]*_]*\s+){EMPHASIS}"
    rf"(?:plans?\s+for\s+)?tomorrow{EMPHASIS}\s*:{EMPHASIS}\s*(.*)",
    re.IGNORECASE,
)
TITLE = re.compile(r"\s*#+\s*(?:plans?\s+for\s+)?tomorrow\s*:?\s*#*\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Mention:
    """`start` is where in its line it begins: what stands before it is no plan."""

    line: int
    text: str
    state: str  # open, done, dropped
    start: int = 0

    @property
    def id(self) -> str:
        return plan_id(self.text)


@dataclass(frozen=True)
class Plan:
    """As its latest mention has it; `since` is the day of its first one."""

    id: str
    text: str
    state: str
    since: date
    last: date
    path: str
    line: int

    def document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            "state": self.state,
            "since": self.since.isoformat(),
            "last": self.last.isoformat(),
            "path": self.path,
            "line": self.line,
        }


def plan_id(text: str) -> str:
    return ids.id_of("plan", text)


def mentions(lines: Sequence["Line"]) -> list[Mention]:
    """In the order of the text. After a bare "tomorrow:" every item of the list is one."""
    found = []
    listing = False
    for line in lines:
        if line.kind not in ("text", "item", "heading"):
            listing = listing and line.kind in ("blank", "comment")
            continue
        if box := BOX.fullmatch(line.text.rstrip()):
            found.append(Mention(line.number, box[4].strip(), STATES[box[2]]))
            continue
        told = TOMORROW.search(line.text) if line.kind != "heading" else None
        if told and told[1].strip():
            found.append(Mention(line.number, told[1].strip(), "open", told.start()))
            listing = False
        elif told or (line.kind == "heading" and TITLE.fullmatch(line.text)):
            listing = True
        elif listing and (item := ITEM.fullmatch(line.text.rstrip())):
            found.append(Mention(line.number, item[1].strip(), "open"))
        else:
            listing = False
    return found


def entries(day: str, lines: Sequence["Line"]) -> list[Entry]:
    """One for each plan that the day mentions, as its last mention there has it."""
    last = {mention.id: mention for mention in mentions(lines)}
    return [
        Entry(
            kind="plan",
            key=f"{mention.id}.{day}",
            line=mention.line,
            title=mention.text,
            date=day,
            state=mention.state,
            document={"id": mention.id, "text": mention.text},
        )
        for mention in last.values()
    ]


def listed(journal: "Journal", states: Sequence[str] = ("open",)) -> list[Plan]:
    """The oldest first."""
    # Of an aggregate with max() SQLite takes the other columns from the row that has it.
    rows = journal.index.connection.execute(
        f"""
        WITH mention AS (
            SELECT substr(key, 1, {ids.LENGTH}) AS plan, title, state, path, line, date
            FROM journal_entries WHERE kind = 'plan'
        ),
        latest AS (
            SELECT plan, title, state, path, line, max(date) AS last FROM mention GROUP BY plan
        ),
        first AS (SELECT plan, min(date) AS since FROM mention GROUP BY plan)
        SELECT plan, title, state, since, last, path, line
        FROM latest JOIN first USING (plan) WHERE state IN ({", ".join("?" * len(states))})
        ORDER BY since, last, path, line
        """,
        tuple(states),
    )
    return [
        Plan(plan, text, state, date.fromisoformat(since), date.fromisoformat(last), path, line)
        for plan, text, state, since, last, path, line in rows
    ]


def carried(journal: "Journal", on: date) -> list[Plan]:
    """What is open, and was last mentioned before that date."""
    return [plan for plan in listed(journal) if plan.last < on]


def box(text: str, state: str = "open") -> str:
    return f"- [{BOXES[state]}] {text}"


def find(journal: "Journal", called: str) -> Plan:
    """By its number in the list of open plans, by its text, or by the only one that has it in."""
    open_plans = listed(journal)
    if called.strip().isdecimal() and 1 <= int(called) <= len(open_plans):
        return open_plans[int(called) - 1]
    same = [plan for plan in open_plans if plan.id == plan_id(called) or plan.id == called.strip()]
    wanted = ids.plain(called)
    found = same or [plan for plan in open_plans if wanted and wanted in ids.plain(plan.text)]
    if not found:
        for plan in listed(journal, ("done", "dropped")):
            if called.strip() in (plan.id, plan.text):
                raise NotFound(f"{plan.text!r} is {plan.state} already, on {plan.last}")
        raise NotFound(f"no open plan {called!r}; the open ones: warpbook plan")
    if len(found) > 1:
        raise BadInput(f"{called!r} may be {len(found)} plans; give its number: warpbook plan")
    return found[0]


def settled(text: str, lines: Sequence["Line"], plan: str, state: str) -> str:
    """A day's text with that plan in that state: its last box there is marked, or a line added."""
    found = [mention for mention in mentions(lines) if mention.id == plan_id(plan)]
    rows = text.split("\n")
    if found and (at := BOX.fullmatch(rows[found[-1].line - 1].rstrip())):
        rows[found[-1].line - 1] = f"{at[1]}{BOXES[state]}{at[3]}{at[4]}"
        return "\n".join(rows)
    return with_item(text, box(plan, state))


def with_item(text: str, item: str) -> str:
    """At the end: right below a list, else after an empty line."""
    last = text.rstrip().rsplit("\n", 1)[-1]
    return with_block(text, item, "\n" if ITEM.fullmatch(last) else "\n\n")


def with_block(text: str, block: str, gap: str) -> str:
    """At the end, after a gap; right below front matter that is all there is."""
    kept = text.rstrip()
    if not kept:
        return f"{block}\n"
    return f"{kept}{gap if front.split(text).body.strip() else chr(10)}{block}\n"
