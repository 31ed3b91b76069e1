"""What a result changes: run, experiment, evidence, verdicts, predictions, spending."""

import math
from dataclasses import replace

import pytest
from book_desk import ACCURACY, DELTA, FAST, TIME, Desk, make_plan, samples

from warpbook.book import evaluation, learning, names
from warpbook.book.book import Book
from warpbook.book.tables import Author, Run
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput
from warpbook.core.run import RunStatus


def test_three_runs_well_beyond_the_least_effect_support_the_claim(book, desk):
    claim, experiment = desk.tried()
    for gain in (FAST, FAST + 0.002, FAST - 0.002):
        assert book.hypotheses.get(claim.name).verdict == "open"
        desk.result(experiment, gain)
    found = book.hypotheses.get(claim.name)
    assert (found.verdict, found.runs) == ("supported", 3)
    assert found.low < FAST < found.high
    assert found.estimate == pytest.approx(FAST)
    assert found.belief > 0.99
    assert book.experiments.get(experiment.name).state == "done"
    assert desk.lines("verdict.changed") == ["H-1 is supported: R-3 showed 1.30x"]


def test_runs_short_of_the_least_effect_refute_it(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, 0.0, 0.001, -0.001)
    assert book.hypotheses.get(claim.name).verdict == "refuted"


def test_a_claim_that_it_gets_worse_is_read_the_other_way_round(book, desk):
    claim = desk.claim("it costs accuracy", 0.5, ACCURACY, direction=-1)
    plan = make_plan(metrics=(ACCURACY,))
    experiment = desk.experiment(claim, plan=plan, interval=(-3.0, -1.0))
    desk.results(experiment, -2.0, -2.1, -1.9, error=0.05)
    found = book.hypotheses.get(claim.name)
    assert found.verdict == "supported"
    assert found.low < found.estimate < found.high < 0
    assert book.experiments.predictions(experiment.name)[0].outcome == "hit"


def test_a_guard_that_is_broken_keeps_the_claim_from_being_supported(book, desk):
    guarded = {"guards": [(ACCURACY, 0.5)]}
    plan = make_plan(metrics=(TIME, ACCURACY))
    claim = desk.claim(**guarded)
    experiment = desk.experiment(claim, plan=plan)
    for gain in (FAST, FAST + 0.001, FAST - 0.001):
        desk.result(experiment, gain, gains={"accuracy": -2.0 + gain / 100})
    found = book.hypotheses.get(claim.name)
    assert found.estimate == pytest.approx(FAST)
    assert found.verdict == "refuted"


def test_a_guard_that_holds_lets_it_through(book, desk):
    plan = make_plan(metrics=(TIME, ACCURACY))
    claim = desk.claim(guards=[(ACCURACY, 0.5)])
    experiment = desk.experiment(claim, plan=plan)
    for gain in (FAST, FAST + 0.001, FAST - 0.001):
        desk.result(experiment, gain, gains={"accuracy": 0.1 * (gain - FAST)})
    assert book.hypotheses.get(claim.name).verdict == "supported"


def test_a_disqualified_run_is_no_evidence_and_its_prediction_is_not_scored(book, desk):
    claim, experiment = desk.tried()
    desk.ended(experiment, RunStatus.DISQUALIFIED, "the change is wrong")
    found = book.experiments.get(experiment.name)
    assert (found.state, found.state_reason) == ("disqualified", "the change is wrong")
    assert book.hypotheses.get(claim.name).runs == 0
    assert book.experiments.predictions(experiment.name)[0].outcome == ""


def test_a_disqualified_run_takes_the_runs_before_it_along(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST)
    desk.ended(experiment, RunStatus.DISQUALIFIED)
    assert book.hypotheses.get(claim.name).runs == 0
    assert book.hypotheses.get(claim.name).estimate is None
    assert book.experiments.predictions(experiment.name)[0].outcome == ""
    book.experiments.rerun(experiment.name)
    desk.result(experiment)
    assert book.hypotheses.get(claim.name).runs == 1


def test_a_machine_that_is_not_fit_sends_it_back_to_the_queue_three_times(book, desk):
    _, experiment = desk.tried()
    states = []
    for _ in range(3):
        desk.ended(experiment, RunStatus.INVALID, "too hot")
        states.append(book.experiments.get(experiment.name).state)
    assert states == ["queued", "queued", "failed"]
    assert "too hot" in book.experiments.get(experiment.name).state_reason


def test_a_valid_run_between_starts_the_count_again(book, desk):
    _, experiment = desk.tried()
    for _ in range(2):
        desk.ended(experiment, RunStatus.INVALID)
    desk.result(experiment)
    desk.ended(experiment, RunStatus.INVALID)
    assert book.experiments.get(experiment.name).state == "queued"


def test_a_failed_run_ends_the_experiment_until_it_is_run_again(book, desk):
    claim, experiment = desk.tried()
    desk.ended(experiment, RunStatus.FAILED, "it printed no JSON")
    assert book.experiments.get(experiment.name).state_reason == "it printed no JSON"
    assert book.experiments.get(experiment.name).state == "failed"
    assert book.experiments.rerun(experiment.name).state == "queued"
    assert book.hypotheses.get(claim.name).runs == 0


