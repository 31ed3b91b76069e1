"""`day draft`: a day's entry proposed from what happened on it, facts only, each with its reference
so that its figure stays live. What the day's file cites already is left out.

Knows nothing of editors: the person has the last word.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from warpbook.journal.days import days, figures, happenings
from warpbook.journal.days.happenings import Event
from warpbook.journal.days.summary import ENDED

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal


@dataclass(frozen=True)
class Fact:
    """It was told where all that it `cites` is in the text, or one that stands for all of it."""

    text: str
    cites: tuple[str, ...]
    instead: tuple[str, ...] = ()


def draft(journal: "Journal", on: date) -> str:
    """Items of Markdown; nothing where nothing happened, or all of it is told."""
    found = days.find(journal, on)
    told = found.body if found else ""
    mentioned = {reference for _, _, reference in figures.references(told)}
    fresh = [fact for fact in facts(journal, on) if not is_told(fact, told, mentioned)]
    return "".join(f"- {fact.text}\n" for fact in fresh)


def is_told(fact: Fact, text: str, mentioned: set[str]) -> bool:
    def there(cite: str) -> bool:
        if cite in mentioned or cite not in text:
            return cite in mentioned
        return re.search(rf"\b{re.escape(cite)}\b", text) is not None

    return all(map(there, fact.cites)) or any(map(there, fact.instead))


def facts(journal: "Journal", on: date) -> Iterator[Fact]:
    connection = journal.index.connection
    start, end = happenings.span(on, on, journal.now().tzinfo)
    events = happenings.events(
        connection, start, end, "run.", "verdict.changed", "finding.added", "measurement.added",
        "commit",
    )  # fmt: skip
    ended = {f"run.{state}" for state in ENDED}
    yield from runs(connection, [event for event in events if event.kind in ended])
    yield from verdicts(connection, events)
    yield from findings(connection, events)
    yield from measurements(connection, events)
    yield from reading(connection, on)
    count = happenings.reviewed(journal.path("cards", "reviews.jsonl"), start, end)
    if count:
        said = f"{count} card{'s' * (count != 1)} reviewed"
        yield Fact(said, (said,))
    yield from commits(events)


def runs(connection: sqlite3.Connection, ended: Sequence[Event]) -> Iterator[Fact]:
    """A line for each experiment, with its runs of the day."""
    of: dict[tuple[int, str], list[Event]] = {}
    for event in ended:
        row = connection.execute(
            "SELECT experiment.id, experiment.title FROM experiments AS experiment "
            "JOIN runs AS run ON run.experiment_id = experiment.id WHERE run.id = ?",
            (event.number,),
        ).fetchone()
        if row:
            of.setdefault((row[0], row[1]), []).append(event)
    for (number, title), mine in of.items():
        names = tuple(f"run:{event.subject}" for event in mine)
        text = f"run:E-{number}{title_words(title)}: {', '.join(names)}"
        yield Fact(text, names, (f"run:E-{number}", f"exp:E-{number}"))


def title_words(title: str) -> str:
    return f" ({' '.join(title.split())})" if title.strip() else ""


def verdicts(connection: sqlite3.Connection, events: Iterable[Event]) -> Iterator[Fact]:
    last = {event.subject: event for event in events if event.kind == "verdict.changed"}
    for name, event in last.items():
        row = connection.execute("SELECT claim FROM hypotheses WHERE id = ?", (event.number,))
        claim = " ".join((row.fetchone() or [""])[0].split())
        after = event.data.get("after", "")
        yield Fact(f"{name} became {after}: {claim}", (name,))


def findings(connection: sqlite3.Connection, events: Iterable[Event]) -> Iterator[Fact]:
    for event in events:
        if event.kind != "finding.added":
            continue
        row = connection.execute("SELECT statement FROM findings WHERE id = ?", (event.number,))
        statement = " ".join((row.fetchone() or [""])[0].split())
        yield Fact(f"{event.subject}: {statement}", (event.subject,))


def measurements(connection: sqlite3.Connection, events: Iterable[Event]) -> Iterator[Fact]:
    """By hand: one line for each problem, with what was judged or compared."""
    of: dict[str, list[Event]] = {}
    for event in events:
        if event.kind == "measurement.added":
            row = connection.execute(
                "SELECT problem FROM measurements WHERE id = ?", (event.number,)
            ).fetchone()
            if row:
                of.setdefault(row[0], []).append(event)
    for problem, mine in of.items():
        said = dict.fromkeys(measured(event) for event in mine)
        text = f"{kernel(problem)} by hand: {'; '.join(said)}"
        yield Fact(text, tuple(event.subject for event in mine))


def measured(event: Event) -> str:
    """`judgement of online (M-12)`, from `M-12: judgement of online on softmax 64x64`."""
    words = event.text.removeprefix(f"{event.subject}: ").rpartition(" on ")[0] or event.text
    return f"{words} ({event.subject})"


def kernel(problem: str) -> str:
    """A reference, where the problem has a name that can be one."""
    return f"kernel:{problem}" if re.fullmatch(r"[A-Za-z0-9_]+", problem) else problem


def reading(connection: sqlite3.Connection, on: date) -> Iterator[Fact]:
    for word, key in (("finished", "done"), ("began", "started")):
        rows = connection.execute(
            "SELECT key, title FROM journal_entries WHERE kind = 'reading' "
            f"AND json_extract(document, '$.{key}') = ? ORDER BY path, line",
            (on.isoformat(),),
        )
        for item, title in rows:
            yield Fact(f"{word} reading:{item}: {title}", (f"reading:{item}",))


def commits(events: Iterable[Event]) -> Iterator[Fact]:
    for event in events:
        if event.kind == "commit":
            said = " ".join(str(event.data.get("subject", event.text)).split())
            yield Fact(f"commit {event.subject}: {said}", (event.subject,))
