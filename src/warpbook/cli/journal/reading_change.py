"""The verbs of `warpbook reading` that change an item: its state, notes, facts and topic."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.journal.saying import Saying

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.reading.reading import Item

Which = Annotated[
    str,
    typer.Argument(
        metavar="ITEM",
        help="Its id, the beginning of one, words of its title, or its address.",
        show_default=False,
    ),
]
Several = Annotated[
    list[str], typer.Argument(metavar="ITEM...", help="One or more.", show_default=False)
]
On = Annotated[str | None, typer.Option("--on", metavar="DATE", help="The day; today by default.")]
UpTo = Annotated[
    str | None,
    typer.Option("--up-to", metavar="PLACE", help="How far you are, such as `section 4`."),
]
Words = Annotated[list[str], typer.Argument(metavar="TEXT", show_default=False)]


@guarded
def start(
    item: Which,
    up_to: UpTo = None,
    on: On = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Begin to read something, or go on with it."""
    return become(item, "reading", on, book, json, up_to)


@guarded
def done(
    item: Which,
    on: On = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Mark it as read."""
    return become(item, "done", on, book, json)


@guarded
def revisit(
    item: Which,
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="DATE", help="When it is due; a week from now by default."),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Have it come back, to be read again."""
    return become(item, "revisit", on, book, json)


@guarded
def note(
    item: Which,
    text: Words,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write a note at its end, under today's date."""
    from warpbook.journal.reading import shelf

    return changed(book, json, lambda journal: shelf.note(journal, item, " ".join(text)))


@guarded
def question(
    item: Which,
    text: Words,
    answer: Annotated[
        str, typer.Option(metavar="TEXT", help="The answer: then it is a card.")
    ] = "",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write down an open question, or answer one."""
    from warpbook.journal.reading import shelf

    return changed(
        book, json, lambda journal: shelf.question(journal, item, " ".join(text), answer)
    )


@guarded
def keep(
    item: Several,
    topic: Annotated[
        str, typer.Option(metavar="NAME", help="Where to; the topic of its feed by default.")
    ] = "",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take items out of the inbox into a topic, where they are queued."""
    from warpbook.journal.reading import feeds, moving

    def kept(journal: "Journal", one: "Item") -> "Item":
        return moving.keep(journal, one.id, topic or feeds.home(journal, one))

    return each(item, book, json, kept)


@guarded
def drop(
    item: Several,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Drop items: they stay in their files, and out of the lists."""
    from warpbook.journal.reading import shelf

    return each(item, book, json, lambda journal, one: shelf.set_state(journal, one.id, "dropped"))


@guarded
def move(
    item: Which,
    topic: Annotated[str, typer.Argument(metavar="TOPIC", show_default=False)],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Move an item to another topic's file, notes and all."""
    from warpbook.journal.reading import moving

    return changed(book, json, lambda journal: moving.move(journal, item, topic))


@guarded
def set_(
    item: Which,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Another title.")] = None,
    address: Annotated[str | None, typer.Option(metavar="URL", help="Another address.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Another kind.")] = None,
    tier: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=5, help="From 1, the best, to 5.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="Another state, such as merged for a pull request."),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Change what is said of an item; what is not given stays, and so does its id."""
    from warpbook.core.errors import BadInput
    from warpbook.journal.reading import shelf

    facts = (title, address, kind, tier, state)
    if all(value is None for value in facts):
        raise BadInput("what is to change: --title, --address, --kind, --tier or --state")
    return changed(book, json, lambda journal: shelf.set_facts(journal, item, *facts))


VERBS: dict[str, Callable[..., None]] = {
    "start": start,
    "done": done,
    "revisit": revisit,
    "note": note,
    "question": question,
    "keep": keep,
    "drop": drop,
    "move": move,
    "set": set_,
}
CLASSES: dict[str, type[TyperCommand]] = {"note": Saying, "question": Saying}


def become(
    item: str,
    state: str,
    on: str | None,
    book: options.BookFolder,
    json: bool,
    up_to: str | None = None,
) -> int:
    from warpbook.journal.days import dates
    from warpbook.journal.reading import shelf

    def act(journal: "Journal") -> "Item":
        day = dates.parse(on, journal.today()) if on else None
        return shelf.set_state(journal, item, state, day, up_to)

    return changed(book, json, act)


def changed(book: options.BookFolder, json: bool, act: "Callable[[Journal], Item]") -> int:
    from warpbook.cli.journal.reading_view import show_item

    with journal_opened(book) as journal:
        show_item(journal, act(journal), json)
    return 0


def each(
    names: list[str],
    book: options.BookFolder,
    json: bool,
    act: "Callable[[Journal, Item], Item]",
) -> int:
    """All of them are found before the first is changed."""
    from warpbook.cli.journal.reading_view import show_list
    from warpbook.journal.reading import shelf

    with journal_opened(book) as journal:
        chosen = {one.id: one for one in [shelf.get(journal, name) for name in names]}
        show_list(journal, [act(journal, one) for one in chosen.values()], json)
    return 0
