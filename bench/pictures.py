"""The pictures in docs/pictures: a new book, its starter campaign run for real on this machine's
device, and each page as Chromium then draws it. Not a bar. Ten minutes or so on an idle machine; on
a busy one runs are invalid, and it gives up. `--book DIR` takes a book that is there, such as one
that was worked on a GPU, and runs nothing; Now, which shows work under way, stays as it was.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desks import browser

from warpbook.book.book import Book

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH, HEIGHT = 1200, 760
MOST_KB = 150
LIMIT_S = 1800.0
LOOK_S = 0.5
AS_ANA = {**os.environ, "LOGNAME": "ana"}
PROBLEM = "vector_add"  # its ladder is judged for the page of kernels


def warpbook(*words: str, book: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "warpbook", *words, "--book", str(book)],
        stdout=subprocess.DEVNULL,
        env=AS_ANA,
        check=False,
    )
    if ended.returncode > 1:
        sys.exit(f"warpbook {' '.join(words)} ended with {ended.returncode}")


def wait_until(book: Book, is_so: Callable[[], bool], what: str) -> None:
    began = time.monotonic()
    while not is_so():
        if time.monotonic() - began > LIMIT_S:
            sys.exit(f"no {what} within {LIMIT_S / 60:g} minutes; is the machine busy?")
        time.sleep(LOOK_S)


def verdicts(book: Book) -> dict[str, list[str]]:
    """Names of hypotheses by verdict."""
    found: dict[str, list[str]] = {"open": [], "supported": [], "refuted": []}
    for one in book.hypotheses.list():
        found[one.verdict].append(one.name)
    return found


def decided(book: Book) -> int:
    found = verdicts(book)
    return len(found["supported"]) + len(found["refuted"])


def is_midway(book: Book) -> bool:
    """Something is decided, something runs, and something waits."""
    return bool(decided(book) and book.runs.list(state="running") and book.queue.order(1))


def is_over(book: Book) -> bool:
    return not book.queue.order(1) and not book.runs.list(state="running")


def up(folder: Path, *options: str) -> "tuple[subprocess.Popen[str], str]":
    """`warpbook up`, and the link it prints."""
    command = [sys.executable, "-m", "warpbook", "up", "--json", "--port", "0", *options]
    process = subprocess.Popen(
        [*command, "--book", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=AS_ANA,
        text=True,
    )
    assert process.stdout
    document = ""
    while not document.endswith("}\n"):
        line = process.stdout.readline()
        if not line:
            sys.exit(f"warpbook up ended with {process.wait()}")
        document += line
    return process, str(json.loads(document)["link"])


class Camera:
    def __init__(self, launched: Any, link: str) -> None:
        self.address = link.partition("/enter")[0]
        size = {"width": WIDTH, "height": HEIGHT}
        self.page = launched.new_context(viewport=size, reduced_motion="reduce").new_page()
        self.page.goto(link)
        self.too_large: list[str] = []

    def take(self, name: str, address: str, theme: str = "light") -> None:
        """What fits on a screen, at most."""
        self.page.emulate_media(color_scheme=theme)
        self.page.goto(self.address + address)
        self.page.locator("main h1").wait_for()
        self.page.wait_for_timeout(1000)
        file = PICTURES / f"{name}.png"
        self.page.screenshot(path=file)
        size_kb = file.stat().st_size / 1000
        print(f"{file.name}: {size_kb:.0f} KB", flush=True)
        if size_kb > MOST_KB:
            self.too_large.append(file.name)


def work(camera: Camera, book: Book) -> None:
    """The starter campaign to its end, with pictures on the way."""
    wait_until(book, lambda: is_midway(book), "verdict while others wait")
    camera.take("now", "/")
    camera.take("now-dark", "/", "dark")
    wait_until(book, lambda: is_over(book), "end of the queue")
    for name in verdicts(book)["refuted"][:1]:
        said = f"Not so on this machine: {book.hypotheses.get(name).claim}"
        warpbook("finding", "add", said, "--refutes", name, book=book.folder)
    warpbook("ladder", PROBLEM, book=book.folder)


def shoot(camera: Camera, book: Book) -> None:
    found = verdicts(book)
    shown = [*found["refuted"], *found["supported"]][-1]
    tried = book.hypotheses.summary(shown).experiments[0]
    camera.take("campaign", "/campaigns/starter")
    camera.take("hypothesis", f"/hypotheses/{shown}")
    camera.take("experiments", "/experiments")
    camera.take("experiment", f"/experiments/{tried.name}")
    camera.take("graph", "/graph?campaign=starter")
    camera.take("kernels", f"/kernels/{book.experiments.plan(tried.name).problem}")
    camera.take("calibration", "/calibration")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, help="a book with a starter campaign that was run")
    given = parser.parse_args().book
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = given or Path(scratch) / "mybook"
        process, link = up(folder, *(["--no-worker"] if given else []))
        book = Book.open(folder)
        try:
            with browser() as launched:
                camera = Camera(launched, link)
                if not given:
                    work(camera, book)
                shoot(camera, book)
        finally:
            book.close()
            process.terminate()
            process.wait(60)
    if camera.too_large:
        print(f"larger than {MOST_KB} KB: {', '.join(camera.too_large)}")
    return 1 if camera.too_large else 0


if __name__ == "__main__":
    sys.exit(main())
