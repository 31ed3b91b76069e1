"""The bars on the dashboard's speed: with 100,000 experiments, 1,000 open hypotheses and a graph of
5,000 nodes, every page is usable within 2 s, and an event is on screen within 1 s. A page is usable
once its main part is on screen and a click in it has done its work.

Each page is opened by a browser that has nothing cached, as the first to ask for it, then once more
after the book has changed. About 8 minutes on two cores, most of it to build the book; `--book DIR`
keeps the book there, and takes one that is there already.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import quote

from desks import Served, browser, context
from full_book import EXPERIMENTS, GRAPH, OPEN, PAST, build_full

from warpbook.book.book import Book
from warpbook.book.folder import DATABASE
from warpbook.book.tables import Run

PAGE_BAR_S, EVENT_BAR_S = 2.0, 1.0
NOTES = 20
GPU = "NVIDIA%20H200"  # whose receipts are in `results/`
AWAY_S = 3.0  # at most, between two notes
Act = Callable[[Any], None]

# Another process, as a worker or an agent is: a note a line, and the time once it is in the book.
WRITER = """
import sys, time
from pathlib import Path
from warpbook.book.book import Book
book = Book.open(Path(sys.argv[1]))
for line in sys.stdin:
    book.log.note(line.strip())
    print(time.time(), flush=True)
"""


@dataclass(frozen=True)
class Stop:
    """`shown` is what must be visible; `act` a click or a word typed, and what comes of it."""

    name: str
    address: str
    shown: str
    act: Act


def theme(page: Any) -> None:
    """A click that the page answers by itself, as soon as it has time for it."""
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("[data-theme-switch]")
    page.wait_for_function(
        "before => getComputedStyle(document.body).backgroundColor !== before", arg=before
    )


def follow(link: str, then: str) -> Act:
    def act(page: Any) -> None:
        page.locator(link).first.click()
        page.locator(then).first.wait_for()

    return act


def search(words: str, then: str) -> Act:
    def act(page: Any) -> None:
        page.locator("main input[type=search]").first.fill(words)
        page.locator(then).first.wait_for()

    return act


def open_group(page: Any) -> None:
    count = "document.querySelectorAll('.kg-node').length"
    before = page.evaluate(count)
    page.locator("a.k-group").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"before => {count} !== before", arg=before)


def stops(book: Book) -> list[Stop]:
    under_way = book.runs.list(state="running")[0]
    with book.reading() as session:
        often = session.get_one(Run, under_way.id - 1)
    most = f"E-{often.experiment_id}"
    table = "main tbody tr >> nth=20"
    return [
        Stop("now", "/", "#log li >> nth=10", theme),
        Stop("log", "/log", "#log li >> nth=40", follow("text=older", "text=the newest")),
        Stop("log, of a kind", "/log?kind=run.valid", "#log li >> nth=40", theme),
        Stop("log, by words", "/log?words=idea77", "main h1", theme),
        Stop("campaigns", "/campaigns", "main a[href*='/campaigns/']", theme),
        Stop(
            "campaign", "/campaigns/campaign%202", "main .pages",
            follow("main .pages a:has-text('next')", "main .pages a:has-text('before')"),
        ),
        Stop("hypothesis", "/hypotheses/H-7", "main h1", theme),
        Stop("a past hypothesis", f"/hypotheses/H-{OPEN + 5}", "main h1", theme),
        Stop("findings", "/findings", "main a[href*='/findings/'] >> nth=20", theme),
        Stop("finding", "/findings/F-77", "main h1", theme),
        Stop(
            "experiments", "/experiments", table,
            follow("main .pages a:has-text('next')", "main .pages :text('51–100')"),
        ),
        Stop(
            "experiments, a word typed", "/experiments", table,
            search("idea777", "main tbody tr:first-child :text('idea777')"),
        ),
        Stop("experiments, by cost", "/experiments?sort=-cost", table, theme),
        Stop("experiments, by effect", "/experiments?sort=-effect", table, theme),
        Stop("experiments, by title", "/experiments?sort=title", table, theme),
        Stop("experiments, done", "/experiments?state=done", table, theme),
        Stop("experiments, by words", "/experiments?search=idea77", "main tbody tr", theme),
        Stop("experiments, by a common word", "/experiments?search=softmax", table, theme),
        Stop("experiments, the last page", f"/experiments?page={EXPERIMENTS // 50}", table, theme),
        Stop("experiment", f"/experiments/E-{PAST // 2}", "main h1", theme),
        Stop("experiment with many runs", f"/experiments/{most}", "main h1", theme),
        Stop("experiment that waits", f"/experiments/E-{PAST + 1}", "main h1", theme),
        Stop(
            "compare", f"/experiments/compare?of=E-{PAST // 2},E-{PAST // 3},{most}", "main h1",
            theme,
        ),
        Stop("run", f"/runs/{often.name}", "main h1", theme),
        Stop("run under way", f"/runs/{under_way.name}", "main h1", theme),
        Stop("graph of 5,000 nodes", f"/graph?campaign={quote(GRAPH)}", "a.k-group", open_group),
        Stop("graph of the open campaign", "/graph?campaign=campaign%202", "main svg", theme),
        Stop("graph around a hypothesis", "/graph?node=H-7", "main svg", theme),
        Stop("kernels", "/kernels", "main a[href*='/kernels/']", theme),
        Stop("ladder", "/kernels/softmax", "main tbody tr >> nth=10", theme),
        Stop("ladder that was measured", f"/kernels/softmax?device={GPU}", "main svg", theme),
        Stop("calibration", "/calibration", "main svg", theme),
    ]  # fmt: skip


def visit(page: Any, stop: Stop) -> float:
    began = time.perf_counter()
    page.goto(stop.address, wait_until="commit")
    page.locator(stop.shown).first.wait_for()
    stop.act(page)
    return time.perf_counter() - began


class Writer:
    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", WRITER, str(folder)]
        self.process = Popen(command, stdin=PIPE, stdout=PIPE, text=True)

    def note(self, text: str) -> float:
        """When it was in the book, since the epoch."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(20)


