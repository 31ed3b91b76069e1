"""`warpbook judge`: is this kernel right, how fast is it, and how far is it from the limit?"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from warpbook.cli import options
from warpbook.cli.closer import CloserLook
from warpbook.cli.guard import guarded
from warpbook.cli.judgements import exit_status, judgement_json, legend, show_judgement
from warpbook.cli.recording import book_in_use, record_judgements
from warpbook.cli.screen import console, show_json
from warpbook.cli.session import Asked, Session, open_session
from warpbook.cli.standing import show_standing
from warpbook.cli.watch import watch_file
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement
from warpbook.kernels.library import Outline, file_rung, find_rung, whole_ladder
from warpbook.kernels.rung import Rung
from warpbook.measure.judge import LIMIT_S


@guarded
def judge(
    problem: options.ProblemArgument,
    rung: Annotated[str | None, typer.Option(metavar="NAME", help="A rung of the ladder.")] = None,
    file: Annotated[Path | None, typer.Option(metavar="F", help="A rung in a file.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every rung of the ladder.")] = False,
    workload: options.Workloads = None,
    device: options.Device = None,
    warm: options.Warm = False,
    limit: options.Limit = LIMIT_S,
    json: options.Json = False,
    keep: options.Keep = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Judge the file again whenever it is saved.")
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Say what it launched, moved and waited for. Needs a GPU.")
    ] = False,
    sanitize: Annotated[
        bool, typer.Option("--sanitize", help="Look for bad accesses and races. Needs a GPU.")
    ] = False,
    book: options.BookFolder = None,
    debug: options.Debug = False,
) -> int:
    """Judge rungs of PROBLEM: one by its name, one in a file, or all of them."""
    if watch and (file is None or json or why or sanitize):
        raise BadInput("--watch goes with --file, and without --json, --why and --sanitize")
    look = CloserLook(why, sanitize)
    look.require(device)
    folder = book_in_use(book)
    asked = Asked(problem, device, warm, limit, keep)
    with open_session(asked, chooser(rung, file, all_)) as session:
        only = session.known_workloads(workload)
        if watch and file is not None:
            return watch_file(session, file, only, folder)
        judgements = judge_all(session, only, json, look)
    change = str(file) if file else rung or "RUNG"
    record_judgements(folder, session, judgements, only, change, json)
    return exit_status(judgements) or int(look.failed)


def chooser(rung: str | None, file: Path | None, all_: bool) -> Callable[[Outline], list[Rung]]:
    def choose(outline: Outline) -> list[Rung]:
        if (rung is not None) + (file is not None) + all_ != 1:
            known = ", ".join(outline.ladder) or "empty"
            raise BadInput(
                f"say which rung of {outline.name} with one of --rung NAME, --file F and --all; "
                f"its ladder is: {known}"
            )
        if file is not None:
            return [file_rung(outline, file)]
        if rung is not None:
            return [find_rung(outline, rung)]
        return whole_ladder(outline)

    return choose


def judge_all(
    session: Session, only: tuple[str, ...] | None, json: bool, look: CloserLook
) -> list[Judgement]:
    judgements, standings = [], []
    for rung in session.rungs:
        judgement = session.judgement(rung, only)
        judgements.append(judgement)
        found = session.standings(rung, judgement)
        standings += found
        if not json:
            show_judgement(console(), session.problem, judgement, rung.title)
            show_standing(console(), session.asked.problem, found, judgement.environment)
        look.at(session, rung, judgement, only, json)
    if json:
        show_json(
            {
                "problem": session.problem.name,
                "device": session.device,
                "judgements": [judgement_json(judgement) for judgement in judgements],
                "standings": standings,
                **look.document(),
            }
        )
    elif any(outcome.device for judgement in judgements for outcome in judgement.outcomes):
        console().print(legend(session.device), style="dim")
    return judgements
