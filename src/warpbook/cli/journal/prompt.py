"""Asking somebody for a line, at a terminal or piped in."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from warpbook.core.errors import BadInput

LEAVE = ("q", ":q", "quit")


class Left(Exception):
    """Somebody left, or there is no more input."""


def read_line(prompt: str) -> str:
    """What was typed, without the spaces around it; Left for q and for the end of input."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  (lines can then be edited)
    print(prompt, flush=True)
    try:
        said = input("> ").strip()
    except EOFError:
        print(flush=True)
        raise Left from None
    except UnicodeDecodeError:
        raise BadInput("what was typed has bytes that are no UTF-8; the place is kept") from None
    if not sys.stdin.isatty():
        print(flush=True)  # what comes next begins a line, as after a key
    if said.lower() in LEAVE:
        raise Left
    return said


def read_rating(due: Mapping[int, datetime], now: datetime, proposed: int | None = None) -> int:
    """1 to 4, by number or by word, each with the time after which it comes back. Enter takes
    the one proposed."""
    from warpbook.journal.schedule import RATINGS, span

    choices = "  ".join(f"{n} {word} ({span(due[n] - now)})" for n, word in RATINGS.items())
    enter = f"; Enter for {proposed}" if proposed else ""
    while True:
        said = read_line(f"{choices}{enter}").lower()
        if not said and proposed:
            return proposed
        for number, word in RATINGS.items():
            if said in (str(number), word, word[0]):
                return number
        print("1, 2, 3 or 4")