def visit_all(launched: Any, served: Served, writer: Writer, asked: list[Stop]) -> bool:
    ok = True
    print(f"{'page':<34}{'first':>9}{'again':>9}   (bar {PAGE_BAR_S:g} s)")
    for stop in asked:
        fresh = context(launched, served)
        page = fresh.new_page()
        taken = []
        for _ in range(2):
            try:
                taken.append(visit(page, stop))
            except Exception as error:
                print(f"{stop.name}: {str(error).splitlines()[0]}")
                taken.append(float("inf"))
                break
            page.goto("about:blank")
            writer.note(f"{stop.name} was opened")
        fresh.close()
        worst = max(taken)
        ok = ok and worst <= PAGE_BAR_S
        shown = "".join(f"{seconds:>7.2f} s" for seconds in taken)
        print(f"{stop.name:<34}{shown}{'' if worst <= PAGE_BAR_S else '   over'}", flush=True)
    return ok


def watch_events(launched: Any, served: Served, writer: Writer) -> bool:
    """Two browsers on Now; both must show each note."""
    draw = random.Random(7)
    pages = [context(launched, served).new_page() for _ in range(2)]
    for page in pages:
        page.goto("/")
        page.locator("#log li").first.wait_for()
        page.evaluate(SEEN)
    delays = []
    for number in range(NOTES):
        time.sleep(draw.uniform(0.0, AWAY_S))
        text = f"note {number} of the bar on events, {time.time_ns()}"
        written = writer.note(text)
        for page in pages:
            page.wait_for_function("text => text in window.seen", arg=text)
            delays.append(page.evaluate("text => window.seen[text]", text) / 1000 - written)
    middle, worst = sorted(delays)[len(delays) // 2], max(delays)
    print(
        f"an event on screen, two browsers: median {middle:.2f} s, worst of {len(delays)} "
        f"{worst:.2f} s (bar {EVENT_BAR_S:g} s)"
    )
    return worst <= EVENT_BAR_S


# When each note of ours was first drawn.
SEEN = """() => {
  window.seen = {};
  const look = () => {
    for (const [text] of (document.querySelector("#log")?.textContent || "")
        .matchAll(/note [0-9]+ of the bar on events, [0-9]+/g)) window.seen[text] ??= Date.now();
    requestAnimationFrame(look);
  };
  look();
}"""


def measure(folder: Path, only: str) -> bool:
    book = Book.open(folder)
    asked = [stop for stop in stops(book) if only in stop.name]
    book.close()
    began = time.perf_counter()
    served = Served(folder)
    print(f"the dashboard starts in {time.perf_counter() - began:.1f} s")
    writer = Writer(folder)
    try:
        with browser() as launched:
            ok = visit_all(launched, served, writer, asked)
            return watch_events(launched, served, writer) and ok
    finally:
        writer.close()
        served.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, help="keep the book here")
    parser.add_argument("--only", default="", help="pages whose name has this")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpbook-pages-") as temporary:
        folder = asked.book or Path(temporary) / "book"
        if not folder.exists():
            began = time.perf_counter()
            book = Book.create(folder, author="ana")
            build_full(book)
            size = (folder / DATABASE).stat().st_size / 1e6
            print(f"built in {time.perf_counter() - began:.0f} s: {size:.0f} MB")
            book.close()
        return 0 if measure(folder, asked.only) else 1


if __name__ == "__main__":
    sys.exit(main())
