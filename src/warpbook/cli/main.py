"""The command line's front door. Imports no torch: `--help` and a mistyped name answer at once."""

import platform
from collections.abc import Callable
from typing import Annotated

import typer

import warpbook
from warpbook.cli.bench import bench
from warpbook.cli.book.again import confirm, more, noise, rerun
from warpbook.cli.book.calibration import calibration
from warpbook.cli.book.campaigns import campaign
from warpbook.cli.book.exchange import export, import_
from warpbook.cli.book.experiments import experiment
from warpbook.cli.book.findings import finding
from warpbook.cli.book.hypotheses import hypothesis
from warpbook.cli.book.keeping import backup, check, init
from warpbook.cli.book.link import link
from warpbook.cli.book.log import log, note
from warpbook.cli.book.measurements import measurements
from warpbook.cli.book.queue import queue
from warpbook.cli.book.release import release
from warpbook.cli.book.report import report
from warpbook.cli.book.runs import run, stop
from warpbook.cli.book.telemetry import telemetry
from warpbook.cli.book.trying import try_
from warpbook.cli.book.why import graph, why
from warpbook.cli.book.work import work
from warpbook.cli.compare import compare
from warpbook.cli.compare_commands import compare_commands
from warpbook.cli.doctor import doctor
from warpbook.cli.guard import INTERRUPTED, say
from warpbook.cli.journal.anki import export_anki, import_anki
from warpbook.cli.journal.calendar import calendar
from warpbook.cli.journal.card import card
from warpbook.cli.journal.claim import claim
from warpbook.cli.journal.day import day
from warpbook.cli.journal.feed import feed
from warpbook.cli.journal.find import find, reindex
from warpbook.cli.journal.log import export_log, import_log
from warpbook.cli.journal.plan import plan
from warpbook.cli.journal.publish import export_post, export_rss, export_site
from warpbook.cli.journal.quiz import quiz
from warpbook.cli.journal.reading import reading
from warpbook.cli.journal.summary import summary
from warpbook.cli.journal.teach import teach
from warpbook.cli.judge import judge
from warpbook.cli.ladder import ladder
from warpbook.cli.problems import problems
from warpbook.cli.recheck import recheck
from warpbook.cli.roofs import roofs
from warpbook.cli.standing import standings
from warpbook.cli.up import up
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
    app.command(rich_help_panel="Kernels")(verb)

BOOK: dict[str, Callable[..., None]] = {
    "up": up,
    "link": link,
    "init": init,
    "try": try_,
    "work": work,
    "more": more,
    "rerun": rerun,
    "confirm": confirm,
    "noise": noise,
    "stop": stop,
    "log": log,
    "note": note,
    "why": why,
    "graph": graph,
    "calibration": calibration,
    "telemetry": telemetry,
    "measurements": measurements,
    "check": check,
    "backup": backup,
    "report": report,
    "release": release,
}
NOUNS = {
    "queue": queue,
    "campaign": campaign,
    "hypothesis": hypothesis,
    "experiment": experiment,
    "run": run,
    "finding": finding,
    "export": export,
    "import": import_,
}
JOURNAL: dict[str, Callable[..., None]] = {
    "calendar": calendar,
    "summary": summary,
    "quiz": quiz,
    "teach": teach,
    "find": find,
    "reindex": reindex,
}
JOURNAL_NOUNS: dict[str, typer.Typer] = {
    "day": day,
    "plan": plan,
    "claim": claim,
    "reading": reading,
    "feed": feed,
    "card": card,
}
export.command("anki")(export_anki)
import_.command("anki")(import_anki)
export.command("log")(export_log)
import_.command("log")(import_log)
export.command("post")(export_post)
export.command("rss")(export_rss)
export.command("site")(export_site)
for name, act in BOOK.items():
    app.command(name, rich_help_panel="The book")(act)
for name, noun in NOUNS.items():
    app.add_typer(noun, name=name, rich_help_panel="The book")
for name, act in JOURNAL.items():
    app.command(name, rich_help_panel="The journal")(act)
for name, noun in JOURNAL_NOUNS.items():
    app.add_typer(noun, name=name, rich_help_panel="The journal")


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
