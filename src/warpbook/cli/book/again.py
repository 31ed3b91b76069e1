"""`warpbook more`, `rerun`, `confirm` and `noise`: further runs of what is there already."""

from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.experiment_view import progress, title_of
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.book.tables import Experiment

OfExperiment = Annotated[
    str, typer.Argument(metavar="E-31", help="An experiment.", show_default=False)
]


@guarded
def more(
    name: Annotated[
        str,
        typer.Argument(metavar="H-3|E-7", help="What needs more runs.", show_default=False),
    ],
    runs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=1000, help="By default as many as it is said to need."
        ),
    ] = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Queue more runs of an experiment, or of a hypothesis that is not decided yet."""
    with opened(book, author) as opened_book:
        show(opened_book.experiments.more(name, runs), json)
    return 0


@guarded
def rerun(
    name: OfExperiment,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Run an experiment again; in another environment or with edited files, as a new one."""
    with opened(book, author) as opened_book:
        show(opened_book.experiments.rerun(name), json)
    return 0


@guarded
def confirm(
    name: Annotated[str, typer.Argument(metavar="H-3", help="A hypothesis.", show_default=False)],
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Queue 3 fresh runs, which alone a finding about the best of several quotes."""
    with opened(book, author) as opened_book:
        show(opened_book.experiments.confirm(name), json)
    return 0


@guarded
def noise(
    name: OfExperiment,
    runs: options.Runs = 8,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Queue runs of an experiment's baseline against itself: how much this machine strays."""
    with opened(book, author) as opened_book:
        show(opened_book.experiments.noise(name, runs), json)
    return 0


def show(made: "Experiment", json: bool) -> None:
    if json:
        from warpbook.book import documents

        show_json(documents.experiment(made))
        return
    screen = console()
    line = f"{made.name}  {title_of(made)}: {made.state}, {progress(made)} runs made"
    screen.print(printable(line))
    screen.print("next: warpbook work")
