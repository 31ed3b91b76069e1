"""`warpbook experiment`: plans with two arms, and their place in the queue."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpbook.cli.book import options
from warpbook.cli.book.experiment_view import experiment_rows, show_experiment
from warpbook.cli.book.opening import opened
from warpbook.cli.book.trying import show_defaults
from warpbook.cli.book.views import metric_of, page_note, table
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.effect import Metric, parse_interval
from warpbook.core.errors import BadInput
from warpbook.lab.plans import BLOCKS, LIMIT_S, Asked

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.book.tables import Prediction

MOST_RUNS = 20
ALL_RUNS = 100_000

experiment = typer.Typer(no_args_is_help=True, help="Experiments: two arms, and their runs.")

Name = Annotated[str, typer.Argument(metavar="E-31", help="An experiment.", show_default=False)]


@experiment.command("add")
@guarded
def add(
    change: options.Change = None,
    on: options.On = None,
    against: options.Against = None,
    workload: options.Workload = None,
    device: options.Device = None,
    for_: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="H-3=LOW..HIGH",
            help="A hypothesis and your 80% interval for it; may be given again.",
        ),
    ] = None,
    campaign: options.OfCampaign = None,
    title: options.Title = "",
    runs: options.Runs = 3,
    draft: Annotated[
        bool, typer.Option("--draft", help="Do not queue it yet, nor lock its predictions.")
    ] = False,
    pin: options.Pin = False,
    priority: options.Priority = 0,
    repeats: Annotated[
        str | None, typer.Option(metavar="E-7", help="The experiment that it repeats.")
    ] = None,
    command: options.Command = None,
    baseline: options.Baseline = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="METRIC",
            help="NAME[:lower|higher[:ratio|difference[:unit]]], the main one first; "
            "by default those of the hypotheses.",
        ),
    ] = None,
    blocks: options.Blocks = BLOCKS,
    limit: options.RunLimit = LIMIT_S,
    variable: options.Variables = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Plan an experiment for hypotheses that are there already, or for none: exploratory."""
    asked = Asked(
        change, on, against, command, baseline, workload, device, blocks, limit,
        tuple(variable or ()),
    )  # fmt: skip
    with opened(book, author) as opened_book:
        from warpbook.book.adding import Wish
        from warpbook.lab.experiment import add_experiment

        wish = Wish(campaign or "inbox", title, runs, not draft, pin, priority, repeats)
        made = add_experiment(opened_book, asked, pairs(for_ or ()), metric or (), wish)
        if json:
            show_json(document(opened_book, made.experiment.name) | {"defaults": made.defaults})
        else:
            show(opened_book, made.experiment.name, json)
            show_defaults(console(), made.defaults)
    return 0


@experiment.command("list")
@guarded
def list_(
    campaign: options.InCampaign = None,
    state: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="Only those: queued, running, done, failed, moot, ..."),
    ] = None,
    search: options.Search = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List experiments, newest first."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found = opened_book.experiments.list(campaign, state, search, limit, offset)
    if json:
        show_json([documents.experiment(one) for one in found])
        return 0
    screen = console()
    columns = ("id", "change against baseline", "on", "state", "runs")
    screen.print(table(columns, experiment_rows(found)) if found else "no experiments")
    page_note(screen, len(found), limit, offset)
    return 0


@experiment.command("show")
@guarded
def show_one(
    name: Name,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show an experiment: its arms, predictions, runs and state."""
    with opened(book) as opened_book:
        show(opened_book, name, json)
    return 0


@experiment.command()
@guarded
def predict(
    name: Name,
    hypothesis: Annotated[str, typer.Argument(metavar="H-3", show_default=False)],
    interval: Annotated[str, typer.Argument(metavar="LOW..HIGH", show_default=False)],
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Change a prediction of an experiment that is not queued yet."""
    with opened(book, author) as opened_book:
        metric = metric_of(opened_book.hypotheses.get(hypothesis).metric)
        low, high = parse_interval(interval, metric)
        opened_book.experiments.predict(name, hypothesis, low, high)
        show(opened_book, name, json)
    return 0


@experiment.command("priority")
@guarded
def priority_(
    name: Name,
    priority: Annotated[
        int,
        typer.Argument(metavar="N", min=-options.MOST, max=options.MOST, show_default=False),
    ],
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Put an experiment ahead of those with a lower priority; 0 is where all begin."""
    with opened(book, author) as opened_book:
        opened_book.experiments.prioritise(name, priority)
        show(opened_book, name, json)
    return 0


def changing(verb: str, what: str) -> None:
    """A verb that changes an experiment's state and shows what it is now."""

    @experiment.command(verb, help=what)
    @guarded
    def change(
        name: Name,
        book: options.BookFolder = None,
        author: options.Author = None,
        json: options.Json = False,
        debug: options.Debug = False,
    ) -> int:
        with opened(book, author) as opened_book:
            getattr(opened_book.experiments, verb)(name)
            show(opened_book, name, json)
        return 0


changing("queue", "Queue an experiment that is a draft; its predictions are locked with it.")
changing("cancel", "Take an experiment out of the queue. What has run stays.")
changing("pin", "Put an experiment ahead of all that is not pinned.")
changing("unpin", "Let an experiment wait its turn again.")


def pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Of `H-3=1.2x..1.6x`: the hypothesis and the interval."""
    found = []
    for text in texts:
        name, equals, interval = text.partition("=")
        if not equals:
            raise BadInput(f"--for {text!r} has no prediction: write H-3=1.2x..1.6x")
        found.append((name, interval))
    return found


def show(book: "Book", name: str, json: bool) -> None:
    if json:
        show_json(document(book, name))
        return
    found, runs = book.experiments.get(name), book.runs.list(experiment=name, limit=MOST_RUNS + 1)
    show_experiment(console(), found, predicted(book, name), runs[:MOST_RUNS])
    if len(runs) > MOST_RUNS:
        console().print(f"and those before them: warpbook run list --experiment {found.name}")


def predicted(book: "Book", name: str) -> "list[tuple[Prediction, Metric]]":
    """Its predictions, each with the metric of its hypothesis."""
    return [
        (one, metric_of(book.hypotheses.get(one.hypothesis_id).metric))
        for one in book.experiments.predictions(name)
    ]


def document(book: "Book", name: str) -> dict[str, Any]:
    from warpbook.book import documents

    found = book.experiments.get(name)
    main = metric_of(found.plan["metrics"][0])
    runs = book.runs.list(experiment=name, limit=ALL_RUNS)
    return documents.experiment(found) | {
        "predictions": [documents.prediction(*pair) for pair in predicted(book, name)],
        "runs": [documents.run(one, main) for one in runs],
    }
