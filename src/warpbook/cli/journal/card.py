"""`warpbook card`: the cards of the deck, and those that wait for approval."""

from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened, tell
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from warpbook.journal.cards.deck import Held
    from warpbook.journal.cards.proposals import Proposal
    from warpbook.journal.journal import Journal

card = typer.Typer(
    no_args_is_help=True, help="Cards: questions for recall, and those that wait for approval."
)
Which = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...", help="Cards: their ids, or the beginnings of those.", show_default=False
    ),
]
Waiting = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID...", help="Those that wait: their ids.", show_default=False),
]
All = Annotated[bool, typer.Option("--all", help="All that wait.")]
Topic = Annotated[str | None, typer.Option(metavar="T", help="Of one topic alone.")]


@card.command("add")
@guarded
def add(
    question: Annotated[str, typer.Argument(metavar="QUESTION", show_default=False)],
    answer: Annotated[
        str,
        typer.Argument(
            metavar="[ANSWER]",
            help="Left out where QUESTION is a text with clozes: 'A {{c1::warp}} has 32 threads.'",
            show_default=False,
        ),
    ] = "",
    topic: Annotated[
        str | None,
        typer.Option(metavar="T", help="Its topic, and so its file; the journal's track else."),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write a card into the file of its topic."""
    from warpbook.journal.cards import deck

    with journal_opened(book) as journal:
        made = deck.add(journal, question, answer, topic or journal.settings.track)
        show(journal, made.card.id, json)
    return 0


@card.command("list")
@guarded
def list_(
    topic: Topic = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="STATE",
            help="Only those due, new, learning, review, flagged or suspended.",
        ),
    ] = None,
    search: options.Search = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List cards by topic, with how well each is known."""
    from warpbook.journal.cards import deck

    with journal_opened(book) as journal:
        follow(journal)
        found = deck.cards(journal, topic, state, search or "", limit, offset)
    if json:
        show_json([deck.document(one) for one in found])
        return 0
    from warpbook.cli.book.views import page_note, short, table

    screen = console()
    rows = [
        (one.card.id, one.card.topic, short(one.card.question, 50), known(one), marks(one))
        for one in found
    ]
    columns = ("id", "topic", "question", "state", "")
    screen.print(table(columns, rows) if rows else "no cards")
    page_note(screen, len(found), limit, offset)
    return 0


@card.command("topics")
@guarded
def topics(
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List topics, with how many cards each has and how many of them to ask."""
    from warpbook.journal.cards import deck

    with journal_opened(book) as journal:
        follow(journal)
        found = deck.topics(journal)
    if json:
        show_json(found)
        return 0
    from warpbook.cli.book.views import table

    columns = ("topic", "cards", "due", "new", "learning", "flagged", "suspended")
    rows = [(one.name, *(str(getattr(one, name) or "") for name in columns[1:])) for one in found]
    console().print(table(columns, rows, right=columns[1:]) if rows else "no cards")
    return 0


@card.command("show")
@guarded
def show_one(
    name: Annotated[str, typer.Argument(metavar="ID", help="A card.", show_default=False)],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a card: its answer, where it stands, how well it is known, and what an answer brings."""
    with journal_opened(book) as journal:
        follow(journal)
        show(journal, name, json)
    return 0


@card.command("flag")
@guarded
def flag(
    which: Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Mark cards that want mending; they are asked as before."""
    return act("flag", which, True, book, json)


@card.command("unflag")
@guarded
def unflag(
    which: Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take the mark off again."""
    return act("flag", which, False, book, json)


@card.command("suspend")
@guarded
def suspend(
    which: Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Let cards rest: they are asked no more."""
    return act("suspend", which, True, book, json)


@card.command("unsuspend")
@guarded
def unsuspend(
    which: Which,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Ask cards again."""
    return act("suspend", which, False, book, json)


@card.command("undo")
@guarded
def undo(
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take back the last review, flag or suspension; again for the one before."""
    from warpbook.journal.cards import recall
    from warpbook.journal.cards.schedule import RATINGS

    with journal_opened(book) as journal:
        done = recall.undo(journal)
    if json:
        show_json(done)
        return 0
    what = f"{done.act} ({RATINGS[done.rating]})" if done.rating else done.act
    console().print(printable(f"undone: {what} of {done.card}, {done.at:%Y-%m-%d %H:%M} UTC"))
    return 0


@card.command("proposals")
@guarded
def proposals(
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Those that were rejected instead.")
    ] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List the cards that wait for approval."""
    from warpbook.journal.cards import proposals as waiting

    with journal_opened(book) as journal:
        found = waiting.list_all(journal, waiting.REJECTED if rejected else waiting.WAITING)
    if json:
        show_json(found)
        return 0
    show_proposals(found)
    return 0


@card.command("approve")
@guarded
def approve(
    which: Waiting = None,
    every: All = False,
    topic: Annotated[
        str | None, typer.Option(metavar="T", help="Their topic, instead of the one proposed.")
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take proposed cards into the deck."""
    from warpbook.journal.cards import deck
    from warpbook.journal.cards import proposals as waiting

    with journal_opened(book) as journal:
        made = waiting.approve(journal, chosen(journal, which, every), topic or "")
        held = [deck.get(journal, one.id) for one in made]
    if json:
        show_json([deck.document(one) for one in held])
        return 0
    for one in held:
        console().print(printable(f"{one.card.id}  {one.card.path}:{one.card.line}"))
    return 0


@card.command("reject")
@guarded
def reject(
    which: Waiting = None,
    every: All = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Turn proposed cards down; they are not proposed again."""
    from warpbook.journal.cards import proposals as waiting

    with journal_opened(book) as journal:
        found = waiting.reject(journal, chosen(journal, which, every))
    if json:
        show_json(found)
        return 0
    for one in found:
        console().print(printable(f"{one.id}  rejected"))
    return 0


def chosen(journal: "Journal", which: list[str] | None, every: bool) -> list[str]:
    from warpbook.core.errors import BadInput
    from warpbook.journal.cards import proposals as waiting

    if bool(which) == every:
        raise BadInput("name the cards that you mean, or give --all")
    return which or [one.id for one in waiting.list_all(journal)]


def act(name: str, which: list[str], on: bool, book: "Path | None", json: bool) -> int:
    from warpbook.journal.cards import deck, recall

    do = {"flag": recall.flag, "suspend": recall.suspend}[name]
    with journal_opened(book) as journal:
        ids = [deck.get(journal, one).card.id for one in which]
        for one in ids:
            do(journal, one, on)
        held = [deck.get(journal, one) for one in ids]
    if json:
        show_json([deck.document(one) for one in held])
        return 0
    for card in held:
        console().print(printable(f"{card.card.id}  {marks(card) or 'asked as before'}"))
    return 0


def follow(journal: "Journal") -> None:
    """The reviews that others added are taken in, and lines that cannot be used are told."""
    from warpbook.journal.cards import recall

    tell(recall.sync(journal))


def known(one: "Held") -> str:
    from warpbook.cli.book.views import when
    from warpbook.journal.cards.recall import text_of

    due = one.recall.due
    return f"{one.recall.state}, due {when(text_of(due))}" if due else one.recall.state


def marks(one: "Held") -> str:
    return ", ".join(
        filter(None, ["flagged" * one.recall.flagged, "suspended" * one.recall.suspended])
    )


def show(journal: "Journal", name: str, json: bool) -> None:
    from warpbook.journal.cards import deck, recall
    from warpbook.journal.cards.reviews import moment
    from warpbook.journal.cards.schedule import RATINGS, span

    held = deck.get(journal, name)
    now = moment(journal.now())
    seen = recall.preview(journal, held.card.id, now)
    if json:
        following = {str(rating): recall.text_of(due) for rating, due in seen.items()}
        show_json(deck.document(held) | {"preview": following})
        return
    show_card(
        held, ", ".join(f"{RATINGS[rating]} {span(due - now)}" for rating, due in seen.items())
    )


def show_card(held: "Held", following: str) -> None:
    from warpbook.cli.book.views import facts

    screen, one, how = console(), held.card, held.recall
    screen.print(printable(one.question, lines=True), style="bold")
    screen.print(printable(one.answer, lines=True))
    facts(
        screen,
        [
            ("id", one.id),
            ("topic", one.topic),
            ("file", f"{one.path}:{one.line}" if one.path else "a course"),
            ("state", known(held)),
            ("asked", f"{how.reviews} times, forgotten {how.lapses}" if how.reviews else "never"),
            ("marks", marks(held)),
            ("next", following),
        ],
    )


def show_proposals(found: "list[Proposal]") -> None:
    screen = console()
    for one in found:
        screen.print(printable(f"{one.id}  {one.topic}  {one.source}"), style="dim")
        screen.print(printable(one.question, lines=True), style="bold")
        if one.answer:
            screen.print(printable(one.answer, lines=True))
        screen.print()
    if not found:
        screen.print("nothing waits")
    elif found[0].state == "proposed":
        screen.print("take them: warpbook card approve ID..., or turn them down: reject ID...")
