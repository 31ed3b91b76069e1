"""What the runs of a hypothesis say: its evidence within one environment, and its belief; then the
verdicts of its campaign and the scores of what waits.

Everything here is derived: worked out from runs, and worked out the same again at any time.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session, aliased

from warpbook.book import beliefs, decisions, life, scoring, staleness
from warpbook.book.collection import set_many
from warpbook.book.predictions import newest_prediction
from warpbook.book.statistics.belief import Prior, after, chance, expected_drops, mixture
from warpbook.book.statistics.evidence import Evidence, combine_guards, evidence
from warpbook.book.statistics.noise import ENOUGH, NONE_YET, Noise, noise_of
from warpbook.book.statistics.verdict import LEAST_RUNS
from warpbook.book.store import Write
from warpbook.book.tables import Author, Hypothesis, Prediction, Run

NOISE_RUNS = 100  # the newest so many of A against A tell the noise
COUNTED = ("evidence", "confirm")


def evaluate(
    write: Write, ids: Collection[int], cause: str = "", grown: int | None = None
) -> list[decisions.Flip]:
    """Bring these hypotheses, the verdicts of their campaigns, and the experiments that wait for
    them to their runs, and flag what is stale. `cause` says what happened; `grown` is a campaign
    that has more or fewer hypotheses than before."""
    session = write.session
    session.flush()
    chosen = select(Hypothesis).where(Hypothesis.id.in_(ids))
    hypotheses = session.scalars(chosen).all()
    keys_before = {h.id: h.environment_key for h in hypotheses}
    weigh(write, hypotheses)
    believe(session, ids)
    flips: list[decisions.Flip] = []
    touched = set(ids)
    for campaign in sorted({h.campaign_id for h in hypotheses}):
        moved = decisions.decide(write, campaign, None if campaign == grown else ids, cause)
        flips += moved
        whole = bool(moved) or campaign == grown
        touched.update(decisions.forecast(session, campaign, None if whole else ids))
        touched.update(flip.hypothesis_id for flip in moved)
    life.follow_verdicts(
        write, {flip.hypothesis_id for flip in flips} | (set() if grown is None else set(ids))
    )
    scoring.rescore_hypotheses(session, touched)
    staleness.after(write, hypotheses, keys_before, flips, cause)
    session.flush()
    session.execute(chosen.execution_options(populate_existing=True)).all()
    beliefs.remember(session, {*ids, *(flip.hypothesis_id for flip in flips)}, cause)
    return flips


def weigh(write: Write, hypotheses: Sequence[Hypothesis]) -> None:
    session = write.session
    runs = counted_runs(session, [h.id for h in hypotheses])
    noises: dict[tuple[str, str], Noise] = {}
    for hypothesis in hypotheses:
        all_runs = runs.get(hypothesis.id, [])
        current = in_current_environment(all_runs)
        if current:
            restart(write, hypothesis, current, len(all_runs) - len(current))
        key = hypothesis.noise_key or ""
        metrics = [hypothesis.metric["name"], *(g["metric"]["name"] for g in hypothesis.guards)]
        for metric in metrics if key else ():
            if (key, metric) not in noises:
                noises[key, metric] = noise_for(session, key, metric)
        found = {metric: noises.get((key, metric), NONE_YET) for metric in metrics}
        keep(hypothesis, current, found)


def counted_runs(session: Session, ids: Collection[int]) -> dict[int, list[Any]]:
    """The valid runs of each hypothesis's experiments, oldest first. A disqualified run takes the
    runs of its experiment before it along."""
    pairs = session.execute(
        select(Prediction.experiment_id, Prediction.hypothesis_id).where(
            Prediction.hypothesis_id.in_(ids)
        )
    ).all()
    later = aliased(Run)
    disqualified_since = exists().where(
        later.experiment_id == Run.experiment_id, later.state == "disqualified", later.id > Run.id
    )
    # Two queries: in one, SQLite would go through all valid runs of the book.
    rows = session.execute(
        select(Run.id, Run.experiment_id, Run.environment_key, Run.noise_key, Run.gains)
        .where(
            Run.experiment_id.in_({pair.experiment_id for pair in pairs}),
            Run.state == "valid",
            Run.purpose.in_(COUNTED),
            ~disqualified_since,
        )
        .order_by(Run.ended_at, Run.id)
    ).all()
    claims: dict[int, list[int]] = {}
    for pair in pairs:
        claims.setdefault(pair.experiment_id, []).append(pair.hypothesis_id)
    found: dict[int, list[Any]] = {}
    for row in rows:
        for number in claims[row.experiment_id]:
            found.setdefault(number, []).append(row)
    return found


def in_current_environment(runs: Sequence[Any]) -> list[Any]:
    """Those of the key whose first run is newest. A key once left is not returned to, so that
    experiments which take turns do not move the evidence to and fro."""
    keys = [*dict.fromkeys(run.environment_key for run in runs)]
    return [run for run in runs if run.environment_key == keys[-1]]


def restart(write: Write, hypothesis: Hypothesis, current: Sequence[Any], others: int) -> None:
    """Note the environment that counts. Evidence from another one no longer does."""
    before, newest = hypothesis.environment_key, current[-1]
    hypothesis.environment_key = newest.environment_key
    hypothesis.noise_key = newest.noise_key
    if before is None or before == newest.environment_key:
        return
    write.event(
        "evidence.restarted",
        hypothesis.name,
        f"{hypothesis.name} rests on {len(current)} run{'s' * (len(current) != 1)} like "
        f"R-{newest.id}; {others} of other arms or in another environment no longer count",
        before=before,
        after=newest.environment_key,
    )


def noise_for(session: Session, key: str, metric: str) -> Noise:
    """From the runs of A against A of one device, problem and workload."""
    rows = session.scalars(
        select(Run.gains)
        .where(Run.noise_key == key, Run.purpose == "noise", Run.state == "valid")
        .order_by(Run.id.desc())
        .limit(NOISE_RUNS)
    )
    return noise_of([gains[metric][0] for gains in rows if gains and metric in gains])


def evidence_of(
    hypothesis: Hypothesis, runs: Sequence[Any], noises: dict[str, Noise]
) -> tuple[Evidence, float, float]:
    """The evidence on the effect, and the two log e-values with the guards in. Runs are rows with
    their `gains`; the effect is oriented as the hypothesis claims."""
    metric, direction = hypothesis.metric["name"], hypothesis.direction
    effects = [run.gains[metric] for run in runs]
    main = evidence(
        [direction * gain for gain, _ in effects],
        [error for _, error in effects],
        hypothesis.delta,
        noises.get(metric, NONE_YET),
    )
    guards = []
    for guard in hypothesis.guards:
        name = guard["metric"]["name"]
        seen = [run.gains[name] for run in runs]
        gains, errors = [gain for gain, _ in seen], [error for _, error in seen]
        guards.append(evidence(gains, errors, -guard["margin"], noises.get(name, NONE_YET)))
    return main, *combine_guards(main, guards)


def keep(hypothesis: Hypothesis, runs: Sequence[Any], noises: dict[str, Noise]) -> None:
    main, log_support, log_refute = evidence_of(hypothesis, runs, noises)
    noise = noises.get(hypothesis.metric["name"], NONE_YET)
    low, high = main.low, main.high
    if hypothesis.direction < 0:
        low, high = negative(high), negative(low)
    hypothesis.runs = main.n
    hypothesis.log_support, hypothesis.log_refute = log_support, log_refute
    hypothesis.estimate = negative(main.estimate) if hypothesis.direction < 0 else main.estimate
    hypothesis.low, hypothesis.high = low, high
    hypothesis.sigma, hypothesis.basis = main.sigma, main.basis
    hypothesis.noise_runs = noise.runs if noise.runs >= ENOUGH else 0
    if not runs:
        hypothesis.environment_key = None
    if main.n >= LEAST_RUNS:
        hypothesis.stale = ""


def negative(value: float | None) -> float | None:
    return None if value is None else -value


def believe(session: Session, ids: Collection[int]) -> None:
    """Belief, and how much one more run would sharpen it, of all these at once."""
    session.flush()
    rows = session.execute(
        select(
            Hypothesis.id,
            Hypothesis.direction,
            Hypothesis.delta,
            Hypothesis.prior,
            Hypothesis.expected_low,
            Hypothesis.expected_high,
            Hypothesis.estimate,
            Hypothesis.runs,
            Hypothesis.sigma,
            Author.widen,
        )
        .select_from(Hypothesis)
        .outerjoin(Prediction, Prediction.id == newest_prediction())
        .outerjoin(Author, Author.name == Prediction.author)
        .where(Hypothesis.id.in_(ids), Hypothesis.expected_low.is_not(None))
    ).all()
    if not rows:
        return
    priors = [prior_of(row) for row in rows]
    deltas = [row.delta for row in rows]
    seen = [row.direction * (row.estimate or 0.0) for row in rows]
    counts = [row.runs for row in rows]
    sigmas = [row.sigma or 0.0 for row in rows]
    chances = chance(after(mixture(priors, deltas, sigmas), seen, counts, sigmas), deltas)
    drops = expected_drops(priors, deltas, seen, counts, sigmas)
    made = [
        {"row_id": row.id, "belief": belief, "drop_bits": drop}
        for row, belief, drop in zip(rows, chances.tolist(), drops.tolist(), strict=True)
    ]
    set_many(session, Hypothesis, made)


def prior_of(row: Any) -> Prior:
    low, high = sorted((row.direction * row.expected_low, row.direction * row.expected_high))
    return Prior(low, high, row.prior, row.widen or 1.0)
