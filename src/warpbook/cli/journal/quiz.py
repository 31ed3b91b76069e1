"""`warpbook quiz`: what is about to be forgotten, asked in the terminal or through a pipe."""

from typing import Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened, tell
from warpbook.cli.screen import show_json


@guarded
def quiz(
    topic: Annotated[str | None, typer.Option(metavar="T", help="Of one topic alone.")] = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=10000, help="How many answers at most."),
    ] = None,
    new: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=10000, help="How many new cards now; new_a_day in all else."
        ),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Ask what is due: answer or press Enter, see the answer, and say how well you knew it."""
    from warpbook.cli.journal.quizzing import Quiz
    from warpbook.core.errors import NotFound
    from warpbook.journal.cards import deck, recall

    with journal_opened(book) as journal:
        tell(recall.sync(journal))
        if topic is not None and not deck.cards(journal, topic, limit=1):
            names = ", ".join(one.name for one in deck.topics(journal)) or "none yet"
            raise NotFound(f"no cards on {topic!r}; the topics there are: {names}")
        most_new = None if new is None else new + deck.introduced(journal)
        if json:
            found = deck.due(journal, topic, limit, most_new)
            show_json([deck.document(one) for one in found])
            return 0
        return Quiz(journal, topic, limit, most_new).run()
