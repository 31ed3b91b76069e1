"""The options that several of the book's verbs share."""

from typing import Annotated

import typer

from warpbook.cli.options import BookFolder, Debug, Json

__all__ = ["BookFolder", "Debug", "Json"]

Author = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Who says so; by default the author in the settings."),
]
InCampaign = Annotated[str | None, typer.Option(metavar="C", help="Of one campaign alone.")]
Because = Annotated[str, typer.Option(metavar="TEXT", help="Why you expect it.")]
AtLeast = Annotated[
    str | None,
    typer.Option(metavar="EFFECT", help="The least effect that matters, such as 3% or 1.05x."),
]
Worse = Annotated[
    bool, typer.Option("--worse", help="The claim is that the metric gets worse by that much.")
]
Belief = Annotated[
    float | None,
    typer.Option(metavar="P", min=0.01, max=0.99, help="How likely you think the claim is."),
]
Guards = Annotated[
    list[str] | None,
    typer.Option(
        "--guard",
        metavar="METRIC=MOST",
        help="A metric that may get worse by MOST at most, such as "
        "accuracy:higher:difference:points=1; may be given again.",
    ),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be given again.")
]
MetricText = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="METRIC",
        help="NAME[:lower|higher[:ratio|difference[:unit]]]; lower and ratio by default.",
    ),
]
Runs = Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How many runs it asks for.")]
Pin = Annotated[bool, typer.Option("--pin", help="Ahead of all that is not pinned.")]
MOST = 10**9
Priority = Annotated[
    int,
    typer.Option(metavar="N", min=-MOST, max=MOST, help="Ahead of those with a lower one."),
]
Limit = Annotated[int, typer.Option(metavar="N", min=1, max=10000, help="How many to show.")]
Offset = Annotated[int, typer.Option(metavar="N", min=0, max=MOST, help="How many to skip.")]
Search = Annotated[str | None, typer.Option(metavar="TEXT", help="Those with TEXT in them.")]

On = Annotated[
    str | None,
    typer.Option("--on", metavar="PROBLEM", help="The problem: its name, or its folder."),
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="RUNG|FILE",
        help="The baseline; by default the rung that is fastest on this device.",
    ),
]
Workload = Annotated[
    str | None,
    typer.Option(metavar="W", help="The workload; by default the first timed on the device."),
]
Device = Annotated[
    str | None,
    typer.Option(
        metavar="cpu|cuda|none",
        help="Where it runs; none for a command that measures nothing on this machine.",
    ),
]
Command = Annotated[
    str | None,
    typer.Option(metavar="CMD", help="The change is a shell command that prints JSON."),
]
Baseline = Annotated[
    str | None, typer.Option(metavar="CMD", help="The command it is held against.")
]
OfCampaign = Annotated[
    str | None, typer.Option("--campaign", metavar="C", help="The campaign; inbox by default.")
]
ClaimText = Annotated[
    str | None,
    typer.Option("--claim", metavar="TEXT", help="The claim in your words, instead of Warpbook's."),
]
Title = Annotated[str, typer.Option(metavar="TEXT", help="A title for the experiment.")]
Blocks = Annotated[
    int, typer.Option(metavar="N", min=4, max=1000, help="A command's blocks of four in a run.")
]
RunLimit = Annotated[
    float,
    typer.Option(
        "--limit", metavar="SECONDS", min=1, help="The longest a single call or command may take."
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "--variable", metavar="NAME", help="An environment variable to record; may be given again."
    ),
]
About = Annotated[
    str | None, typer.Option("--about", metavar="ID", help="Of H-3, E-7, R-5 or F-2 alone.")
]
Change = Annotated[
    str | None, typer.Argument(metavar="FILE", help="The change: a file, or a rung's name.")
]
