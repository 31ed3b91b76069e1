"""`warpbook export anki` and `warpbook import anki`: cards to Anki, and from it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal.opening import journal_opened, tell
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.journal.cards.anki_text import Read, Told

MOST_SHOWN = 20


@guarded
def export_anki(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file.apkg.", show_default=False)
    ],
    topic: Annotated[str | None, typer.Option(metavar="T", help="Of one topic alone.")] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write the deck as an Anki package; importing a later one into Anki updates its cards."""
    from warpbook.journal.cards import anki, recall

    with journal_opened(book) as journal:
        tell(recall.sync(journal))
        made = anki.export(journal, file.expanduser(), topic)
    if json:
        show_json(made)
        return 0
    console().print(
        printable(f"{made.path}: {made.cards} cards of {made.notes} notes in {made.decks} decks"),
        soft_wrap=True,
    )
    return 0


@guarded
def import_anki(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="What Anki exported as Notes in Plain Text.", show_default=False
        ),
    ],
    topic: Annotated[
        str | None, typer.Option(metavar="T", help="Their topic; by default that of each deck.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the cards; without it nothing is changed.")
    ] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take in cards that Anki exported as text: first what was understood, then with --write."""
    from warpbook.journal.cards import anki_text

    with journal_opened(book) as journal:
        found = anki_text.read(journal, file.expanduser(), topic or "")
        written = anki_text.write(journal, found) if write else 0
    if json:
        show_json(document(found, written))
    else:
        show(found, written, write)
    return 0


def document(found: "Read", written: int) -> dict[str, object]:
    rows = [
        {
            "line": row.line,
            "question": row.card.question,
            "answer": row.card.answer,
            "topic": row.card.topic,
            "id": row.card.id,
            "known": row.known,
        }
        for row in found.rows
    ]
    return {
        "cards": rows,
        "left_out": found.left_out,
        "notes": found.notes,
        "written": written,
    }


def show(found: "Read", written: int, write: bool) -> None:
    from warpbook.cli.book.views import short, table

    screen = console()
    new = found.new
    rows = [
        (str(row.line), row.card.topic, short(row.card.question, 40), short(row.card.answer, 30))
        for row in new[:MOST_SHOWN]
    ]
    if rows:
        screen.print(table(("line", "topic", "question", "answer"), rows, right=("line",)))
    if len(new) > MOST_SHOWN:
        screen.print(f"and {len(new) - MOST_SHOWN} more", style="dim")
    told("not understood", found.left_out)
    told("not kept", found.notes)
    known = len(found.rows) - len(new)
    counts = f"{len(new)} new, {known} here already, {len(found.left_out)} lines left out"
    if write:
        screen.print(f"{counts}; {written} written")
        return
    screen.print(f"{counts}; nothing was changed" + ("; write them: --write" if new else ""))


def told(what: str, lines: "Sequence[Told]") -> None:
    for one in lines[:MOST_SHOWN]:
        say(f"line {one.line}: {what}: {one.text}")
    if len(lines) > MOST_SHOWN:
        say(f"and {len(lines) - MOST_SHOWN} more; --json has them all")
