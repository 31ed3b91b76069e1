"""Rows and views as JSON documents: every column, and people's text beside the numbers.

What `--json` prints and what a view exports. Asks the database for nothing.
"""

from typing import Any

from sqlalchemy import inspect

from warpbook.book.queue import Place
from warpbook.book.summary import Summary
from warpbook.book.tables import (
    Base,
    Campaign,
    Event,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Measurement,
    Prediction,
    Run,
)
from warpbook.core.codec import decode
from warpbook.core.effect import Metric, show_gain, show_interval

Document = dict[str, Any]


def columns(row: Base) -> Document:
    return {column.key: getattr(row, column.key) for column in inspect(type(row)).columns}


def named(row: Any) -> Document:
    return {"name": row.name} | columns(row)


def metric_of(data: Document | None) -> Metric | None:
    return decode(Metric, data) if data else None


def gain_text(gain: float | None, metric: Metric | None) -> str | None:
    return None if gain is None or metric is None else show_gain(gain, metric)


def interval_text(low: float | None, high: float | None, metric: Metric | None) -> str | None:
    if low is None or high is None or metric is None:
        return None
    return show_interval(low, high, metric)


def campaign(row: Campaign) -> Document:
    goal = gain_text(row.goal_gain, metric_of(row.metric))
    return columns(row) | {"number": f"C-{row.id}", "goal_text": goal}


def hypothesis(row: Hypothesis) -> Document:
    metric = metric_of(row.metric)
    return named(row) | {
        "campaign": f"C-{row.campaign_id}",
        "least_text": gain_text(row.direction * row.delta, metric),
        "effect_text": gain_text(row.estimate, metric),
        "interval_text": interval_text(row.low, row.high, metric),
        "expected_text": interval_text(row.expected_low, row.expected_high, metric),
    }


def experiment(row: Experiment) -> Document:
    repeats = f"E-{row.repeats_id}" if row.repeats_id else None
    return named(row) | {"campaign": f"C-{row.campaign_id}", "repeats": repeats}


def prediction(row: Prediction, metric: Metric | None = None) -> Document:
    """With the metric of its hypothesis, also as people write it."""
    return named(row) | {
        "experiment": f"E-{row.experiment_id}",
        "hypothesis": f"H-{row.hypothesis_id}",
        "interval_text": interval_text(row.low, row.high, metric),
    }


def run(row: Run, metric: Metric | None = None) -> Document:
    """With the main metric of its experiment, also as people write it."""
    return named(row) | {
        "experiment": f"E-{row.experiment_id}",
        "effect_text": gain_text(row.gain, metric),
    }


def finding(row: Finding) -> Document:
    metric = metric_of(row.metric)
    return named(row) | {
        "campaign": f"C-{row.campaign_id}",
        "effect_text": gain_text(row.gain, metric),
        "interval_text": interval_text(row.low, row.high, metric),
        "runs": [f"R-{number}" for number in row.runs],
    }


def link(row: Link) -> Document:
    return columns(row) | {"from": f"F-{row.finding_id}", "to": f"{row.to_kind}-{row.to_id}"}


def measurement(row: Measurement) -> Document:
    return named(row)


def event(row: Event) -> Document:
    return columns(row)


def place(one: Place) -> Document:
    return {
        "position": one.position,
        "score": one.score,
        "worth_bits": one.worth,
        "cost_s": one.cost_s,
        "money": one.money,
        "reason": one.reason,
        "waiting_s": one.waiting_s,
        "blocked": one.blocked,
        "experiment": experiment(one.experiment),
    }


def summary(one: Summary) -> Document:
    metric = metric_of(one.hypothesis.metric)
    return {
        "hypothesis": hypothesis(one.hypothesis),
        "campaign": campaign(one.campaign),
        "needs": one.needs,
        "next": one.next.name if one.next else None,
        "expected_again": again(one, metric),
        "runs": [run_of(row, one, metric) for row in one.runs],
        "runs_elsewhere": one.others,
        "experiments": [experiment(row) for row in one.experiments],
        "predictions": [prediction(row, metric) for row in one.predictions],
    }


def again(one: Summary, metric: Metric | None) -> Document | None:
    if one.again is None:
        return None
    value, low, high = one.again
    return {
        "gain": value,
        "low": low,
        "high": high,
        "effect_text": gain_text(value, metric),
        "interval_text": interval_text(low, high, metric),
    }


def run_of(row: Run, one: Summary, metric: Metric | None) -> Document:
    """The effect on the hypothesis's own metric, which need not be the run's main one."""
    gain, error = (row.gains or {}).get(one.hypothesis.metric["name"], (None, None))
    return run(row) | {"gain": gain, "error": error, "effect_text": gain_text(gain, metric)}
