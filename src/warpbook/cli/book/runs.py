"""`warpbook run` and `stop`: single executions, their samples, logs and where they were made."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import facts, money, page_note, short, table, when
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, show_json
from warpbook.core.duration import show_duration
from warpbook.core.errors import BadInput
from warpbook.core.run import MetricSamples, RunReceipt
from warpbook.core.text import printable
from warpbook.core.units import UNKNOWN, digits
from warpbook.core.wording import effect

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.book.tables import Run

run = typer.Typer(no_args_is_help=True, help="Runs: single executions and their samples.")

Name = Annotated[str, typer.Argument(metavar="R-57", help="A run.", show_default=False)]


@run.command("list")
@guarded
def list_(
    experiment: Annotated[
        str | None, typer.Option(metavar="E-31", help="Of one experiment alone.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="Only those: running, valid, disqualified, failed, ..."),
    ] = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List runs, newest first."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found = opened_book.runs.list(experiment, state, limit, offset)
        metrics = opened_book.runs.main_metrics(found)
    if json:
        show_json([documents.run(one, metrics[one.experiment_id]) for one in found])
        return 0
    screen = console()
    rows = [
        (
            one.name,
            f"E-{one.experiment_id}",
            when(one.started_at),
            one.state,
            one.purpose,
            effect(metrics[one.experiment_id], one.gain),
            show_duration(one.seconds),
            short(one.reason, 40),
        )
        for one in found
    ]
    columns = ("id", "of", "started (UTC)", "state", "for", "effect", "took", "reason")
    screen.print(table(columns, rows) if rows else "no runs yet; `warpbook work` makes them")
    page_note(screen, len(found), limit, offset)
    return 0


@run.command("show")
@guarded
def show_one(
    name: Name,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a run: its effect, its samples, where it was made, and what it left behind."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found = opened_book.runs.get(name)
        folder = opened_book.runs.folder(name)
        receipt = receipt_of(opened_book, found)
        metric = opened_book.runs.main_metrics([found])[found.experiment_id]
        if json:
            currency = opened_book.settings.currency
            more = {"currency": currency, "folder": str(folder), "receipt": receipt}
            show_json(documents.run(found, metric) | more)
            return 0
        screen = console()
        show_run(screen, found, str(folder), opened_book.settings.currency)
        if receipt:
            show_receipt(screen, receipt)
    return 0


@guarded
def stop(
    name: Name,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Ask a run to stop; its worker ends it within seconds. Its experiment keeps what it has."""
    from warpbook.book import documents

    with opened(book, author) as opened_book:
        opened_book.runs.ask_stop(name)
        found = opened_book.runs.get(name)
    if json:
        show_json(documents.run(found))
    else:
        console().print(f"{found.name} is asked to stop")
    return 0


def receipt_of(book: "Book", found: "Run") -> RunReceipt | None:
    """None while it runs, and for a run that ended without one."""
    if found.receipt_sha256 is None:
        return None
    try:
        return book.runs.receipt(found.name)
    except BadInput as error:
        say(str(error))
        return None


def show_run(screen: Console, found: "Run", folder: str, currency: str) -> None:
    screen.print(f"{found.name} of E-{found.experiment_id}: {found.state}", style="bold")
    facts(
        screen,
        [
            ("reason", found.reason),
            ("for", found.purpose),
            ("started", f"{when(found.started_at)} UTC"),
            ("took", show_duration(found.seconds) if found.seconds is not None else ""),
            ("cost", money(found.money, currency) if found.money else ""),
            ("by", f"{found.executor} on {found.place}" if found.place else found.executor),
            ("environment", found.environment_key or ""),
            ("folder", folder),
        ],
    )


def show_receipt(screen: Console, receipt: RunReceipt) -> None:
    for seen in receipt.metrics:
        show_samples(screen, seen, receipt)
    words = [f"{key} {value}" for key, value in receipt.environment.items() if value != "none"]
    screen.print(printable(", ".join(words)), style="dim")


def show_samples(screen: Console, seen: MetricSamples, receipt: RunReceipt) -> None:
    metric = seen.metric
    low, high = seen.gain - seen.error, seen.gain + seen.error
    unit = f" in {metric.unit}" if metric.unit else ""
    screen.print(
        printable(
            f"{metric.name}{unit}: {effect(metric, seen.gain, low, high)}, one error either side"
        )
    )
    arms = ((receipt.plan.baseline, seen.baseline), (receipt.plan.change, seen.change))
    rows = [(short(arm.label, 30), str(len(values)), listed(values)) for arm, values in arms]
    screen.print(table(("arm", "samples", f"in the order {receipt.order}"), rows))


def listed(values: Sequence[float], most: int = 16) -> str:
    """The first of them; `--json` has all."""
    if not values:
        return UNKNOWN
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return " ".join(map(digits, values[:most])) + more
