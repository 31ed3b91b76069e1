"""What follows from rows that came from another book, worked out here.

Nothing derived travels: counts, costs, evidence, verdicts, outcomes of predictions and the authors'
records come from the runs, as if they had been recorded here.
"""

from collections.abc import Collection

from sqlalchemy import select

from warpbook.book import costs, evaluation, learning, life, predictions, queue
from warpbook.book.authors import known_author
from warpbook.book.exchange.arrivals import Arrivals
from warpbook.book.store import Write
from warpbook.book.tables import Campaign, Experiment, Hypothesis, Prediction, Run

AT_ONCE = 5000


def settle(write: Write, arrived: Arrivals, name: str) -> None:
    session = write.session
    before = queue.top(session)
    runs = arrived.new.get("runs", [])
    experiments = set(arrived.new.get("experiments", [])) | touched_experiments(write, runs)
    for number in sorted(experiments):
        count_runs(write, session.get_one(Experiment, number))
    spend(write, runs)
    told = ", ".join(f"{count} {what}" for what, count in sorted(arrived.added.items()) if count)
    write.event("book.imported", "", f"took in {name}: {told}", renamed=arrived.renamed)
    hypotheses = set(arrived.new.get("hypotheses", [])) | affected(write, experiments, runs)
    evaluate(write, hypotheses, set(arrived.new.get("hypotheses", [])), f"{name} was taken in")
    come_out(write, experiments)
    for number in sorted(arrived.new.get("experiments", [])):
        experiment = session.get_one(Experiment, number)
        if experiment.state == "held":
            arrived.held.append(experiment.name)
    queue.reorder(write, before, f"{name} was taken in")


def touched_experiments(write: Write, runs: Collection[int]) -> set[int]:
    return {write.session.get_one(Run, number).experiment_id for number in runs}


def count_runs(write: Write, experiment: Experiment) -> None:
    session = write.session
    experiment.runs_valid = life.count_valid(session, experiment)
    cost = costs.expected_cost(session, experiment.noise_key, experiment.kind, experiment.device)
    experiment.cost_s = cost.seconds


def spend(write: Write, runs: Collection[int]) -> None:
    for number in runs:
        run = write.session.get_one(Run, number)
        experiment = write.session.get_one(Experiment, run.experiment_id)
        campaign = write.session.get_one(Campaign, experiment.campaign_id)
        campaign.spent_s += run.seconds or 0.0
        campaign.spent_money += run.money or 0.0


def affected(write: Write, experiments: Collection[int], runs: Collection[int]) -> set[int]:
    """The hypotheses that these experiments test, and those whose noise is known better now."""
    session = write.session
    session.flush()
    found: set[int] = set()
    for some in chunks(sorted(experiments)):
        found |= set(
            session.scalars(
                select(Prediction.hypothesis_id).where(Prediction.experiment_id.in_(some))
            )
        )
    rows = [session.get_one(Run, number) for number in runs]
    keys = sorted({run.noise_key for run in rows if run.purpose == "noise" and run.noise_key})
    for key in keys:
        found |= set(session.scalars(select(Hypothesis.id).where(Hypothesis.noise_key == key)))
    return found


def evaluate(write: Write, ids: Collection[int], new: Collection[int], cause: str) -> None:
    session = write.session
    rows = [session.get_one(Hypothesis, number) for number in sorted(ids)]
    predictions.expect(session, rows)
    for row in rows:
        row.noise_key = row.noise_key or first_noise_key(write, row.id)
    session.flush()
    campaigns = {row.campaign_id for row in rows}
    for campaign in sorted(campaigns):
        mine = [row.id for row in rows if row.campaign_id == campaign]
        grown = campaign if any(number in new for number in mine) else None
        evaluation.evaluate(write, mine, cause, grown=grown)


def first_noise_key(write: Write, hypothesis: int) -> str | None:
    return write.session.scalar(
        select(Experiment.noise_key)
        .join(Prediction, Prediction.experiment_id == Experiment.id)
        .where(Prediction.hypothesis_id == hypothesis)
        .order_by(Experiment.id)
        .limit(1)
    )


def come_out(write: Write, experiments: Collection[int]) -> None:
    authors: set[str] = set()
    for number in sorted(experiments):
        authors |= learning.come_out(write, write.session.get_one(Experiment, number))
    for name in sorted(authors):
        known_author(write, name)
    learning.believe_anew(write, authors, ())


def chunks(ids: list[int]) -> list[list[int]]:
    return [ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE)]
