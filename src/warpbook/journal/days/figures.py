"""References in prose, and the live figure behind each: `run:E-31`, `kernel:softmax`, `H-3`.

A figure is worked out when it is shown, from what the book has by then, so it cannot drift. Reads
the book's tables by plain SQL; what it takes to pool runs is imported only when one is asked for.
"""

import json
import re
import sqlite3
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.wording import effect
from warpbook.journal.days import best_rung

REFERENCE = re.compile(
    r"(?<![\w:/.\-#])(?:(?P<kind>run|exp|kernel|reading|card):(?P<what>[A-Za-z0-9_]+"
    r"(?:-\d{1,12}|\.[a-z]?\d{1,6})?)|(?P<name>[HF]-\d{1,12}))(?![\w/]|-\w)"
)
# Code, comments and addresses have no references. What is never closed ends with its line, or after
# so many characters: otherwise a text full of beginnings would take forever.
APART = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|<!--.{0,300}?-->|(?<!`)(?P<tick>`{1,9})(?!`)[^\n]{1,2000}?(?<!`)(?P=tick)(?!`)"
    r"|https?://[^\s)>\]]+",
    re.DOTALL | re.MULTILINE,
)
NAMED = re.compile(r"([A-Z])-?(\d{1,12})")
RUN_INTERVAL = 1.96  # standard errors in half a 95% interval
NOISE_RUNS = 100  # the newest so many of A against A, as for verdicts
LONGEST = 80
PLACES = {"E": "experiments", "R": "runs", "H": "hypotheses", "F": "findings"}
SHELVES = {"kernel": "kernels", "reading": "reading", "card": "quiz/cards"}


@dataclass(frozen=True)
class Figure:
    """`text` is what to show beside the reference; `address` is its page on the dashboard."""

    reference: str
    text: str
    known: bool = True
    address: str = ""

    def document(self) -> dict[str, Any]:
        return {
            "reference": self.reference,
            "text": self.text,
            "known": self.known,
            "address": self.address,
        }


def references(text: str) -> list[tuple[int, int, str]]:
    """Where each begins and ends, and how it is written in full; none in code, comments or
    addresses."""
    apart = [match.span() for match in APART.finditer(text)]
    starts = [start for start, _ in apart]
    found = []
    for match in REFERENCE.finditer(text):
        start, end = match.span()
        before = bisect_right(starts, start) - 1
        if before >= 0 and start < apart[before][1]:
            continue
        if reference := spelled(match):
            found.append((start, end, reference))
    return found


def spelled(match: re.Match[str]) -> str | None:
    """`run:e-31` as `run:E-31`; None for what is none after all, such as `run:fast`."""
    kind, what = match["kind"], match["what"]
    if kind is None:
        return match["name"]
    if kind not in ("run", "exp"):
        return f"{kind}:{what}"
    named = NAMED.fullmatch(what.upper())
    if named is None or named[1] not in ("ER" if kind == "run" else "E"):
        return None
    return f"{kind}:{named[1]}-{int(named[2])}"


def figure(connection: sqlite3.Connection, reference: str) -> Figure:
    """What the book says of it now. One that the book does not know says so."""
    kind, _, what = reference.rpartition(":")
    if kind in ("", "run", "exp"):
        letter, _, number = what.partition("-")
        found = BY_LETTER[letter](connection, int(number))
    else:
        found = BY_KIND[kind](connection, what)
    if found is None:
        return Figure(reference, "not in this book", known=False)
    return Figure(reference, found, True, address(reference))


def address(reference: str) -> str:
    """The page of what is referred to, on the dashboard."""
    kind, _, what = reference.rpartition(":")
    return f"/{SHELVES.get(kind) or PLACES[what[0]]}/{what}"


def each_once(connection: sqlite3.Connection) -> Callable[[str], Figure]:
    """Figures by their references, for many texts that cite the same."""
    known: dict[str, Figure] = {}

    def found(reference: str) -> Figure:
        if reference not in known:
            known[reference] = figure(connection, reference)
        return known[reference]

    return found


def in_text(connection: sqlite3.Connection, text: str) -> list[Figure]:
    """Each once, in the order of the text."""
    wanted = dict.fromkeys(reference for _, _, reference in references(text))
    return [figure(connection, reference) for reference in wanted]


@dataclass(frozen=True)
class Pooled:
    """What the valid runs of an experiment showed, by the same counting as verdicts: since the last
    disqualified one."""

    metric: Metric
    state: str
    runs: list[tuple[str | None, float, float | None]]  # noise key, gain, error

    @property
    def gain(self) -> float | None:
        return sum(gain for _, gain, _ in self.runs) / len(self.runs) if self.runs else None


def pooled(connection: sqlite3.Connection, number: int) -> Pooled | None:
    row = connection.execute(
        "SELECT json_extract(plan, '$.metrics[0]'), state FROM experiments WHERE id = ?", (number,)
    ).fetchone()
    if row is None:
        return None
    found = Pooled(decode(Metric, json.loads(row[0])), row[1], [])
    for state, key, gain, error in connection.execute(
        "SELECT state, noise_key, gain, error FROM runs WHERE experiment_id = ? "
        "AND state IN ('valid', 'disqualified') ORDER BY id",
        (number,),
    ):
        if state == "disqualified":
            found.runs.clear()
        elif gain is not None:
            found.runs.append((key, gain, error))
    return found


def of_experiment(connection: sqlite3.Connection, number: int) -> str | None:
    found = pooled(connection, number)
    if found is None:
        return None
    if not found.runs:
        return f"no valid runs yet ({found.state})"
    from warpbook.book.statistics.evidence import evidence
    from warpbook.book.statistics.noise import NONE_YET, noise_of

    key, metric, noise = found.runs[-1][0], found.metric, NONE_YET
    if key:
        rows = connection.execute(
            "SELECT gains FROM runs WHERE noise_key = ? AND purpose = 'noise' "
            "AND state = 'valid' ORDER BY id DESC LIMIT ?",
            (key, NOISE_RUNS),
        )
        gains = [json.loads(row[0]) for row in rows if row[0]]
        noise = noise_of([one[metric.name][0] for one in gains if metric.name in one])
    thetas, errors = [gain for _, gain, _ in found.runs], [error or 0.0 for *_, error in found.runs]
    seen = evidence(thetas, errors, 0.0, noise)
    return f"{effect(metric, seen.estimate, seen.low, seen.high)}, {of_runs(seen.n)}"


def of_run(connection: sqlite3.Connection, number: int) -> str | None:
    row = connection.execute(
        "SELECT run.state, run.reason, run.gain, run.error, "
        "json_extract(experiment.plan, '$.metrics[0]') FROM runs AS run "
        "JOIN experiments AS experiment ON experiment.id = run.experiment_id WHERE run.id = ?",
        (number,),
    ).fetchone()
    if row is None:
        return None
    state, reason, gain, error, metric_text = row
    if gain is None:
        last = (reason or "").strip().splitlines()
        return f"{state}: {short(last[-1])}" if last else str(state)
    metric = decode(Metric, json.loads(metric_text))
    half = RUN_INTERVAL * (error or 0.0)
    ends = (gain - half, gain + half) if error is not None else (None, None)
    # A valid run before a disqualified one counts no more, yet it is what this run measured.
    return f"{effect(metric, gain, *ends)} in {metric.name}"


def of_hypothesis(connection: sqlite3.Connection, number: int) -> str | None:
    row = connection.execute(
        "SELECT verdict, state, metric, estimate, low, high, runs, stale FROM hypotheses "
        "WHERE id = ?",
        (number,),
    ).fetchone()
    if row is None:
        return None
    verdict, state, metric_text, estimate, low, high, runs, stale = row
    metric = decode(Metric, json.loads(metric_text))
    said = [verdict if state == "active" else f"{verdict}, {state}"]
    said.append(
        f"{effect(metric, estimate, low, high)}, {of_runs(runs)}" if runs else "no runs yet"
    )
    return ", ".join([*said, *stale_words(stale)])


def of_finding(connection: sqlite3.Connection, number: int) -> str | None:
    row = connection.execute(
        "SELECT metric, gain, low, high, runs, state, stale FROM findings WHERE id = ?", (number,)
    ).fetchone()
    if row is None:
        return None
    metric_text, gain, low, high, runs, state, stale = row
    said = []
    if metric_text and gain is not None:
        metric = decode(Metric, json.loads(metric_text))
        said.append(f"{effect(metric, gain, low, high)}, {of_runs(len(json.loads(runs)))}")
    if state != "active":
        said.append(state)
    return ", ".join([*said, *stale_words(stale)]) or "quotes no effect"


def of_reading(connection: sqlite3.Connection, key: str) -> str | None:
    row = entry(connection, "reading", key)
    return f"{short(row[0])}, {row[1]}" if row else None


def of_card(connection: sqlite3.Connection, key: str) -> str | None:
    row = entry(connection, "card", key)
    return short(row[0]) if row else None


def entry(connection: sqlite3.Connection, kind: str, key: str) -> Any:
    return connection.execute(
        "SELECT title, state FROM journal_entries WHERE kind = ? AND key = ?", (kind, key)
    ).fetchone()


def of_runs(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"


def stale_words(stale: str) -> list[str]:
    return [f"stale: {short(stale)}"] if stale else []


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


BY_LETTER: dict[str, Callable[[sqlite3.Connection, int], str | None]] = {
    "E": of_experiment,
    "R": of_run,
    "H": of_hypothesis,
    "F": of_finding,
}
BY_KIND: dict[str, Callable[[sqlite3.Connection, str], str | None]] = {
    "kernel": best_rung.words,
    "reading": of_reading,
    "card": of_card,
}
