"""What becomes of an error: one line on stderr and an exit status, a traceback only on request."""

import functools
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec

import typer

from warpbook.core.errors import Missing, WarpbookError
from warpbook.core.text import printable

P = ParamSpec("P")

INTERRUPTED = 130
# The extra of Warpbook's own that brings a package.
EXTRAS = {"sqlalchemy": "lab", "alembic": "lab", "ray": "ray", "nicegui": "web"} | dict.fromkeys(
    ("yaml", "frontmatter", "markdown_it", "fsrs", "feedparser", "genanki"), "journal"
)


def guarded(verb: Callable[P, int]) -> Callable[P, None]:
    """A verb returns its exit status; this ends the program with it. `verb` has a `debug` flag."""

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            status = verb(*args, **kwargs)
        except WarpbookError as error:
            status = complain(error, kwargs)
        except ModuleNotFoundError as error:
            if (error.name or "warpbook").split(".")[0] == "warpbook":
                raise
            status = complain(not_installed(error.name or ""), kwargs)
        except KeyboardInterrupt:
            say("interrupted")
            status = INTERRUPTED
        raise typer.Exit(status)

    return run


def not_installed(name: str) -> Missing:
    extra = EXTRAS.get(name.split(".")[0])
    how = f": pip install 'warpbook[{extra}]'" if extra else ""
    return Missing(f"this needs the Python package {name}, which is not installed{how}")


def complain(error: WarpbookError, options: dict[str, Any]) -> int:
    if options.get("debug"):
        traceback.print_exc()
    say(str(error))
    return error.exit_status


def say(line: str) -> None:
    with suppress(BrokenPipeError):  # whoever read it is gone, and what is under way goes on
        print(f"warpbook: {printable(line, lines=True)}", file=sys.stderr, flush=True)
