"""`warpbook reading`: the reading list; adding to it, looking at it, and what to read next."""

from typing import Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal import reading_change as change
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import console, show_json

reading = typer.Typer(
    no_args_is_help=True, help="Things to read, with their states, notes and questions."
)
KIND_WORDS = "blog, paper, lecture, code, chapter, video, thread, issue or pr"
STATE_WORDS = (
    "queued, reading, done, revisit, dropped or inbox; for an issue or pr also asked, assigned, "
    "open, merged or closed"
)
AFTER_IT = 4

OfTopic = Annotated[str, typer.Option("--topic", metavar="NAME", help="Of one topic alone.")]
Tier = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=5, help="From 1, the best, to 5.")
]


@reading.command("add")
@guarded
def add(
    what: Annotated[
        str,
        typer.Argument(metavar="TITLE|ADDRESS", help="A title, or an address.", show_default=False),
    ],
    address: Annotated[
        str, typer.Option(metavar="URL", help="Where it is, if a title was given.")
    ] = "",
    topic: Annotated[
        str, typer.Option(metavar="NAME", help="Its topic, a file; general by default.")
    ] = "",
    kind: Annotated[
        str, typer.Option(metavar="KIND", help=f"{KIND_WORDS}; by default told by the address.")
    ] = "",
    tier: Tier = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="What you think of it.")] = "",
    state: Annotated[
        str, typer.Option(metavar="STATE", help=f"{STATE_WORDS}; queued by default.")
    ] = "",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Put something on the list. What is there already is shown instead, and ends with 2."""
    from warpbook.cli.journal.reading_view import show_item
    from warpbook.journal.reading import shelf
    from warpbook.journal.reading.addresses import looks_like_one

    title = what
    if not address and looks_like_one(what):
        title, address = "", what
    with journal_opened(book) as journal:
        made = shelf.add(journal, shelf.New(title, address, topic, kind, tier, note, state))
        show_item(journal, made, json)
    return 0


@reading.command("list")
@guarded
def list_(
    topic: OfTopic = "",
    state: Annotated[
        list[str] | None,
        typer.Option(metavar="STATE", help=f"Only these: {STATE_WORDS}; may be given again."),
    ] = None,
    kind: Annotated[str, typer.Option(metavar="KIND", help=f"Only these: {KIND_WORDS}.")] = "",
    tier: Tier = None,
    search: options.Search = None,
    questions: Annotated[
        bool, typer.Option("--questions", help="Those with open questions, and the questions.")
    ] = False,
    doubled: Annotated[
        bool, typer.Option("--doubled", help="What is there twice, and where.")
    ] = False,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List what to read, what is being read first. Without --state the inbox and what was dropped
    are left out."""
    from warpbook.cli.journal import reading_view as view
    from warpbook.journal.reading import shelf_list
    from warpbook.journal.reading.shelf_list import Filter

    with journal_opened(book) as journal:
        if doubled:
            view.show_doubled(shelf_list.doubled(journal), json)
            return 0
        asked = Filter(topic, tuple(state or ()), kind, tier, search or "", questions)
        found = shelf_list.listed(journal, asked, limit, offset)
        view.show_list(journal, found, json, questions, limit, offset)
    return 0


@reading.command("show")
@guarded
def show(
    item: change.Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show an item: where it is, how far you are, your notes and open questions."""
    from warpbook.cli.journal.reading_view import show_item
    from warpbook.journal.reading import shelf

    with journal_opened(book) as journal:
        show_item(journal, shelf.get(journal, item), json)
    return 0


@reading.command("next")
@guarded
def next_(
    topic: OfTopic = "",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Say what to read now, and why: what you began, then what is due again, then by tier and
    age."""
    from warpbook.cli.journal import reading_view as view
    from warpbook.journal.reading import shelf_list
    from warpbook.journal.reading.reading import document

    with journal_opened(book) as journal:
        found = shelf_list.next_items(journal, topic, 1 + AFTER_IT)
        inbox = shelf_list.states(journal).get("inbox", 0)
    if json:
        show_json([{**document(one.item), "why": one.why} for one in found])
        return 0
    if not found:
        console().print("nothing is queued; add something: warpbook reading add URL")
        if inbox:
            say(f"{inbox} in the inbox: warpbook reading list --state inbox")
        return 0
    view.show_next(found)
    return 0


for name, verb in change.VERBS.items():
    reading.command(name, cls=change.CLASSES.get(name))(verb)
