"""The command line's front door. Imports no torch: `--help` and a mistyped name answer at once."""

import platform
from typing import Annotated

import typer

import warpbook
from warpbook.cli.bench import bench
from warpbook.cli.compare import compare
from warpbook.cli.compare_commands import compare_commands
from warpbook.cli.doctor import doctor
from warpbook.cli.guard import INTERRUPTED, say
from warpbook.cli.judge import judge
from warpbook.cli.ladder import ladder
from warpbook.cli.problems import problems
from warpbook.cli.recheck import recheck
from warpbook.cli.roofs import roofs
from warpbook.cli.standing import standings
from warpbook.core.errors import Missing

app = typer.Typer(
    name="warpbook",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
MEASURING = (judge, ladder, compare, compare_commands, bench, roofs, doctor, recheck)
for verb in (*MEASURING, problems, standings):
    app.command()(verb)


def show_version(asked: bool) -> None:
    if asked:
        print(warpbook.__version__)
        raise typer.Exit()


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """A lab notebook for GPU performance work, and an honest judge of kernels."""


def main() -> None:
    if platform.system() != "Linux":
        say("Warpbook runs on Linux only")
        raise SystemExit(Missing.exit_status)
    try:
        app()
    except KeyboardInterrupt:
        say("interrupted")
        raise SystemExit(INTERRUPTED) from None