def test_a_run_that_somebody_stopped_cancels_its_experiment(book, desk):
    _, experiment = desk.tried()
    run = desk.start(experiment)
    book.runs.ask_stop(run.name)
    desk.record(run, desk.receipt(run, status=RunStatus.STOPPED, reason="asked"))
    assert book.experiments.get(experiment.name).state == "cancelled"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda r: replace(r, order="AABB"), "order"),
        (lambda r: replace(r, metrics=()), "no samples of time_s"),
        (lambda r: with_samples(r, baseline=()), "samples of time_s"),
        (lambda r: with_samples(r, baseline=(20.0,) * 8), "does not follow"),
        (lambda r: with_samples(r, change=(math.nan,) * 8), "no finite number"),
        (lambda r: with_samples(r, change=(0.0,) * 8), "above zero"),
        (lambda r: with_samples(r, gain=2.0), "does not follow"),
        (lambda r: replace(r, plan=make_plan("new", "another")), "not the two"),
    ],
    ids=[
        "order",
        "no samples",
        "one arm",
        "baseline from elsewhere",
        "nan",
        "zero",
        "gain",
        "arms",
    ],
)
def test_a_receipt_that_is_not_of_two_arms_in_turns_is_no_evidence(book, desk, change, why):
    claim, experiment = desk.tried()
    run = desk.start(experiment)
    receipt = desk.receipt(run)
    with book.writing() as write:
        row = names.get(write.session, Run, run.name)
        learning.record(write, book.settings, row, change(receipt), "0" * 64, 0.0)
    found = book.runs.get(run.name)
    assert found.state == "failed"
    assert why in found.reason
    assert found.gain is None
    assert book.hypotheses.get(claim.name).runs == 0


def with_samples(receipt, **fields):
    return replace(receipt, metrics=(replace(receipt.metrics[0], **fields),))


def test_a_receipt_of_another_run_is_refused_and_nothing_changes(book, desk):
    _, experiment = desk.tried()
    run = desk.start(experiment)
    before = book.log.last()
    with pytest.raises(BadInput, match="another run"):
        desk.record(run, replace(desk.receipt(run), nonce="guessed"))
    assert book.runs.get(run.name).state == "running"
    assert book.log.last() == before


def test_a_run_is_recorded_once(book, desk):
    claim, experiment = desk.tried()
    run = desk.result(experiment)
    with pytest.raises(BadInput, match="recorded already"):
        desk.record(run, desk.receipt(run))
    assert book.hypotheses.get(claim.name).runs == 1


def test_predictions_come_out(book, desk):
    outcomes = []
    for number, gain in enumerate((0.25, 0.10, 0.40, 0.201)):
        _, experiment = desk.tried(f"change {number}")
        desk.results(experiment, gain - 0.002, gain, gain + 0.002)
        outcomes.append(book.experiments.predictions(experiment.name)[0].outcome)
    assert outcomes == ["hit", "over", "under", "unclear"]


def test_an_author_who_misses_ten_times_is_taken_more_widely(book, desk):
    claims = [desk.tried(f"change {number}") for number in range(10)]
    waiting, _ = desk.tried("waiting")
    for _, experiment in claims[:9]:
        desk.results(experiment, 0.1, 0.101)
    assert book.calibration.by_author()[0].widen == 1.0
    before = book.hypotheses.get(waiting.name).drop_bits
    desk.results(claims[9][1], 0.1, 0.101)
    record = book.calibration.by_author()[0]
    assert (record.author, record.scored, record.hits) == ("ana", 10, 0)
    assert record.widen > 1.5
    assert book.hypotheses.get(waiting.name).drop_bits != before


def test_it_is_whoever_predicted_whose_record_widens(book, desk):
    """Not whoever stated the claim."""
    mine, theirs = desk.claim("mine"), desk.claim("theirs")
    desk.experiment(mine, change="a", interval=(0.1, 0.12))
    other = Book.open(book.folder, author="ben")
    Desk(other).experiment(theirs, change="b", interval=(0.1, 0.12))
    other.close()
    with book.writing() as write:
        write.session.get_one(Author, "ben").widen = 8.0
        evaluation.believe(write.session, [mine.id, theirs.id])
    belief = {h.claim: h.belief for h in book.hypotheses.list()}
    assert belief["theirs"] < belief["mine"]


def test_a_metric_that_is_not_as_planned_is_no_evidence(book, desk):
    _, experiment = desk.tried()
    run = desk.start(experiment)
    receipt = desk.receipt(run)
    turned = samples(Metric("time_s", "s", "higher"), FAST, 0.003)
    found = desk.record(run, replace(receipt, metrics=(turned,)))
    assert (found.state, found.gain) == ("failed", None)
    assert "time_s is not a metric as it was planned" in found.reason


def test_a_campaign_stops_when_its_budget_is_spent(book, desk):
    book.campaigns.set_budget("inbox", seconds=9.0, money=None)
    _, experiment = desk.tried()
    desk.results(experiment, FAST)
    assert book.campaigns.get("inbox").state == "active"
    desk.results(experiment, FAST)
    assert book.campaigns.get("inbox").state == "stopped"
    assert desk.lines("campaign.stopped") == ["inbox is stopped: 10 s of 9 s are spent"]
    with book.writing() as write:
        assert book.queue.next(write.session, {"none"}) is None
    with pytest.raises(BadInput, match="raise its budget"):
        book.campaigns.resume("inbox")
    book.campaigns.set_budget("inbox", seconds=100.0, money=None)
    assert book.campaigns.resume("inbox").state == "active"


def test_money_counts_against_a_budget_too(book, desk):
    book.campaigns.set_budget("inbox", seconds=None, money=1.0)
    _, experiment = desk.tried()
    desk.result(experiment, money=1.5)
    assert book.campaigns.get("inbox").state == "stopped"
    assert book.campaigns.get("inbox").spent_money == 1.5


def test_the_effect_has_to_reach_the_least_one(book, desk):
    claim, experiment = desk.tried(delta=DELTA)
    desk.results(experiment, DELTA + 0.001, DELTA - 0.001, DELTA)
    assert book.hypotheses.get(claim.name).verdict == "open"
