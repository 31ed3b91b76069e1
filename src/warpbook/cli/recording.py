"""What is judged and compared inside a book: recorded there as measurements, and ended with the
`try` line that would make a claim of it.

Nothing of the book's database is imported unless there is a book. What goes wrong here is told in
one line, and the judgement stands.
"""

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from warpbook.book.folder import find_book
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import not_installed, say
from warpbook.cli.screen import console
from warpbook.cli.session import Session
from warpbook.core.codec import encode
from warpbook.core.comparison import Comparison
from warpbook.core.errors import BadInput, WarpbookError
from warpbook.core.judgement import Judgement
from warpbook.core.text import printable
from warpbook.kernels.library import BUILT_IN, Outline

# Set in a run of the lab, which leaves a receipt of its own.
RUN = "WARPBOOK_RUN"
WARM = "the caches were left warm"


@dataclass(frozen=True)
class Entry:
    """One measurement as the book takes it."""

    kind: str
    problem: str
    rungs: tuple[str, ...]
    workload: str
    device: str
    document: dict[str, Any]


def book_in_use(asked: Path | None) -> Path | None:
    """The book to record in, if there is one. A book that was asked for must be there; one that
    only the environment names keeps nobody from measuring."""
    if os.environ.get(RUN):
        return None
    try:
        return find_book(asked)
    except (BadInput, OSError) as error:
        if asked is not None:
            raise
        say(f"nothing is recorded: {error}")
        return None


def record_judgements(
    book: Path | None,
    session: Session,
    judgements: Sequence[Judgement],
    only: tuple[str, ...] | None,
    change: str,
    json: bool = False,
) -> None:
    """`change` is what was judged, as `try` would be given it."""
    if book is None:
        return
    entries = [judgement_entry(session, judgement, only) for judgement in judgements]
    if not record(book, entries, json) or not any(j.correct for j in judgements):
        return
    timed = [w.name for w in session.problem.workloads if session.device in w.timed_on]
    one = only[0] if only and len(only) == 1 and only[0] in timed else None
    tell(claim_line(book, session, change, one), json)


def record_comparison(
    book: Path | None,
    session: Session,
    comparison: Comparison,
    arms: tuple[str, str],
    workload: str | None,
    json: bool = False,
) -> None:
    """`arms` and `workload` as they were typed."""
    if book is None:
        return
    if record(book, [comparison_entry(session, comparison)], json):
        against, change = arms
        tell(claim_line(book, session, change, workload, against), json)


def record(book: Path, entries: Sequence[Entry], json: bool) -> bool:
    """Whether the book has them now."""
    try:
        with opened(book) as opened_book, opened_book.writing():
            names = [add(opened_book, entry) for entry in entries]
    except ModuleNotFoundError as error:
        if (error.name or "warpbook").split(".")[0] == "warpbook":
            raise
        say(f"not recorded in {book}: {not_installed(error.name or '')}")
        return False
    except (WarpbookError, OSError) as error:
        say(f"not recorded in {book}: {error}")
        return False
    tell(f"Recorded as {', '.join(names)} in {book}.", json)
    return True


def add(book: Any, entry: Entry) -> str:
    added = book.measurements.add(
        kind=entry.kind,
        problem=entry.problem,
        rungs=entry.rungs,
        workload=entry.workload,
        device=entry.device,
        document=entry.document,
    )
    return str(added.name)


def judgement_entry(session: Session, judgement: Judgement, only: tuple[str, ...] | None) -> Entry:
    if session.asked.warm:
        outcomes = (replace(o, notes=(*o.notes, WARM)) for o in judgement.outcomes)
        judgement = replace(judgement, outcomes=tuple(outcomes))
    return Entry(
        "judgement",
        problem_label(session.outline),
        (judgement.rung,),
        only[0] if only and len(only) == 1 else "",
        judgement.device,
        encode(judgement),
    )


def comparison_entry(session: Session, comparison: Comparison) -> Entry:
    if session.asked.warm:
        comparison = replace(comparison, notes=(*comparison.notes, WARM))
    return Entry(
        "comparison",
        problem_label(session.outline),
        (comparison.a, comparison.b),
        comparison.workload,
        comparison.device,
        encode(comparison),
    )


def problem_label(outline: Outline) -> str:
    return outline.name if outline.folder.parent == BUILT_IN else str(outline.folder)


def claim_line(
    book: Path, session: Session, change: str, workload: str | None, against: str | None = None
) -> str:
    """The interval is left to be filled in: a prediction copied from a result is none."""
    asked = session.asked
    words = ["warpbook", "try", change, "--on", asked.problem]
    options = {
        "--against": against,
        "--workload": workload,
        "--device": asked.device,
        "--book": None if found_without_asking(book) else str(book),
    }
    for option, value in options.items():
        words += [option, value] if value else []
    return f"Make it a claim: {shlex.join(words)} --expect LOW..HIGH"


def found_without_asking(book: Path) -> bool:
    with suppress(BadInput, OSError):
        return find_book() == book
    return False


def tell(line: str, json: bool) -> None:
    if json:
        say(line)
    else:
        console().print(printable(line), style="dim", soft_wrap=True)
