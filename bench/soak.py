"""The bar on memory: with Now and a graph open in a browser, tabs that come and go, and several
changes of the book a second, the dashboard's memory stays flat, and so does that of both tabs.

Flat: over the last two thirds of the time, the line through what was measured rises by at most
10 MB for the dashboard and 5 MB for a tab. In an hour some hundred MB are sent; keeping a small
part of it would show. Less time will do where more is sent: `--seconds 8 --tabs 8 --sent 12` goes
on until 12 MB were. Over the last two thirds of that a dashboard grows by 1 to 3 MB, being new, and
one that keeps the markup of its panels by some 10 MB: hence `--bar 5`.
"""

import argparse
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desks import Desk, Served, browser, context

from warpbook.book import run_folder, telemetry
from warpbook.book.book import Book
from warpbook.book.folder import RUNS

SERVER_BAR_MB, TAB_BAR_MB = 10.0, 5.0
HOUR_S = 3600.0
LOOKS = 12  # measurements in all, at least
LOOK_S = 60.0
WARM_UP = 1 / 3  # of the time
CHANGES_S = 5.0
TAB_S = 10.0  # so often a tab is opened and closed
WAITING = 30  # experiments in the queue, at least
STEPS = 12  # changes from a run's start to its end
DEVICES = ("cpu", "GPU-0b0e2a52-7d2c-4d3f-9a55-0f6d6a6c1a01")


def write(folder: str, changes_s: float) -> None:
    """Work on the book until killed: runs that print and end, notes, pins, and telemetry."""
    desk, draw = Desk(Book.open(Path(folder))), random.Random(8)
    book, run, sampled, number = desk.book, None, 0.0, 0
    while True:
        began = time.monotonic()
        number += 1
        if number % STEPS == 0:
            if run:
                desk.record(run, desk.receipt(run, draw.gauss(0.1, 0.1)))
            run = begin(desk, number)
        elif number % 4 == 0:
            pin_any(book, draw)
        else:
            book.log.note(f"change {number} of the soak")
        if run:
            with open(book.folder / RUNS / run.name / run_folder.LOG, "a") as log:
                log.write(f"line {number}\n" * 20)
        if time.time() - sampled >= 1:
            sampled = time.time()
            telemetry.record(book, [sample(device, sampled) for device in DEVICES])
        time.sleep(max(1 / changes_s - (time.monotonic() - began), 0))


def begin(desk: Any, number: int) -> Any:
    """A run of what is first in the queue, which is kept long enough to reorder."""
    waiting = desk.book.queue.order()
    for more in range(max(WAITING - len(waiting), 0)):
        desk.tried(f"idea {number}.{more}")
    first = desk.book.queue.order(1)[0]
    run = desk.start(first.experiment)
    (desk.book.folder / RUNS / run.name).mkdir(parents=True)
    return run


def pin_any(book: Book, draw: random.Random) -> None:
    name = draw.choice(book.queue.order()[:10]).experiment.name
    pinned = book.experiments.get(name).pinned
    (book.experiments.unpin if pinned else book.experiments.pin)(name)


def sample(device: str, at: float) -> dict[str, Any]:
    busy = random.random()
    return {
        "at": at, "span_s": 1.0, "device": device, "utilisation": busy,
        "memory_bytes": int(8e10 * busy), "memory_total_bytes": 141 * 10**9,
        "clock_mhz": 1980.0, "memory_clock_mhz": 3201.0, "power_w": 300.0 * busy,
        "temperature_c": 60.0, "processes": [],
    }  # fmt: skip


@dataclass
class Memory:
    """What was measured of one process or tab: seconds since the start, and MB."""

    name: str
    bar_mb: float
    at_s: list[float] = field(default_factory=list)
    used_mb: list[float] = field(default_factory=list)

    def add(self, at_s: float, used_mb: float) -> None:
        self.at_s.append(at_s)
        self.used_mb.append(used_mb)

    def growth_mb(self) -> float:
        """Of the line through what came after the warm-up, from its start to its end."""
        end = self.at_s[-1]
        late = [i for i, at in enumerate(self.at_s) if at >= WARM_UP * end]
        line = statistics.linear_regression(
            [self.at_s[i] for i in late], [self.used_mb[i] for i in late]
        )
        return line.slope * (1 - WARM_UP) * end

    def told(self) -> str:
        return (
            f"{self.name}: {self.used_mb[0]:.1f} MB at first, {self.used_mb[-1]:.1f} MB at the "
            f"end, growing by {self.growth_mb():+.1f} MB (bar {self.bar_mb:g} MB)"
        )


