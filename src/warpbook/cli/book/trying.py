"""`warpbook try`: a claim, a prediction and an experiment in one line, with its defaults shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import table
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, show_json
from warpbook.core.errors import BadInput
from warpbook.core.text import printable
from warpbook.core.wording import ends
from warpbook.lab.plans import BLOCKS, LIMIT_S, Default

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.lab.attempt import Made

NEXT = "warpbook work"


@guarded
def try_(
    change: options.Change = None,
    on: options.On = None,
    expect: Annotated[
        str,
        typer.Option(
            metavar="LOW..HIGH", help="Your 80% interval, such as 1.2x..1.6x.", show_default=False
        ),
    ] = "",
    because: options.Because = "",
    against: options.Against = None,
    workload: options.Workload = None,
    device: options.Device = None,
    at_least: options.AtLeast = None,
    worse: options.Worse = False,
    belief: options.Belief = None,
    claim: options.ClaimText = None,
    campaign: options.OfCampaign = None,
    runs: options.Runs = 3,
    pin: options.Pin = False,
    priority: options.Priority = 0,
    for_: Annotated[
        str | None,
        typer.Option("--for", metavar="H-3", help="For a hypothesis that is there already."),
    ] = None,
    command: options.Command = None,
    baseline: options.Baseline = None,
    metric: options.MetricText = None,
    guard: options.Guards = None,
    tag: options.Tags = None,
    title: options.Title = "",
    blocks: options.Blocks = BLOCKS,
    limit: options.RunLimit = LIMIT_S,
    variable: options.Variables = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Claim that FILE is faster than the best rung, predict by how much, and queue it."""
    if not expect:
        raise BadInput("what do you expect? give your 80% interval: --expect 1.2x..1.6x")
    with opened(book, author) as opened_book:
        from warpbook.lab.attempt import attempt

        made = attempt(
            opened_book, change, expect=expect, on=on, against=against, command=command,
            baseline=baseline, metric=metric, guards=guard or (), because=because, claim=claim,
            at_least=at_least, worse=worse, belief=belief, hypothesis=for_, campaign=campaign,
            tags=tag or (), workload=workload, device=device, runs=runs, pinned=pin,
            priority=priority, title=title, blocks=blocks, limit_s=limit, variables=variable or (),
        )  # fmt: skip
        for line in made.misgivings:
            say(line)
        (show_document if json else show)(opened_book, made)
    return 0


def show(book: "Book", made: "Made") -> None:
    screen = console()
    known, experiment = made.hypothesis, made.experiment
    screen.print(printable(f"{known.name}  {known.claim}"), style="bold")
    runs = f"{experiment.runs_wanted} run{'s' if experiment.runs_wanted != 1 else ''}"
    arms = f"{made.plan.change.label} against {made.plan.baseline.label}"
    screen.print(printable(f"{experiment.name}  {arms}, {runs}, {experiment.state}"))
    expected = ends(made.metric, *made.interval)
    screen.print(f"you expect {expected} (80%), and that is locked now")
    show_defaults(screen, made.defaults)
    screen.print(f"next: {NEXT}")


def show_defaults(screen: Console, defaults: Sequence[Default]) -> None:
    if not defaults:
        return
    screen.print()
    screen.print("taken by default", style="dim")
    rows = [(default.name, default.value, default.why) for default in defaults]
    screen.print(table(("what", "is", "because"), rows))
    screen.print()


def show_document(book: "Book", made: "Made") -> None:
    from warpbook.book import documents

    predictions = book.experiments.predictions(made.experiment.name)
    show_json(
        {
            "hypothesis": documents.hypothesis(made.hypothesis),
            "experiment": documents.experiment(made.experiment),
            "predictions": [documents.prediction(one, made.metric) for one in predictions],
            "defaults": made.defaults,
            "next": NEXT,
        }
    )
