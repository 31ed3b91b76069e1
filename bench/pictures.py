"""The pictures in docs/pictures: a new book, its starter campaign run for real on this machine's
device, and each page as Chromium then draws it. Not a bar. Ten minutes or so on an idle machine; on
a busy one runs are invalid, and it gives up.
"""

import json
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
WIDTH, HEIGHT = 1200, 900
MOST_KB = 150
LIMIT_S = 1800.0
LOOK_S = 0.5
PROBLEM = "vector_add"  # its ladder is judged for the page of kernels


def warpbook(*words: str, book: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "warpbook", *words, "--book", str(book)],
        stdout=subprocess.DEVNULL,
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


def up(folder: Path) -> "tuple[subprocess.Popen[str], str]":
    """`warpbook up`, and the link it prints."""
    command = [sys.executable, "-m", "warpbook", "up", "--json", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--book", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
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
            sys.exit(f"{file} is larger than {MOST_KB} KB")


def shoot(launched: Any, link: str, book: Book) -> None:
    camera = Camera(launched, link)
    wait_until(book, lambda: is_midway(book), "verdict while others wait")
    camera.take("now", "/")
    camera.take("now-dark", "/", "dark")
    wait_until(book, lambda: is_over(book), "end of the queue")
    found = verdicts(book)
    for name in found["refuted"][:1]:
        said = f"Not so on this machine: {book.hypotheses.get(name).claim}"
        warpbook("finding", "add", said, "--refutes", name, book=book.folder)
    warpbook("ladder", PROBLEM, book=book.folder)
    shown = [*found["refuted"], *found["supported"]][-1]
    camera.take("campaign", "/campaigns/starter")
    camera.take("hypothesis", f"/hypotheses/{shown}")
    camera.take("experiments", "/experiments")
    camera.take("experiment", f"/experiments/{book.hypotheses.summary(shown).experiments[0].name}")
    camera.take("graph", "/graph?campaign=starter")
    camera.take("kernels", f"/kernels/{PROBLEM}")
    camera.take("calibration", "/calibration")


def main() -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "mybook"
        book = Book.create(folder, author="ana")
        process, link = up(folder)
        try:
            with browser() as launched:
                shoot(launched, link, book)
        finally:
            book.close()
            process.terminate()
            process.wait(60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
