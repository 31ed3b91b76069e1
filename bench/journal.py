"""The bars on the journal's speed: with 2,000 days, 5,000 reading items and 10,000 cards every verb
answers within 300 ms beyond the start of the program, and the whole index is made within 20 s.

A verb's time is the median of five calls, each less that of `warpbook --version` called right
before it; those that change something are called on the same journal, one after another. Two or
three minutes; `--book DIR` keeps the journal there, and takes one that is there already.
"""

import argparse
import json
import os
import resource
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import median

from big_journal import build

VERB_BAR_S, REINDEX_BAR_S = 0.3, 20.0
TIMES = 5
TODAY = date.today()
# What follows `warpbook`. {n} differs with every call, so that none adds what is there already; the
# others name something of the journal.
VERBS = (
    "find bank",
    "find 'bank conflicts' --json",
    "find occupancy --kind card",
    "day",
    "day 'one more line {n}'",
    "day show {day}",
    "day list --limit 2000",
    "day list --json",
    "day draft",
    "plan",
    "plan --all",
    "plan add 'look at {n}'",
    "calendar",
    "summary --week",
    "summary --month",
    "claim list",
    "claim list --json",
    "claim link {claim} E-1",
    "reading list",
    "reading list --topic topic-07 --json",
    "reading list --search occupancy",
    "reading list --questions",
    "reading list --doubled",
    "reading show {reading}",
    "reading next",
    "reading add https://example.org/new/{n} --topic topic-07",
    "reading start {reading} --up-to '{n}'",
    "reading done {reading}",
    "reading revisit {reading}",
    "reading note {reading} 'a note {n}'",
    "reading question {reading} 'why {n}?'",
    "reading set {reading} --tier 2",
    "feed list",
    "feed pull",
    "import log {log}",
    "import log {log} --write",
    "import anki {anki}",
    "export log {out} --since {recently}",
    "export anki {out} --topic deck-07",
    "export post --thread",
    "export rss {out}",
    "card add 'What is {n}?' 'It is {n}.' --topic bench",
    "card list",
    "card list --topic deck-07 --search warp",
    "card topics",
    "card show {card}",
    "card flag {card}",
    "card unflag {card}",
    "card suspend {card}",
    "card unsuspend {card}",
    "card proposals",
    "quiz",
    "quiz --topic deck-07",
    "teach softmax",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, help="the journal to use; built where there is none")
    parser.add_argument("--only", default="", help="verbs that begin so, alone")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpbook-journal-") as scratch:
        folder = asked.book or Path(scratch) / "book"
        if not (folder / "warpbook.toml").exists():
            print(f"building a journal in {folder}", flush=True)
            build(folder, TODAY)
        return measure(folder, asked.only)


def measure(folder: Path, only: str) -> int:
    missed = []
    missed += ["reindex"] if line("reindex", reindex(folder), REINDEX_BAR_S) else []
    line("start of the program", timed(folder, "--version", {}), 1.0)
    names = named(folder) | beside(folder)
    for verb in VERBS:
        if not verb.startswith(only):
            continue
        if line(verb, timed(folder, verb, names, "--version"), VERB_BAR_S):
            missed.append(verb)
    print(f"{len(missed)} of {len(VERBS) + 1} bars missed" if missed else "every bar is met")
    return 1 if missed else 0


@dataclass(frozen=True, order=True)
class Spent:
    """`cpu_s` tells how much of a missed bar is due to a machine that is busy with other things."""

    wall_s: float
    cpu_s: float

    def beyond(self, start: "Spent") -> "Spent":
        return Spent(self.wall_s - start.wall_s, self.cpu_s - start.cpu_s)


def line(name: str, spent: Spent, bar_s: float) -> bool:
    missed = spent.wall_s > bar_s
    said = f"missed, the bar is {bar_s:g} s" if missed else ""
    times = f"{spent.wall_s * 1e3:8.0f} ms {spent.cpu_s * 1e3:8.0f} ms of CPU"
    print(f"{name:54} {times}  {said}".rstrip(), flush=True)
    return missed


def reindex(folder: Path) -> Spent:
    ended, spent = call(folder, ["reindex", "--json"])
    document = json.loads(ended.stdout)
    print(f"{document['files']} files, {document['entries']} entries", flush=True)
    for problem in document["problems"][:5]:
        print(f"  {problem}")
    return spent


def named(folder: Path) -> dict[str, str]:
    """Something of each kind, from the middle of the journal."""
    query = "SELECT key FROM journal_entries WHERE kind = ? ORDER BY date, key LIMIT 1 OFFSET 1000"
    with closing(sqlite3.connect(folder / "book.db")) as book:
        kinds = ("day", "card", "reading", "claim")
        return {kind: book.execute(query, (kind,)).fetchone()[0] for kind in kinds}


def beside(folder: Path) -> dict[str, str]:
    """Files to import from, and one to export to, in the folder around the book."""
    log, anki = folder.parent / "log.md", folder.parent / "anki.txt"
    log.write_text(f"# 365 days of CUDA\n\n## {TODAY}\n\nRead https://example.org/imported\n")
    anki.write_text("What is a lane?\tOne thread of a warp.\n")
    recently = TODAY - timedelta(days=30)
    return {
        "log": str(log),
        "anki": str(anki),
        "out": str(folder.parent / "out-{n}"),
        "recently": str(recently),
    }


def timed(folder: Path, verb: str, names: dict[str, str], beyond: str = "") -> Spent:
    """The median of a verb's times, after one call that is not counted; with `beyond`, of what they
    are over those of another verb, called in turns with it."""
    calls = []
    for _ in range(TIMES + 1):
        less = call(folder, [beyond])[1] if beyond else Spent(0.0, 0.0)
        words = shlex.split(
            verb.format(n=time.time_ns(), **names).replace("{n}", str(time.time_ns()))
        )
        calls.append(call(folder, words)[1].beyond(less))
    return Spent(median(one.wall_s for one in calls[1:]), median(one.cpu_s for one in calls[1:]))


def call(folder: Path, words: list[str]) -> tuple[subprocess.CompletedProcess[str], Spent]:
    started, before = time.perf_counter(), children_s()
    ended = subprocess.run(
        [sys.executable, "-m", "warpbook", *words],
        env=os.environ | {"WARPBOOK": str(folder), "EDITOR": "true", "NO_COLOR": "1"},
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    spent = Spent(time.perf_counter() - started, children_s() - before)
    if ended.returncode not in (0, 1, 130):  # a quiz that nobody answers is interrupted
        print(f"  {ended.returncode}: {ended.stdout}{ended.stderr}")
    return ended, spent


def children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
