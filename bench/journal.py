"""The bars on the journal's speed: with 2,000 days, 5,000 reading items and 10,000 cards every verb
answers within 300 ms beyond the start of the program, and the whole index is made within 20 s.

A verb's time is the median of five calls, less that of five calls of `warpbook --version`; those
that change something are called on the same journal, one after another. A minute or two, most of it
to build the journal; `--book DIR` keeps it there, and takes one that is there already.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from statistics import median

from big_journal import build

VERB_BAR_S, REINDEX_BAR_S = 0.3, 20.0
TIMES = 5
TODAY = date.today()
# What follows `warpbook`; N is the number of the call, so that none adds what is there already.
VERBS = (
    "find bank",
    "find 'bank conflicts' --json",
    "find occupancy --kind card",
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
    seconds = reindex(folder)
    missed += ["reindex"] if line("reindex", seconds, REINDEX_BAR_S) else []
    start = timed(folder, "--version")
    print(f"{'start of the program':54} {start * 1e3:8.0f} ms", flush=True)
    for verb in VERBS:
        if verb.startswith(only) and line(verb, timed(folder, verb) - start, VERB_BAR_S):
            missed.append(verb)
    print(f"{len(missed)} of {len(VERBS) + 1} bars missed" if missed else "every bar is met")
    return 1 if missed else 0


def line(name: str, seconds: float, bar_s: float) -> bool:
    missed = seconds > bar_s
    said = f"missed, the bar is {bar_s:g} s" if missed else ""
    print(f"{name:54} {seconds * 1e3:8.0f} ms  {said}".rstrip(), flush=True)
    return missed


def reindex(folder: Path) -> float:
    started = time.perf_counter()
    ended = call(folder, ["reindex", "--json"])
    seconds = time.perf_counter() - started
    document = json.loads(ended.stdout)
    print(f"{document['files']} files, {document['entries']} entries", flush=True)
    for problem in document["problems"][:5]:
        print(f"  {problem}")
    return seconds


def timed(folder: Path, verb: str) -> float:
    """The median wall time of a verb, after one call that is not counted."""
    import shlex

    spent = []
    for number in range(TIMES + 1):
        words = shlex.split(verb.replace("N", str(time.time_ns())))
        started = time.perf_counter()
        call(folder, words)
        spent.append(time.perf_counter() - started)
        del number
    return median(spent[1:])


def call(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, "-m", "warpbook", *words],
        env=os.environ | {"WARPBOOK": str(folder), "EDITOR": "true", "NO_COLOR": "1"},
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode not in (0, 1):
        raise SystemExit(f"warpbook {' '.join(words)}: {ended.stdout}{ended.stderr}")
    return ended


if __name__ == "__main__":
    sys.exit(main())
