"""The bar on the first minutes: from `warpbook up` on a new book to the first verdict of its
starter campaign, at most a minute on a GPU and five on a CPU. Prints when each step came. Where
others use the machine meanwhile, runs are invalid, and it takes longer."""

import json
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from warpbook.book.book import Book
from warpbook.book.run_folder import read_steps
from warpbook.core.machine import choose_device

BARS_S = {"cuda": 60.0, "cpu": 300.0}
LONGEST = 4  # times the bar: later than that is not waited for
PAUSE_S = 0.1
SHOWN = ("worker.", "run.", "queue.reordered", "verdict.changed")
VERDICT = "verdict.changed"
ROUND = re.compile(r"round (?!1$)\d+$")


def main() -> int:
    device = choose_device(None)
    bar_s = BARS_S[device]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "book"
        began = time.monotonic()
        command = [sys.executable, "-m", "warpbook", "up", "--json", "--port", "0"]
        with subprocess.Popen(
            [*command, "--book", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as up:
            try:
                took_s = first_verdict(up, folder, began, LONGEST * bar_s)
            finally:
                up.terminate()
                up.wait()
    if took_s is None:
        print(f"no verdict within {LONGEST * bar_s:g} s (bar {bar_s:g} s on {device})")
        return 1
    print(f"the first verdict after {took_s:.1f} s (bar {bar_s:g} s on {device})")
    return 0 if took_s <= bar_s else 1


def first_verdict(
    up: "subprocess.Popen[str]", folder: Path, began: float, limit_s: float
) -> float | None:
    assert up.stdout is not None
    document = ""
    while not document.endswith("}\n"):
        line = up.stdout.readline()
        if not line:
            sys.exit(f"warpbook up ended with {up.wait()}")
        document += line
    print(f"{time.monotonic() - began:6.1f} s  {json.loads(document)['address']} answers")
    book, seen = Book.open(folder), 0
    try:
        while (now_s := time.monotonic() - began) < limit_s:
            for event in book.log.list(after=seen, limit=1000):
                seen = event.id
                if event.kind.startswith(SHOWN):
                    print(f"{now_s:6.1f} s  {event.text}", flush=True)
                if event.kind == "run.valid":
                    print_steps(folder / "runs" / event.subject)
                if event.kind == VERDICT:
                    return now_s
            time.sleep(PAUSE_S)
    finally:
        book.close()
    return None


def print_steps(folder: Path) -> None:
    """How long each took, rounds as one."""
    steps = [step for step in read_steps(folder) if not ROUND.search(step.text)]
    times = [datetime.fromisoformat(step.at) for step in steps]
    for step, at, until in zip(steps, times, times[1:], strict=False):
        print(f"{'':11}{(until - at).total_seconds():5.1f} s  {step.text}")


if __name__ == "__main__":
    sys.exit(main())
