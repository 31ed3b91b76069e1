"""Asking somebody for a line, at a terminal or piped in."""

import sys
from contextlib import suppress

LEAVE = ("q", ":q", "quit")


class Left(Exception):
    """Somebody left, or there is no more input."""


def ready() -> None:
    """Before the first line: bytes that are no UTF-8 are taken as a mark for them, and lines can be
    edited."""
    with suppress(AttributeError):
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401


def read_line(prompt: str) -> str:
    """What was typed, without the spaces around it; Left for q and for the end of input."""
    print(prompt, flush=True)
    try:
        said = input("> ").strip()
    except EOFError:
        print(flush=True)
        raise Left from None
    if not sys.stdin.isatty():
        print(flush=True)  # nobody pressed Enter there
    if said.lower() in LEAVE:
        raise Left
    return said
