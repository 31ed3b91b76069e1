"""`warpbook plan`: what is to be done, from the days it was written in, until done or dropped."""

from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.journal.saying import Saying
from warpbook.cli.nested import defaulting_to
from warpbook.cli.screen import console, show_json

if TYPE_CHECKING:
    from warpbook.journal.days.plans import Plan
    from warpbook.journal.journal import Journal

plan = typer.Typer(
    cls=defaulting_to("list"),
    no_args_is_help=False,
    help="Plans: `tomorrow: ...` and `- [ ]` of your days, until they are done or dropped.",
)
MOST = 100  # on a screen
Which = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAN...", help="Numbers in the list, or words of one.", show_default=False
    ),
]


@plan.command("list")
@guarded
def list_(
    every: Annotated[
        bool, typer.Option("--all", help="Those that are done or dropped as well.")
    ] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List the open plans, the oldest first, each with its number."""
    from warpbook.journal.days import plans

    with journal_opened(book) as journal:
        found = plans.listed(journal, ("open",))
        others = plans.listed(journal, ("done", "dropped")) if every else []
    if json:
        show_json([one.document() for one in (*found, *others)])
    else:
        show(found, others)
    return 0


@plan.command("add", cls=Saying)
@guarded
def add(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", show_default=False)],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write a plan into today's file."""
    from warpbook.core.errors import BadInput
    from warpbook.journal.days import days, plans

    words = " ".join(" ".join(text).split())
    if not words:
        raise BadInput("the plan is empty")
    with journal_opened(book) as journal:
        added = days.add(journal, journal.today(), plans.box(words))
        told(journal, json, waits=added.path if added.waits else "")
    return 0


@plan.command("done")
@guarded
def done(
    which: Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Mark plans as done, in today's file."""
    return settle(which, "done", book, json)


@plan.command("drop")
@guarded
def drop(
    which: Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Drop plans: they are carried no further."""
    return settle(which, "dropped", book, json)


def settle(which: list[str], state: str, book: options.BookFolder, json: bool) -> int:
    from warpbook.journal.days import days, plans

    numbers = all(word.isdecimal() for word in which)
    with journal_opened(book) as journal:
        chosen = [plans.find(journal, word) for word in (which if numbers else [" ".join(which)])]
        waits = ""
        for one in chosen:
            added = days.settle(journal, one, state)
            waits = added.path if added.waits else waits
        told(journal, json, waits)
    return 0


def told(journal: "Journal", json: bool, waits: str) -> None:
    from warpbook.journal.days import plans

    if waits:
        say(f"today's file is open in an editor; what you said waits in {waits}")
    found = plans.listed(journal)
    if json:
        show_json([one.document() for one in found])
    else:
        show(found, [])


def show(found: "list[Plan]", others: "list[Plan]") -> None:
    from warpbook.cli.book.views import table

    screen = console()
    if not found and not others:
        screen.print('no open plans; add one: warpbook plan add "try cp.async"')
        return
    every = [*found, *others]
    rows = [
        [str(number) if one.state == "open" else "", one.state, str(one.since), one.text]
        for number, one in enumerate(every[:MOST], 1)
    ]
    screen.print(table(("", "state", "since", "plan"), rows, right=("",)))
    if len(every) > MOST:
        screen.print(f"and {len(every) - MOST} more: --json has them all", style="dim")
