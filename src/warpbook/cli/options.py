"""The options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

ProblemArgument = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="A problem's name, or a folder with a problem.py.",
        show_default=False,
    ),
]
Workloads = Annotated[
    list[str] | None,
    typer.Option("--workload", metavar="W", help="Only this workload; may be given again."),
]
Workload = Annotated[
    str | None,
    typer.Option(metavar="W", help="The workload; the first timed one on the device by default."),
]
Device = Annotated[
    str | None,
    typer.Option(metavar="cpu|cuda", help="Where to measure; the best device here by default."),
]
Warm = Annotated[bool, typer.Option("--warm", help="Leave the caches warm between rounds.")]
Limit = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.1, help="The longest a single call may take.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Keep = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep receipts there, one a line; the file must be new."),
]
BookFolder = Annotated[
    Path | None,
    typer.Option(
        "--book",
        metavar="DIR",
        help="The book; by default $WARPBOOK, the nearest folder upward with one, or ~/warpbook.",
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
