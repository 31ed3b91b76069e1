"""A book on disk: which folder it is, what is in it, and its settings.

Knows nothing of the database inside; imports nothing heavy, so that a verb can ask at once whether
there is a book at all.
"""

import getpass
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warpbook.core.errors import BadInput, Missing

SETTINGS = "warpbook.toml"
DATABASE = "book.db"
RUNS = "runs"
DEFAULT = Path("~/warpbook")

NEW_SETTINGS = """\
# Settings of this book.
# author = "ana"                  # who adds hypotheses; by default the user's name
# watch = "."                     # a git repository: its commits become events of the log
# currency = "USD"
# variables = ["MY_FLAG"]         # environment variables to record, beyond CUDA_*, TORCH_*, ...

# [executors.local]
# price_per_hour = 0.0            # of one device

# [journal]
# track = "gpu"                   # of days that name none
# editor = "vim"                  # by default $VISUAL, then $EDITOR
# retention = 0.9                 # how much of the cards is to be remembered when they come back
# new_a_day = 20                  # cards that were never reviewed

# [journal.tracks.gpu]
# of = 365                        # days it is to have
# target = 2026-06-01             # T - N counts down to it

# [teacher]                       # an OpenAI-compatible endpoint that `warpbook teach` talks to
# endpoint = "http://127.0.0.1:8000/v1"
# model = "..."
# key = "MY_KEY"                  # the environment variable that holds the key, if it needs one
"""


@dataclass(frozen=True)
class Settings:
    """`prices` are per hour and device, by executor; `watch` is a git repository or None."""

    author: str
    watch: Path | None = None
    currency: str = "USD"
    variables: tuple[str, ...] = ()
    prices: Mapping[str, float] = field(default_factory=dict)


def find_book(asked: Path | None = None) -> Path | None:
    """The folder of the book in use: the one asked for, `$WARPBOOK`, the nearest upward, or
    `~/warpbook`; None where there is none. One that is named and is no book is an error."""
    for named, by in ((asked, "--book"), (os.environ.get("WARPBOOK"), "$WARPBOOK")):
        if named:
            folder = Path(named).expanduser().absolute()
            if not (folder / SETTINGS).is_file():
                raise BadInput(
                    f"{folder} (from {by}) is no book: it has no {SETTINGS}; "
                    f"make one with: warpbook init {folder}"
                )
            return folder
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / SETTINGS).is_file():
            return folder
    default = DEFAULT.expanduser()
    return default if (default / SETTINGS).is_file() else None


def require_book(asked: Path | None = None) -> Path:
    found = find_book(asked)
    if found is None:
        raise Missing(
            "there is no book here: make one with `warpbook init`, or name one with --book DIR "
            "or $WARPBOOK"
        )
    return found


def read_settings(folder: Path) -> Settings:
    path = folder / SETTINGS
    given = load_settings(folder)
    watch = text(given, "watch", "", path)
    return Settings(
        author=text(given, "author", user_name(), path) or user_name(),
        watch=(folder / Path(watch).expanduser()).resolve() if watch else None,
        currency=text(given, "currency", "USD", path),
        variables=variables(given, path),
        prices=prices(given, path),
    )


def load_settings(folder: Path) -> dict[str, Any]:
    """What the file says; the journal reads its own parts of it."""
    path = folder / SETTINGS
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{folder} is no book: it has no {SETTINGS}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    known = {"author", "watch", "currency", "variables", "executors", "journal", "teacher"}
    if unknown := given.keys() - known:
        raise BadInput(f"{path}: unknown {', '.join(sorted(unknown))}; known: {sorted(known)}")
    return given


def text(given: Mapping[str, Any], name: str, default: str, path: Path) -> str:
    value = given.get(name, default)
    if not isinstance(value, str):
        raise BadInput(f"{path}: {name} is a text in quotes, not {value!r}")
    return value


def variables(given: Mapping[str, Any], path: Path) -> tuple[str, ...]:
    value = given.get("variables", [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadInput(f'{path}: variables is a list of names, such as ["MY_FLAG"]')
    return tuple(value)


def prices(given: Mapping[str, Any], path: Path) -> dict[str, float]:
    executors = given.get("executors", {})
    found = {}
    for name, entry in executors.items() if isinstance(executors, dict) else ():
        price = entry.get("price_per_hour", 0) if isinstance(entry, dict) else None
        if not isinstance(price, int | float) or isinstance(price, bool) or not price >= 0:
            raise BadInput(f"{path}: executors.{name}.price_per_hour is a number of at least 0")
        found[name] = float(price)
    return found


def user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "someone"
