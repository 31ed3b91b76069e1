"""What is said of a run that ended: one line."""

from warpbook.book import life
from warpbook.book.book import Book
from warpbook.book.tables import Hypothesis, Run
from warpbook.core.codec import decode
from warpbook.core.effect import Metric, show_gain

HALF_WIDTHS = 1.96  # standard errors in half a 95% interval


def run_line(book: Book, name: str) -> str:
    """`R-5 of E-7: 1.31x (1.29x to 1.33x); H-3 at 0.97, needs about 1 more run`. A run without a
    result says nothing of its hypotheses."""
    run = book.runs.get(name)
    with book.reading() as session:
        hypotheses = life.hypotheses_of(session, run.experiment_id) if run.gain is not None else []
    experiment = book.experiments.get(run.experiment_id)
    metric = decode(Metric, experiment.plan["metrics"][0])
    said = "; ".join([outcome(run, metric), *map(standing, hypotheses)])
    return f"{run.name} of {experiment.name}: {said}"


def outcome(run: Run, metric: Metric) -> str:
    if run.gain is None or run.error is None:
        reason = run.reason.strip().splitlines()
        return f"{run.state}: {reason[-1]}" if reason else run.state
    half = HALF_WIDTHS * run.error
    low, high = (show_gain(run.gain + shift, metric) for shift in (-half, half))
    return f"{show_gain(run.gain, metric)} ({low} to {high})"


def standing(hypothesis: Hypothesis) -> str:
    if hypothesis.verdict != "open":
        return f"{hypothesis.name} is {hypothesis.verdict}"
    needs = hypothesis.runs_to_decide
    more = f", needs about {needs} more run{'s' * (needs != 1)}" if needs else ""
    return f"{hypothesis.name} at {hypothesis.belief:.2f}{more}"
