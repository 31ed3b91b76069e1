"""What a finding quotes: an effect, its interval, the runs it comes from and where they were made.

It is worked out from valid runs within one environment, never typed in. Winners are not quoted as
found: of several that were tried, the best looks better than it is. Such a one is quoted from its
fresh runs alone, those asked for when it was the best already. For a hypothesis these are its runs
to confirm. An experiment without a hypothesis has none, and its runs made since then count.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book import life
from warpbook.book.evaluation import counted_runs, in_current_environment, noise_for
from warpbook.book.statistics.evidence import evidence
from warpbook.book.statistics.noise import NONE_YET
from warpbook.book.tables import Experiment, Hypothesis, Prediction, Run
from warpbook.core.errors import BadInput

FRESH = 3
AT_ONCE = 5000
LATER_THAN_ALL = "9999"


@dataclass(frozen=True)
class Quote:
    """`gain`, `low` and `high` are gains; the interval is None where one run is all there is."""

    metric: dict[str, Any]
    gain: float
    low: float | None
    high: float | None
    runs: list[int]
    environment_key: str | None


@dataclass(frozen=True)
class Seen:
    """One valid run, as far as picking a winner goes."""

    id: int
    experiment_id: int
    started_at: str
    ended_at: str
    confirms: bool
    gain: float


def of_hypothesis(session: Session, hypothesis: Hypothesis) -> Quote:
    tried = tried_with(session, hypothesis)
    mine = tried.get(hypothesis.id, [])
    if not mine:
        raise BadInput(f"{hypothesis.name} has no valid runs yet, and a finding quotes runs")
    quoted = mine
    if is_best(tried, hypothesis.id, hypothesis.direction):
        asked = [run for run in mine if run.confirms]
        quoted = since_best(tried, hypothesis.id, hypothesis.direction, asked)
        refuse_few(hypothesis.name, len(tried), len(quoted), f"warpbook confirm {hypothesis.name}")
    return quote(session, hypothesis.metric, [run.id for run in quoted])


def of_experiment(session: Session, experiment: Experiment) -> Quote:
    """Of its main metric. The best of several is no less so when it is linked by its experiment."""
    runs = life.valid_runs(session, experiment)
    if not runs:
        raise BadInput(f"{experiment.name} has no valid runs yet, and a finding quotes runs")
    metric = experiment.plan["metrics"][0]
    quoted = {run.id for run in runs}
    hypotheses = life.hypotheses_of(session, experiment.id)
    for hypothesis in hypotheses:
        tried = tried_with(session, hypothesis)
        if not is_best(tried, hypothesis.id, hypothesis.direction):
            continue
        asked = [run for run in tried[hypothesis.id] if run.confirms]
        fresh = since_best(tried, hypothesis.id, hypothesis.direction, asked)
        quoted &= {run.id for run in fresh}
        command = f"warpbook confirm {hypothesis.name}"
        refuse_few(f"{hypothesis.name} of {experiment.name}", len(tried), len(quoted), command)
    if not hypotheses and experiment.a_sha256 != experiment.b_sha256:
        quoted &= explored(session, experiment, metric)
    return quote(session, metric, sorted(quoted))


def explored(session: Session, experiment: Experiment, metric: dict[str, Any]) -> set[int]:
    tried = explored_with(session, experiment, metric)
    mine = tried.get(experiment.id, [])
    if not is_best(tried, experiment.id, 1):
        return {run.id for run in mine}
    fresh = since_best(tried, experiment.id, 1, mine)
    refuse_few(experiment.name, len(tried), len(fresh), f"warpbook more {experiment.name} {FRESH}")
    return {run.id for run in fresh}


def refuse_few(name: str, tried: int, fresh: int, command: str) -> None:
    if fresh >= FRESH:
        return
    raise BadInput(
        f"{name} is the best of {tried} tried in its campaign, and the best of several looks "
        f"better than it is: it becomes a finding on {FRESH} fresh runs, asked for since it was "
        f"picked, and there {'is' if fresh == 1 else 'are'} {fresh}; ask for them: {command}"
    )


def is_best(
    tried: Mapping[int, Sequence[Seen]], which: int, direction: int, before: str = LATER_THAN_ALL
) -> bool:
    """Whether it is the largest of at least two, by the runs that had ended by then."""
    means = {}
    for number, runs in tried.items():
        gains = [direction * run.gain for run in runs if run.ended_at < before]
        if gains:
            means[number] = sum(gains) / len(gains)
    return len(means) > 1 and which in means and means[which] == max(means.values())


def since_best(
    tried: Mapping[int, Sequence[Seen]], which: int, direction: int, runs: Sequence[Seen]
) -> list[Seen]:
    """Those of `runs` that started when it was the best already."""
    ordered = sorted(runs, key=lambda run: (run.started_at, run.id))
    for i, run in enumerate(ordered):
        if is_best(tried, which, direction, run.started_at):
            return ordered[i:]
    return []


def tried_with(session: Session, hypothesis: Hypothesis) -> dict[int, list[Seen]]:
    """The runs of every hypothesis of its campaign on the same metric, where it has any."""
    rows = session.execute(
        select(Hypothesis.id, Hypothesis.metric).where(
            Hypothesis.campaign_id == hypothesis.campaign_id
        )
    )
    ids = [row.id for row in rows if alike(row.metric, hypothesis.metric)]
    found: dict[int, list[Seen]] = {}
    for some in chunks(ids):
        for number, runs in counted_runs(session, some).items():
            found[number] = seen(session, in_current_environment(runs), hypothesis.metric["name"])
    return found


def explored_with(
    session: Session, experiment: Experiment, metric: dict[str, Any]
) -> dict[int, list[Seen]]:
    """The runs of every experiment of its campaign that has no hypothesis and measures the same."""
    tested = select(Prediction.experiment_id)
    others = session.scalars(
        select(Experiment).where(
            Experiment.campaign_id == experiment.campaign_id,
            Experiment.id.not_in(tested),
            Experiment.a_sha256 != Experiment.b_sha256,
            Experiment.runs_valid > 0,
        )
    )
    same = [one for one in others if alike(one.plan["metrics"][0], metric)]
    found = {one.id: seen(session, life.valid_runs(session, one), metric["name"]) for one in same}
    return {number: runs for number, runs in found.items() if runs}


def alike(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return all(first.get(key) == second.get(key) for key in ("name", "better", "scale"))


def seen(session: Session, runs: Sequence[Any], metric: str) -> list[Seen]:
    ids = [run.id for run in runs]
    rows = [row for some in chunks(ids) for row in session.scalars(of_ids(some))]
    return [
        Seen(
            row.id,
            row.experiment_id,
            row.started_at,
            row.ended_at or row.started_at,
            row.purpose == "confirm",
            row.gains[metric][0],
        )
        for row in rows
        if row.gains and metric in row.gains
    ]


def of_ids(ids: Sequence[int]) -> Any:
    return select(Run).where(Run.id.in_(ids)).order_by(Run.id)


def chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), AT_ONCE):
        yield ids[start : start + AT_ONCE]


def quote(session: Session, metric: dict[str, Any], ids: Sequence[int]) -> Quote:
    runs = [run for some in chunks(ids) for run in session.scalars(of_ids(some))]
    effects = [run.gains[metric["name"]] for run in runs if run.gains]
    key = runs[-1].noise_key
    noise = noise_for(session, key, metric["name"]) if key else NONE_YET
    gains, errors = [gain for gain, _ in effects], [error for _, error in effects]
    found = evidence(gains, errors, 0.0, noise)
    assert found.estimate is not None
    return Quote(
        metric,
        found.estimate,
        found.low,
        found.high,
        [run.id for run in runs],
        runs[-1].environment_key,
    )
