"""`warpbook find` and `warpbook reindex`: looking through all that is written, and making the
index of it again."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import Progress, console, show_json
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.journal.search import Hit

Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Of one kind alone: day, reading, card, question, claim, plan, hypothesis, finding, "
        "note or experiment; may be given again.",
    ),
]


@guarded
def find(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words to look for.")],
    kind: Kinds = None,
    limit: options.Limit = 20,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Search days, reading, cards, claims, findings and experiments; the best match first."""
    from warpbook.journal import search

    with journal_opened(book) as journal:
        hits = search.find(journal, text, kind, limit)
    if json:
        show_json({"text": text, "hits": hits})
        return 0
    if not hits:
        print(printable(f"nothing has {text!r} in it"))
    for hit in hits:
        show(hit)
    return 0


def show(hit: "Hit") -> None:
    screen = console()
    where = f"{hit.path}:{hit.line}" if hit.path else hit.key
    called = f" {hit.key}" if hit.path and hit.kind != "day" else ""
    screen.print(printable(f"{where}  {hit.kind}{called}  {hit.date}".rstrip()), style="bold")
    title, snippet = printable(hit.title), printable(hit.snippet)
    for line in dict.fromkeys((title, snippet)):
        if line:
            screen.print(f"  {line}", soft_wrap=True, style="dim" if line != title else None)


@guarded
def reindex(
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Make the index of days, reading and cards again from their files, and tell every problem."""
    started = time.monotonic()
    with journal_opened(book, refresh=False) as journal, Progress() as progress:
        done = journal.index.rebuild(lambda n, of: progress(f"{n} of {of} files"))
        (entries,) = journal.index.connection.execute(
            "SELECT count(*) FROM journal_entries"
        ).fetchone()
    seconds = round(time.monotonic() - started, 2)
    if json:
        counts = {"files": len(done.parsed), "entries": entries, "seconds": seconds}
        show_json(counts | {"problems": done.problems})
        return 0
    screen = console()
    for problem in done.problems:
        screen.print(printable(str(problem)), style="red", soft_wrap=True)
    wrong = f", {len(done.problems)} problems" if done.problems else ""
    screen.print(f"{len(done.parsed)} files, {entries} entries in {seconds:g} s{wrong}")
    return 0
