"""Opening a day in the person's own editor.

Warpbook's own writers wait meanwhile. Whatever the editor does and however it ends, the file is
what it left. Knows nothing of terminals: the editor has this one.
"""

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput, Missing
from warpbook.journal.days import day_text, days, waiting
from warpbook.journal.texts import textfile

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

USUAL = ("vi", "nano")
HOW = 'set $EDITOR, or editor = "..." under [journal] in warpbook.toml'


@dataclass(frozen=True)
class Edited:
    """`kept` is False for a new day that was left untouched, and so removed again, and for one that
    the editor removed. `problems` are what is wrong in the file, and in what has to wait."""

    date: date
    path: str
    changed: bool
    kept: bool = True
    problems: tuple[str, ...] = ()


def command(asked: str = "") -> list[str]:
    """The editor of the settings, of the environment, or one that is usually there."""
    for words in (asked, os.environ.get("VISUAL", ""), os.environ.get("EDITOR", "")):
        if not words.strip():
            continue
        try:
            return shlex.split(words)
        except ValueError as error:
            raise BadInput(f"the editor {words!r} is no command: {error}; {HOW}") from None
    for name in USUAL:
        if shutil.which(name):
            return [name]
    raise Missing(f"there is no editor: {HOW}")


def open_day(journal: "Journal", on: date, proposal: str = "") -> Edited:
    """`proposal` is put at the end for the person to edit, and taken out again if nothing was
    saved. A new day begins with the plans that are open."""
    days.refuse_ahead(journal, on)
    editor = command(journal.settings.editor)
    waiting.flush(journal)
    relative = days.relative(on)
    path = journal.path(relative)
    is_new = not path.exists()
    before, given = offered(journal, on, proposal)
    with textfile.held(path):
        looked_at = stamp(path)
        ended = run([*editor, str(path)])
        untouched = stamp(path) == looked_at
        if untouched and is_new and path.read_bytes() == given.encode():
            path.unlink()
    lost = ended and not is_new and not path.exists()
    if lost or (untouched and not is_new and given != before):
        journal.edit(relative, lambda text: before if text in ("", given) else text)
    problems = [str(problem) for problem in journal.index.refresh().problems]
    problems += waiting.flush(journal)
    if isinstance(ended, Missing):
        raise ended
    if ended:
        left = "nothing was written" if untouched else f"{relative} is as the editor left it"
        left = f"it had removed {relative}, which is there again" if lost else left
        raise BadInput(f"the editor {editor[0]!r} {how(ended)}; {left}")
    return Edited(on, relative, not untouched, path.exists(), tuple(problems))


def offered(journal: "Journal", on: date, proposal: str) -> tuple[str, str]:
    """The day's text as it was, and as the editor has it at first."""
    begin = days.beginning(journal, on)
    before = ""

    def change(text: str) -> str:
        nonlocal before
        before = text
        return day_text.with_paragraph(text or begin, proposal)

    given = journal.edit(days.relative(on), change).content
    return before, given


def how(ended: int) -> str:
    """A program that a signal ended has the signal's number, below 0."""
    return f"ended with {ended}" if ended > 0 else f"was ended by {signal.Signals(-ended).name}"


def run(words: list[str]) -> int | Missing:
    """The editor's exit status, or why it did not start. Ctrl-C is the editor's meanwhile."""
    with interrupts_left_to_it():
        try:
            return subprocess.run(words, check=False).returncode
        except FileNotFoundError:
            return Missing(f"there is no editor {words[0]!r} here: {HOW}")
        except OSError as error:
            return Missing(f"the editor {words[0]!r} does not start: {error.strerror}; {HOW}")


@contextmanager
def interrupts_left_to_it() -> Iterator[None]:
    """A handler, and not "ignore", which the editor would inherit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def stamp(path: Path) -> tuple[int, ...] | None:
    """Changes with every save, one that changes nothing included; None where it was removed."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
