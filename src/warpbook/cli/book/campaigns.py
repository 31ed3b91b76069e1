"""`warpbook campaign`: a goal, its hypotheses and its budget."""

import math
import shlex
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import facts, metric_of, money, short, table, when
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.duration import parse_duration, show_duration
from warpbook.core.effect import KERNEL_TIME, parse_gain, parse_metric
from warpbook.core.errors import BadInput
from warpbook.core.text import printable
from warpbook.core.wording import effect

if TYPE_CHECKING:
    from warpbook.book.tables import Campaign

campaign = typer.Typer(no_args_is_help=True, help="Campaigns: a goal, its hypotheses, a budget.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A campaign's name.", show_default=False)]
Span = Annotated[
    str | None,
    typer.Option("--time", metavar="SPAN", help="Of device time: 30m, 2h, 1.5d; or none."),
]
Sum = Annotated[
    str | None,
    typer.Option("--money", metavar="SUM", help="In the book's currency, such as 20; or none."),
]


@campaign.command("add")
@guarded
def add(
    name: Name,
    goal: Annotated[str, typer.Option(metavar="TEXT", help="What it is after.")] = "",
    metric: options.MetricText = None,
    workload: Annotated[str, typer.Option(metavar="W", help="The workload it is about.")] = "",
    device: Annotated[str, typer.Option(metavar="cpu|cuda", help="The device.")] = "",
    aim: Annotated[
        str | None, typer.Option(metavar="EFFECT", help="The gain aimed at, such as 2x.")
    ] = None,
    time: Span = None,
    money: Sum = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Start a campaign. The budget stops it: what has run stays, what waits does not run."""
    meant = parse_metric(metric) if metric else None
    with opened(book, author) as opened_book:
        made = opened_book.campaigns.add(
            name,
            goal=goal,
            metric=meant,
            workload=workload,
            device=device,
            goal_gain=parse_gain(aim, meant or KERNEL_TIME) if aim else None,
            budget_s=span_of(time, None),
            budget_money=sum_of(money, None),
        )
        show(made, opened_book.settings.currency, json)
    return 0


@campaign.command("list")
@guarded
def list_(
    book: options.BookFolder = None, json: options.Json = False, debug: options.Debug = False
) -> int:
    """List the campaigns, with what they have spent."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found, currency = opened_book.campaigns.list(), opened_book.settings.currency
    if json:
        show_json([documents.campaign(one) | {"currency": currency} for one in found])
        return 0
    rows = [
        (one.name, one.state, spent(one, currency), budget_of(one, currency), short(one.goal))
        for one in found
    ]
    console().print(table(("campaign", "state", "spent", "budget", "goal"), rows))
    return 0


@campaign.command("show")
@guarded
def show_one(
    name: Name,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a campaign: its goal, its budget, and what it has spent."""
    with opened(book) as opened_book:
        found = opened_book.campaigns.get(name)
        show(found, opened_book.settings.currency, json)
    return 0


@campaign.command()
@guarded
def budget(
    name: Name,
    time: Span = None,
    money: Sum = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Set the time and the money a campaign may spend; what is not given stays as it is."""
    if time is None and money is None:
        raise BadInput("which budget? give --time 2h, --money 20, or none to lift it")
    with opened(book, author) as opened_book:
        now = opened_book.campaigns.get(name)
        seconds, amount = span_of(time, now.budget_s), sum_of(money, now.budget_money)
        opened_book.campaigns.set_budget(name, seconds, amount)
        show(opened_book.campaigns.get(name), opened_book.settings.currency, json)
    return 0


def changing(verb: str, what: str) -> None:
    """A verb that changes a campaign's state and shows what it is now."""

    @campaign.command(verb, help=what)
    @guarded
    def change(
        name: Name,
        book: options.BookFolder = None,
        author: options.Author = None,
        json: options.Json = False,
        debug: options.Debug = False,
    ) -> int:
        with opened(book, author) as opened_book:
            getattr(opened_book.campaigns, verb)(name)
            show(opened_book.campaigns.get(name), opened_book.settings.currency, json)
        return 0


changing("stop", "Stop a campaign: nothing of it is taken from the queue.")
changing("resume", "Let a stopped or archived campaign go on.")
changing("archive", "Put a campaign away: nothing of it runs, all of it stays to be read.")


def span_of(text: str | None, otherwise: float | None) -> float | None:
    if text is None:
        return otherwise
    return None if text.strip() == "none" else parse_duration(text)


def sum_of(text: str | None, otherwise: float | None) -> float | None:
    if text is None:
        return otherwise
    if text.strip() == "none":
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount >= 0):
        raise BadInput(f"--money {text!r} is no sum: write a number such as 20, or none")
    return amount


def show(found: "Campaign", currency: str, json: bool) -> None:
    if json:
        from warpbook.book import documents

        show_json(documents.campaign(found) | {"currency": currency})
        return
    show_campaign(console(), found, currency)


def show_campaign(screen: Console, found: "Campaign", currency: str) -> None:
    metric = metric_of(found.metric) if found.metric else KERNEL_TIME
    screen.print(printable(f"{found.name}: {found.state}"), style="bold")
    facts(
        screen,
        [
            ("goal", found.goal),
            ("metric", f"{metric.name}, {metric.better} is better" if found.metric else ""),
            ("workload", found.workload),
            ("device", found.device),
            ("aims at", "" if found.goal_gain is None else effect(metric, found.goal_gain)),
            ("spent", spent(found, currency)),
            ("budget", budget_of(found, currency)),
            ("since", f"{when(found.created_at)} by {found.author}"),
        ],
    )
    name = shlex.quote(printable(found.name))
    if found.state != "active":
        screen.print(f"let it go on: warpbook campaign resume {name}", soft_wrap=True)
    screen.print(f"its hypotheses: warpbook hypothesis list --campaign {name}", soft_wrap=True)


def spent(found: "Campaign", currency: str) -> str:
    time = show_duration(found.spent_s)
    return f"{time}, {money(found.spent_money, currency)}" if found.spent_money else time


def budget_of(found: "Campaign", currency: str) -> str:
    parts = []
    if found.budget_s is not None:
        parts.append(show_duration(found.budget_s))
    if found.budget_money is not None:
        parts.append(money(found.budget_money, currency))
    return ", ".join(parts) or "no limit"
