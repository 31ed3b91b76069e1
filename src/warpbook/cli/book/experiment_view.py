"""Experiments as people read them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from warpbook.cli.book.views import facts, metric_of, short, table, when
from warpbook.core.duration import show_duration
from warpbook.core.effect import Metric
from warpbook.core.text import printable
from warpbook.core.units import digits
from warpbook.core.wording import effect, ends

if TYPE_CHECKING:
    from warpbook.book.tables import Experiment, Prediction, Run


def experiment_rows(found: "Iterable[Experiment]") -> list[tuple[str, ...]]:
    return [
        (one.name, short(title_of(one), 50), short(where(one), 28), one.state, progress(one))
        for one in found
    ]


def title_of(one: "Experiment") -> str:
    """Without the workload, which has a column of its own."""
    change, baseline = one.plan["change"]["label"], one.plan["baseline"]["label"]
    arms = f"{change} against {baseline}"
    return arms if one.title.startswith(arms) else one.title


def where(one: "Experiment") -> str:
    words = (one.plan["problem"].rsplit("/", 1)[-1], one.workload, one.device)
    return " ".join(filter(None, words))


def progress(one: "Experiment") -> str:
    return f"{one.runs_valid} of {one.runs_wanted}"


def show_experiment(
    screen: Console,
    one: "Experiment",
    predictions: "Sequence[tuple[Prediction, Metric]]",
    runs: "Sequence[Run]",
) -> None:
    screen.print(printable(f"{one.name}  {title_of(one)}"), style="bold")
    plan = one.plan
    facts(
        screen,
        [
            ("state", f"{one.state}{': ' + one.state_reason if one.state_reason else ''}"),
            ("change", arm(plan["change"])),
            ("baseline", arm(plan["baseline"])),
            ("problem", plan["problem"]),
            ("workload", one.workload),
            ("device", one.device),
            ("folder", plan["cwd"] if one.kind == "command" else ""),
            ("runs", f"{progress(one)}, about {show_duration(one.cost_s)} each"),
            ("place", place(one)),
            ("repeats", f"E-{one.repeats_id}" if one.repeats_id else ""),
            ("by", f"{one.author}, {when(one.created_at)}"),
        ],
    )
    show_predictions(screen, predictions)
    show_runs(screen, one, runs)
    if one.state == "held":
        how = f"it runs once you have seen it in full: warpbook release {one.name}"
        screen.print(how)
    if one.state == "draft":
        screen.print(f"queue it: warpbook experiment queue {one.name}")


def arm(data: dict[str, str]) -> str:
    return f"{data['command'] or data['label']}  ({data['sha256'][:12]})"


def place(one: "Experiment") -> str:
    words = []
    if one.pinned:
        words.append("pinned")
    if one.priority:
        words.append(f"priority {one.priority}")
    if one.state == "queued":
        words.append(f"worth {digits(one.worth)} bits a run")
    return ", ".join(words)


def show_predictions(screen: Console, predictions: "Sequence[tuple[Prediction, Metric]]") -> None:
    if not predictions:
        screen.print("for no hypothesis: exploratory, or a measure of noise")
        return
    rows = [
        (
            f"H-{one.hypothesis_id}",
            ends(metric, one.low, one.high),
            one.author,
            when(one.locked_at) if one.locked_at else "not yet",
            one.outcome or "not scored",
        )
        for one, metric in predictions
    ]
    screen.print(table(("for", "predicted (80%)", "by", "locked (UTC)", "came out"), rows))


def show_runs(screen: Console, one: "Experiment", runs: "Sequence[Run]") -> None:
    if not runs:
        return
    metric = metric_of(one.plan["metrics"][0])
    rows = [
        (
            run.name,
            when(run.started_at),
            run.state,
            run.purpose,
            effect(metric, run.gain),
            short(run.reason, 40),
        )
        for run in runs
    ]
    screen.print(table(("run", "started (UTC)", "state", "for", "effect", "reason"), rows))