class Tab:
    """A page that stays open, what it was sent, and its own memory."""

    def __init__(self, within: Any, address: str) -> None:
        self.sent_mb = 0.0
        self.page = within.new_page()
        self.page.on("websocket", lambda socket: socket.on("framereceived", self.received))
        self.page.goto(address)
        self.page.locator("main h1").wait_for()
        self.tools = within.new_cdp_session(self.page)
        self.tools.send("Performance.enable")

    def received(self, frame: str | bytes) -> None:
        self.sent_mb += len(frame) / 1e6

    def used_mb(self) -> float:
        self.tools.send("HeapProfiler.collectGarbage")
        found = self.tools.send("Performance.getMetrics")["metrics"]
        return float(next(m["value"] for m in found if m["name"] == "JSHeapUsedSize")) / 1e6


def resident_mb(pid: int) -> float:
    """Memory of its own, without files that it maps."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def soak(folder: Path, asked: argparse.Namespace) -> list[Memory]:
    served = Served(folder)
    spawn = multiprocessing.get_context("spawn")
    writer = spawn.Process(target=write, args=(str(folder), asked.changes), daemon=True)
    writer.start()
    try:
        with browser() as launched:
            return watch(launched, served, asked)
    finally:
        writer.kill()
        writer.join()
        served.stop()


def watch(launched: Any, served: Served, asked: argparse.Namespace) -> list[Memory]:
    within = context(launched, served)
    tabs = [Tab(within, "/"), Tab(within, "/graph?campaign=inbox")]
    more = [Tab(within, "/") for _ in range(asked.tabs)]
    dashboard = Memory("the dashboard", asked.bar)
    seen = [Memory(f"the tab on {name}", TAB_BAR_MB) for name in ("Now", "Graph")]
    began, opened, passed, sent_mb = time.monotonic(), 0, 0.0, 0.0
    while passed < asked.seconds or sent_mb < asked.sent or len(dashboard.at_s) < LOOKS:
        while opened < int(passed / TAB_S):
            come_and_go(launched, served)
            opened += 1
        tabs[0].page.wait_for_timeout(1000 * min(LOOK_S, asked.seconds / LOOKS))
        passed = time.monotonic() - began
        sent_mb = sum(tab.sent_mb for tab in (*tabs, *more))
        dashboard.add(passed, resident_mb(served.process.pid))
        for memory, tab in zip(seen, tabs, strict=True):
            memory.add(passed, tab.used_mb())
    refuse_dead(tabs[0])
    print(f"{passed:.0f} s, {sent_mb:.0f} MB sent, {opened} tabs came and went")
    return [dashboard, *seen]


def come_and_go(launched: Any, served: Served) -> None:
    tab = context(launched, served)
    page = tab.new_page()
    page.goto("/experiments")
    tab.close()


def refuse_dead(tab: Tab) -> None:
    """A page that shows nothing new would have flat memory too."""
    before = tab.page.locator("#log li").first.inner_text()
    tab.page.wait_for_function(
        "before => document.querySelector('#log li').innerText !== before", arg=before
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=HOUR_S)
    parser.add_argument("--changes", type=float, default=CHANGES_S, help="a second")
    parser.add_argument("--tabs", type=int, default=0, help="more of them, on Now")
    parser.add_argument("--sent", type=float, default=0.0, help="go on until so many MB are")
    parser.add_argument("--bar", type=float, default=SERVER_BAR_MB, help="of the dashboard, in MB")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpbook-soak-") as temporary:
        folder = Path(temporary) / "book"
        book = Book.create(folder, author="ana")
        begin(Desk(book), 0)
        book.close()
        seen = soak(folder, asked)
    for memory in seen:
        print(memory.told())
    return 0 if all(memory.growth_mb() <= memory.bar_mb for memory in seen) else 1


if __name__ == "__main__":
    sys.exit(main())
