"""Hypotheses as people read them: what is claimed, what the runs say, and what comes next."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console

from warpbook.cli.book.experiment_view import progress, title_of
from warpbook.cli.book.views import VERDICT_STYLES, facts, metric_of, short, table, when
from warpbook.core.duration import show_duration
from warpbook.core.effect import Metric
from warpbook.core.text import printable
from warpbook.core.units import UNKNOWN
from warpbook.core.wording import effect, ends, evidence, size

if TYPE_CHECKING:
    from warpbook.book.summary import Summary
    from warpbook.book.tables import Hypothesis

MOST_RUNS = 12


def hypothesis_rows(found: "Iterable[Hypothesis]") -> list[tuple[str, ...]]:
    return [
        (
            one.name,
            short(one.claim, 48),
            state_of(one),
            effect(metric_of(one.metric), one.estimate, one.low, one.high),
            str(one.runs),
            evidence(one.log_support, one.log_refute) if one.runs else UNKNOWN,
            f"{one.belief:.2f}",
        )
        for one in found
    ]


def state_of(one: "Hypothesis") -> str:
    words = "withdrawn" if one.state == "withdrawn" else one.verdict
    return f"{words}, stale" if one.stale else words


def claimed(one: "Hypothesis", metric: Metric) -> str:
    """`time_us better by at least 1.03x`."""
    way = "worse" if one.direction < 0 else "better"
    return f"{metric.name} gets {way} by at least {size(one.delta, metric)}"


def show_hypothesis(screen: Console, summary: "Summary") -> None:
    one = summary.hypothesis
    metric = metric_of(one.metric)
    screen.print(printable(f"{one.name}  {one.claim}"), style="bold")
    style = "dim" if one.state == "withdrawn" else VERDICT_STYLES.get(one.verdict, "")
    screen.print(state_of(one), style=style, end="")
    needs = "" if one.state == "withdrawn" else f"; {summary.needs}"
    screen.print(f"{needs}{next_step(summary)}", soft_wrap=True)
    again = summary.again
    facts(
        screen,
        [
            ("claim", claimed(one, metric)),
            ("because", one.because),
            *(("guard", guard_text(guard)) for guard in one.guards),
            (
                "effect",
                effect(metric, one.estimate, one.low, one.high) if one.runs else "no runs yet",
            ),
            ("evidence", evidence(one.log_support, one.log_refute) if one.runs else ""),
            ("basis", one.basis if one.runs else ""),
            ("expected again", effect(metric, *again) if again else ""),
            ("belief", f"{one.belief:.2f}, {one.prior:.2f} beforehand"),
            ("campaign", summary.campaign.name),
            ("by", f"{one.author}, {when(one.created_at)}"),
            ("tags", ", ".join(one.tags)),
            ("stale", stale_line(summary)),
        ],
    )
    show_experiments(screen, summary, metric)
    show_runs(screen, summary, metric)


def next_step(summary: "Summary") -> str:
    """The command that brings it on."""
    one, waiting = summary.hypothesis, summary.next
    if one.state == "withdrawn" or one.verdict != "open":
        return ""
    if waiting and waiting.state == "running":
        return f"; {waiting.name} runs now"
    if waiting and waiting.state == "queued":
        return f"; {waiting.name} is queued: warpbook work"
    if waiting:
        return f"; {waiting.name} is {waiting.state}: warpbook experiment show {waiting.name}"
    if summary.experiments:
        return f": warpbook more {one.name}" if one.runs_to_decide is not None else ""
    return f": warpbook try FILE --on PROBLEM --for {one.name} --expect LOW..HIGH"


def guard_text(guard: dict[str, object]) -> str:
    metric = metric_of(guard["metric"])  # type: ignore[arg-type]
    margin = float(guard["margin"])  # type: ignore[arg-type]
    return f"{metric.name} gets worse by at most {size(margin, metric)}"


def stale_line(summary: "Summary") -> str:
    one = summary.hypothesis
    if not one.stale:
        return ""
    again = f": warpbook rerun {summary.experiments[-1].name}" if summary.experiments else ""
    return f"{one.stale}{again}"


def show_experiments(screen: Console, summary: "Summary", metric: Metric) -> None:
    predictions = {p.experiment_id: p for p in summary.predictions}
    rows = [
        (
            one.name,
            short(title_of(one), 40),
            one.state,
            progress(one),
            ends(metric, predictions[one.id].low, predictions[one.id].high),
            predictions[one.id].outcome or "not scored",
        )
        for one in summary.experiments
    ]
    if rows:
        columns = (
            "experiment",
            "change against baseline",
            "state",
            "runs",
            "predicted",
            "came out",
        )
        screen.print(table(columns, rows))


def show_runs(screen: Console, summary: "Summary", metric: Metric) -> None:
    shown = summary.runs[-MOST_RUNS:]
    rows = [
        (
            one.name,
            when(one.started_at),
            effect(metric, (one.gains or {}).get(metric.name, (None,))[0]),
            one.purpose,
            show_duration(one.seconds),
        )
        for one in shown
    ]
    if rows:
        screen.print(table(("run", "started (UTC)", "effect", "for", "took"), rows))
    if len(summary.runs) > len(shown):
        screen.print(f"and {len(summary.runs) - len(shown)} before them", style="dim")
    if summary.others:
        screen.print(f"{summary.others} in other environments do not count", style="dim")
