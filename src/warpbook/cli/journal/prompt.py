"""Telling somebody something and asking for a line, at a terminal or through a pipe."""

import re
import sys
from contextlib import suppress

from warpbook.cli.screen import console
from warpbook.core.text import printable

BREAKS = re.compile(r"\s*$|\s*([-*+|#>]|\d+[.)])\s|\s{4}|\|")  # a line that begins one of its own
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


def show(text: str, style: str | None = None, prose: bool = False) -> None:
    """A terminal has whole words at the ends of its lines, and prose over all of its width; through
    a pipe a text goes as it is."""
    screen = console()
    if prose and screen.is_terminal:
        text = flowing(text)
    screen.print(printable(text, lines=True), style=style, soft_wrap=not screen.is_terminal)


def flowing(text: str) -> str:
    """Markdown with each paragraph on one line; code, lists and tables as they are."""
    made: list[str] = []
    fenced = goes_on = False
    for line in text.split("\n"):
        mark = line.lstrip().startswith(("```", "~~~"))
        apart = fenced or mark or bool(BREAKS.match(line))
        if goes_on and not apart:
            made[-1] += f" {line.strip()}"
        else:
            made.append(line)
        fenced ^= mark
        goes_on = not fenced and not mark and bool(line.strip()) and line.lstrip()[:1] not in "#|"
    return "\n".join(made)


def read_line(prompt: str) -> str:
    """What was typed, without the spaces around it; Left for q and for the end of input."""
    show(prompt)
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
