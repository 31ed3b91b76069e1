"""`warpbook compare`: of two rungs, is one faster?"""

from typing import Annotated

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.recording import book_in_use, record_comparison
from warpbook.cli.screen import console, plain_table, show_json
from warpbook.cli.session import Asked, open_session
from warpbook.core.comparison import Answer, Comparison
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.core.machine import choose_device
from warpbook.core.units import interval_us, multiple, percentage
from warpbook.kernels.library import Outline, any_rung
from warpbook.kernels.rung import Rung
from warpbook.measure.judge import LIMIT_S


@guarded
def compare(
    problem: options.ProblemArgument,
    a: Annotated[str, typer.Argument(help="A rung's name, or a file.", show_default=False)],
    b: Annotated[str, typer.Argument(help="Another.", show_default=False)],
    workload: options.Workload = None,
    device: options.Device = None,
    warm: options.Warm = False,
    limit: options.Limit = LIMIT_S,
    json: options.Json = False,
    keep: options.Keep = None,
    book: options.BookFolder = None,
    debug: options.Debug = False,
) -> int:
    """Run rungs A and B of PROBLEM in turns: is B faster, slower, or can one not tell?"""

    def choose(outline: Outline) -> list[Rung]:
        return [any_rung(outline, a), any_rung(outline, b)]

    if warm and choose_device(device) == "cpu":
        raise BadInput(
            "on a CPU what is warm depends on the core each process lands on, and a rung was told "
            "from itself in 61 of 168 comparisons; compare without --warm"
        )
    folder = book_in_use(book)
    with open_session(Asked(problem, device, warm, limit, keep), choose) as session:
        name = session.one_workload(workload)
        try:
            comparison = session.comparison(session.rungs[0], session.rungs[1], name)
        except NotCorrect as error:
            if json and error.document:
                show_json(error.document)
            raise
        if json:
            show_json(comparison)
        else:
            show_comparison(console(), comparison)
    record_comparison(folder, session, comparison, (a, b), workload, json)
    return 0


def show_comparison(screen: Console, comparison: Comparison) -> None:
    from warpbook.core.statistics import summarise

    screen.print(sentence(comparison), style="bold")
    table = plain_table()
    for column in ("rung", f"{comparison.clock} time (interval)", "rounds"):
        table.add_column(column)
    for name, samples in ((comparison.a, comparison.a_us), (comparison.b, comparison.b_us)):
        timing = summarise(samples)
        shown = interval_us(timing.median_us, timing.low_us, timing.high_us)
        table.add_row(name, shown, str(len(samples)))
    screen.print(table)
    for note in comparison.notes:
        screen.print(f"note: {note}")


def sentence(comparison: Comparison) -> str:
    c = comparison
    where = f"on {c.workload}, {c.device}"
    measured = (
        f"its time is {multiple(c.ratio)} that of {c.a} (99% interval {multiple(c.low)} to "
        f"{multiple(c.high)}; noise here {percentage(c.noise)})"
    )
    if c.answer is Answer.CANNOT_TELL:
        return f"Cannot tell {c.b} from {c.a} {where}: {measured}."
    return f"{c.b} is {c.answer} than {c.a} {where}: {measured}."
