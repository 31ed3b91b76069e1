"""Opening the journal of the book in use, and saying what is wrong in files that changed."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.cli.book.opening import disk_errors
from warpbook.cli.guard import say
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.journal.entry import Problem
    from warpbook.journal.journal import Journal

MOST_SAID = 5
MANY = 1000  # files, of which the work is shown while it lasts


@contextmanager
def journal_opened(asked: Path | None, refresh: bool = True) -> Iterator["Journal"]:
    from warpbook.book.folder import DATABASE, require_book
    from warpbook.book.sqlite import translated

    folder = require_book(asked)
    with (
        seldom_collecting(),
        disk_errors(),
        translated(folder / DATABASE),
        opened(folder) as journal,
        typed_in_utf8(),
    ):
        if refresh:
            tell(journal.index.refresh(progress).problems)
            add_what_waits(journal)
        yield journal
        tell(list(dict.fromkeys(journal.problems)))


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """A verb is over before garbage is worth a look: that took a tenth of those that go through
    thousands of entries."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def typed_in_utf8() -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        raise BadInput("what you typed has bytes that are no UTF-8; nothing was changed") from error


def opened(folder: Path) -> "Journal":
    """With the book's file brought to the tables of this version first, if it is older."""
    from warpbook.book.folder import DATABASE
    from warpbook.journal.index import OtherTables
    from warpbook.journal.journal import Journal

    try:
        return Journal.open(folder)
    except OtherTables:
        from warpbook.book.store import Store

        Store.open(folder / DATABASE).close()
    return Journal.open(folder)


def add_what_waits(journal: "Journal") -> None:
    """What was said of days while an editor had them."""
    if not journal.path("journal", ".waiting").is_dir():
        return
    from warpbook.journal.days import waiting

    for line in waiting.flush(journal):
        say(line)


def progress(done: int, total: int) -> None:
    if total < MANY or not sys.stderr.isatty():
        return
    print(
        f"\rindexing the journal: {done} of {total} files",
        end="\n" if done == total else "",
        file=sys.stderr,
        flush=True,
    )


def tell(problems: "list[Problem]") -> None:
    for problem in problems[:MOST_SAID]:
        say(str(problem))
    if len(problems) > MOST_SAID:
        say(f"and {len(problems) - MOST_SAID} more: warpbook reindex tells them all")
