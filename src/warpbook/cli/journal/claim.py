"""`warpbook claim`: measured claims in the text of days, and tying one to the run behind it."""

from typing import Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.nested import defaulting_to
from warpbook.cli.screen import console, show_json

claim = typer.Typer(
    cls=defaulting_to("list"),
    no_args_is_help=False,
    help="Measured claims in days (`5x over PyTorch`), unverified until they cite a run.",
)
STATES = ("unverified", "linked")


@claim.command("list")
@guarded
def list_(
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only unverified or linked ones.")
    ] = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List claims, those of the newest day first, each with its line."""
    from warpbook.cli.book.views import page_note, short, table
    from warpbook.core.errors import BadInput
    from warpbook.journal.days import claims

    if state is not None and state not in STATES:
        raise BadInput(f"no state {state!r}: {' or '.join(STATES)}")
    with journal_opened(book) as journal:
        found = claims.listed(journal, state, limit, offset)
    if json:
        show_json(claims.documents(found))
        return 0
    screen = console()
    if not found:
        screen.print("no such claims in the days")
        return 0
    rows = [
        [one.key, one.state, one.title, short(one.document["said"], 50), f"{one.path}:{one.line}"]
        for one in found
    ]
    screen.print(table(("claim", "state", "figure", "said", "where"), rows))
    page_note(screen, len(found), limit, offset)
    return 0


@claim.command("link")
@guarded
def link(
    which: Annotated[str, typer.Argument(metavar="CLAIM", help="Such as 2026-01-04.3.")],
    to: Annotated[str, typer.Argument(metavar="ID", help="R-57 or E-31.")],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Cite the run or the experiment behind a claim at the end of its line."""
    from warpbook.core.text import printable
    from warpbook.journal.days import claims, figures

    with journal_opened(book) as journal:
        linked = claims.link(journal, which, to)
        figure = figures.figure(journal.index.connection, claims.cited(to))
    if json:
        show_json({**claims.document(linked), "figure": figure.document()})
        return 0
    text = f"{linked.path}:{linked.line}: {linked.title}: {figure.reference} has {figure.text}"
    console().print(printable(text), soft_wrap=True)
    return 0
