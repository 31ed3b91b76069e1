"""`warpbook finding`: what was learned, tied to its evidence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import facts, metric_of, page_note, short, table, when
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable
from warpbook.core.units import UNKNOWN
from warpbook.core.wording import effect

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.book.tables import Finding

finding = typer.Typer(no_args_is_help=True, help="Findings: what was learned, and from what.")

Name = Annotated[str, typer.Argument(metavar="F-7", help="A finding.", show_default=False)]


def linking(word: str) -> object:
    return typer.Option(metavar="ID", help=f"What it {word}: H-3, E-31 or F-2; may be given again.")


@finding.command("add")
@guarded
def add(
    statement: Annotated[str, typer.Argument(metavar="STATEMENT", show_default=False)],
    supports: Annotated[list[str] | None, linking("supports")] = None,
    refutes: Annotated[list[str] | None, linking("refutes")] = None,
    supersedes: Annotated[list[str] | None, linking("supersedes")] = None,
    refines: Annotated[list[str] | None, linking("refines")] = None,
    campaign: options.OfCampaign = None,
    tag: options.Tags = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write down what was learned, and what it rests on."""
    links = [
        (word, target)
        for word, targets in (
            ("supports", supports),
            ("refutes", refutes),
            ("supersedes", supersedes),
            ("refines", refines),
        )
        for target in targets or ()
    ]
    with opened(book, author) as opened_book:
        made = opened_book.findings.add(statement, links, campaign=campaign, tags=tuple(tag or ()))
        show(opened_book, made.name, json)
    return 0


@finding.command("list")
@guarded
def list_(
    campaign: options.InCampaign = None,
    search: options.Search = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List findings, newest first, with the effects they quote."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found = opened_book.findings.list(campaign, search, limit, offset)
    if json:
        show_json([documents.finding(one) for one in found])
        return 0
    screen = console()
    rows = [
        (one.name, short(one.statement, 60), quoted(one), str(len(one.runs)), flags(one))
        for one in found
    ]
    columns = ("id", "finding", "effect", "runs", "")
    screen.print(table(columns, rows, right=("runs",)) if rows else "nothing was found yet")
    page_note(screen, len(found), limit, offset)
    return 0


@finding.command("show")
@guarded
def show_one(
    name: Name,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a finding: the effect it quotes, what it rests on, and whether it is stale."""
    with opened(book) as opened_book:
        show(opened_book, name, json)
    return 0


@finding.command()
@guarded
def link(
    name: Name,
    type_: Annotated[
        str,
        typer.Argument(
            metavar="TYPE", help="supports, refutes, supersedes or refines.", show_default=False
        ),
    ],
    to: Annotated[str, typer.Argument(metavar="ID", help="H-3, E-31 or F-2.", show_default=False)],
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Tie a finding to one thing more. What it quotes stays."""
    with opened(book, author) as opened_book:
        opened_book.findings.link(name, type_, to)
        show(opened_book, name, json)
    return 0


@finding.command()
@guarded
def withdraw(
    name: Name,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take a finding back. It stays to be read, marked as withdrawn."""
    with opened(book, author) as opened_book:
        opened_book.findings.withdraw(name)
        show(opened_book, name, json)
    return 0


def quoted(one: "Finding") -> str:
    if one.metric is None:
        return UNKNOWN
    return effect(metric_of(one.metric), one.gain, one.low, one.high)


def flags(one: "Finding") -> str:
    return ", ".join(
        filter(None, ["withdrawn" * (one.state == "withdrawn"), "stale" * bool(one.stale)])
    )


def show(book: "Book", name: str, json: bool) -> None:
    found, links = book.findings.get(name), book.findings.links(name)
    rerun = book.findings.rerun(name) if found.stale else ""
    if json:
        from warpbook.book import documents

        tied = [documents.link(one) for one in links]
        show_json(documents.finding(found) | {"links": tied, "rerun": rerun or None})
        return
    show_finding(
        console(), found, [(one.type, f"{one.to_kind}-{one.to_id}") for one in links], rerun
    )


def show_finding(
    screen: Console, one: "Finding", links: Sequence[tuple[str, str]], rerun: str
) -> None:
    screen.print(printable(f"{one.name}  {one.statement}"), style="bold")
    environment = one.environment or {}
    again = f"; measure again: {rerun}" if rerun else ""
    facts(
        screen,
        [
            ("state", "withdrawn" if one.state == "withdrawn" else ""),
            ("stale", f"{one.stale}{again}" if one.stale else ""),
            ("effect", quoted(one) if one.metric else ""),
            ("runs", ", ".join(f"R-{number}" for number in one.runs)),
            ("measured on", ", ".join(f"{key} {value}" for key, value in environment.items())),
            *links,
            ("tags", ", ".join(one.tags)),
            ("by", f"{one.author}, {when(one.created_at)}"),
        ],
    )
    screen.print(f"down to the samples: warpbook why {one.name}")
