"""What the bars on the dashboard share with its tests: builders of a book's contents, a dashboard
in a process of its own, and a browser that is signed in there."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "book"), str(TESTS / "web")]

from book_desk import Desk  # noqa: E402
from served import Served  # noqa: E402

__all__ = ["Desk", "Served", "browser", "context"]

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@contextmanager
def browser() -> Iterator[Any]:
    """A real one; the script ends where there is none."""
    found = os.environ.get("WARPBOOK_BROWSER") or next(
        filter(None, map(shutil.which, CHROMIUMS)), ""
    )
    if not found:
        sys.exit("this needs a Chromium; install one, or name it in WARPBOOK_BROWSER")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


def context(launched: Any, served: Served, **options: Any) -> Any:
    """A browser of its own, with nothing cached."""
    made = launched.new_context(base_url=served.address, **options)
    made.set_default_timeout(180_000)
    made.add_cookies([served.cookie])
    return made
