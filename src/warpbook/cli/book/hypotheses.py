"""`warpbook hypothesis`: claims, and where each of them stands."""

from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.hypothesis_view import hypothesis_rows, show_hypothesis
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import metric_of, page_note, table
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.effect import KERNEL_TIME, Metric, parse_metric
from warpbook.lab.claims import BELIEF, least, parse_guards

if TYPE_CHECKING:
    from warpbook.book.book import Book

hypothesis = typer.Typer(no_args_is_help=True, help="Hypotheses: claims, and where they stand.")

Name = Annotated[str, typer.Argument(metavar="H-3", help="A hypothesis.", show_default=False)]


@hypothesis.command("add")
@guarded
def add(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="In words.", show_default=False)],
    metric: options.MetricText = None,
    at_least: options.AtLeast = None,
    worse: options.Worse = False,
    because: options.Because = "",
    belief: options.Belief = None,
    guard: options.Guards = None,
    campaign: options.OfCampaign = None,
    tag: options.Tags = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Claim that a change moves a metric by at least so much. `warpbook try --for` tests it."""
    guards = parse_guards(guard)
    with opened(book, author) as opened_book:
        meant = parse_metric(metric) if metric else campaign_metric(opened_book, campaign)
        made = opened_book.hypotheses.add(
            claim,
            meant,
            least(at_least, meant),
            direction=-1 if worse else 1,
            because=because,
            prior=BELIEF if belief is None else belief,
            guards=guards,
            campaign=campaign or "inbox",
            tags=tuple(tag or ()),
        )
        show(opened_book, made.name, json)
    return 0


@hypothesis.command("list")
@guarded
def list_(
    campaign: options.InCampaign = None,
    verdict: Annotated[
        str | None,
        typer.Option(metavar="VERDICT", help="Only those: supported, refuted or open."),
    ] = None,
    search: options.Search = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List hypotheses, newest first, each with its verdict, effect and evidence."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found = opened_book.hypotheses.list(campaign, verdict, search, limit, offset)
    if json:
        show_json([documents.hypothesis(one) for one in found])
        return 0
    screen = console()
    columns = ("id", "claim", "verdict", "effect", "runs", "evidence", "belief")
    none = "no hypotheses; `warpbook try` makes one"
    screen.print(
        table(columns, hypothesis_rows(found), right=("runs", "belief")) if found else none
    )
    page_note(screen, len(found), limit, offset)
    return 0


@hypothesis.command("show")
@guarded
def show_one(
    name: Name,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a hypothesis: verdict, effect, evidence, predictions, runs, and what comes next."""
    with opened(book) as opened_book:
        show(opened_book, name, json)
    return 0


@hypothesis.command()
@guarded
def withdraw(
    name: Name,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take a claim back. Its runs stay; its experiments become moot."""
    with opened(book, author) as opened_book:
        opened_book.hypotheses.withdraw(name)
        show(opened_book, name, json)
    return 0


def campaign_metric(book: "Book", campaign: str | None) -> Metric:
    if campaign is None:
        return KERNEL_TIME
    found = book.campaigns.get(campaign).metric
    return metric_of(found) if found else KERNEL_TIME


def show(book: "Book", name: str, json: bool) -> None:
    summary = book.hypotheses.summary(name)
    if json:
        from warpbook.book import documents

        show_json(documents.summary(summary))
    else:
        show_hypothesis(console(), summary)
