"""`warpbook compare-commands`: of two shell commands that print a metric, which does better?"""

import math
from typing import Annotated

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, plain_table, show_json
from warpbook.core.effect import Scale, parse_metric, plain, show_factor, show_gain
from warpbook.core.errors import NotCorrect
from warpbook.core.machine import choose_device, environment
from warpbook.core.run import ORDER, MetricSamples
from warpbook.core.steps import steps_here
from warpbook.core.units import digits, percentage
from warpbook.measure.commands import ARMS, LEAST_BLOCKS
from warpbook.measure.commands import compare_commands as run_commands

LIMIT_S = 600.0


@guarded
def compare_commands(
    baseline: Annotated[str, typer.Option(metavar="CMD", help="The shell command as it is now.")],
    change: Annotated[str, typer.Option(metavar="CMD", help="The one with the change.")],
    metric: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[:lower|higher[:ratio|difference[:UNIT]]]",
            help="A number in the JSON that both print; may be given again.",
        ),
    ],
    blocks: Annotated[
        int, typer.Option(metavar="N", help="How often A B B A; at least 4.")
    ] = LEAST_BLOCKS,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="cpu|cuda|none",
            help="The device to hold meanwhile; the best here by default, none for elsewhere.",
        ),
    ] = None,
    limit: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="The longest one command may take.")
    ] = LIMIT_S,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Run two shell commands in turns, and compare the metrics in the JSON that they print."""
    metrics = [parse_metric(text) for text in metric]
    held = device if device == "none" else choose_device(device)
    here = environment(held)
    steps = steps_here()

    def tell(line: str) -> None:
        steps(line)
        say(line)

    try:
        measured = run_commands([baseline, change], metrics, blocks, held, limit, tell)
    except NotCorrect as error:
        if json and error.document:
            show_json(error.document)
        raise
    if json:
        show_json({"metrics": measured, "order": ORDER, "environment": here})
    else:
        show(console(), measured)
    return 0


def show(screen: Console, measured: tuple[MetricSamples, ...]) -> None:
    for seen in measured:
        screen.print(sentence(seen), style="bold")
    table = plain_table()
    for column in ("command", *(heading(seen) for seen in measured), "invocations"):
        table.add_column(column)
    for arm in ARMS:
        all_samples = [getattr(seen, arm) for seen in measured]
        table.add_row(arm, *map(spread, all_samples), str(len(all_samples[0])))
    screen.print(table)


def sentence(seen: MetricSamples) -> str:
    metric, blocks = seen.metric, len(seen.baseline) // 2
    if metric.scale is Scale.DIFFERENCE:
        said = f"changes by {show_gain(seen.gain, metric)}"
        error = plain(seen.error, metric)
    else:
        better = "better" if seen.gain >= 0 else "worse"
        said = f"is {show_factor(abs(seen.gain))}x {better}"
        error = percentage(math.expm1(seen.error))
    return (
        f"With the change {metric.name} {said} in this one run "
        f"(standard error {error} over {blocks} blocks)."
    )


def heading(seen: MetricSamples) -> str:
    unit = f", {seen.metric.unit}" if seen.metric.unit else ""
    return f"{seen.metric.name}{unit} (lowest-highest)"


def spread(samples: tuple[float, ...]) -> str:
    ordered = sorted(samples)
    middle = len(ordered) // 2
    median = (ordered[middle - 1] + ordered[middle]) / 2  # two samples a block: always even
    return f"{digits(median)} ({digits(ordered[0])}-{digits(ordered[-1])})"
