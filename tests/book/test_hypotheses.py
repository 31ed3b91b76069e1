"""Hypotheses, campaigns, measurements and the log as collections, and rows as documents."""

import json

import pytest
from book_desk import ACCURACY, DELTA, FAST, TIME, make_plan

from warpbook.book import documents
from warpbook.book.audit.check import check
from warpbook.core.effect import KERNEL_TIME, Metric
from warpbook.core.errors import BadInput
from warpbook.core.run import RunStatus


def test_a_claim_keeps_what_was_said(book):
    made = book.hypotheses.add(
        "fused is faster",
        TIME,
        DELTA,
        because="one pass",
        prior=0.7,
        guards=[(ACCURACY, 1.0)],
        tags=["fusion"],
    )
    found = book.hypotheses.get(made.name)
    assert (found.claim, found.because, found.prior, found.tags) == (
        *("fused is faster", "one pass", 0.7),
        ["fusion"],
    )
    assert found.guards[0]["metric"]["name"] == "accuracy"
    assert (found.verdict, found.belief, found.author) == ("open", 0.7, "ana")


def test_claims_are_listed_by_campaign_verdict_and_words(book, desk):
    book.campaigns.add("attention")
    desk.claim("first", because="100% sure")
    desk.claim("second", campaign="attention")
    claim, experiment = desk.tried("third")
    desk.results(experiment, FAST, FAST, FAST)
    assert [h.claim for h in book.hypotheses.list("attention")] == ["second"]
    assert [h.name for h in book.hypotheses.list(verdict="supported")] == [claim.name]
    assert [h.claim for h in book.hypotheses.list(search="0%")] == ["first"]
    assert [h.claim for h in book.hypotheses.list(limit=1, offset=1)] == ["second"]
    with pytest.raises(BadInput, match="no verdict"):
        book.hypotheses.list(verdict="maybe")


def test_a_withdrawn_claim_that_was_looked_at_still_counts(book, desk):
    claims = [desk.tried(f"change {number}") for number in range(3)]
    for _, experiment in claims[1:]:
        desk.result(experiment, 0.0)
        book.hypotheses.withdraw(f"H-{experiment.id}")
    first, experiment = claims[0]
    desk.results(experiment, FAST, FAST + 0.001, FAST)
    (event,) = book.log.list(kind="verdict.changed")
    assert event.data["hypotheses"] == 3
    assert book.hypotheses.get(first.name).verdict == "supported"


def test_a_withdrawn_claim_whose_runs_no_longer_count_is_open(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST + 0.001, FAST)
    book.hypotheses.withdraw(claim.name)
    assert book.hypotheses.get(claim.name).verdict == "supported"
    book.experiments.rerun(experiment.name)
    desk.ended(experiment, RunStatus.DISQUALIFIED)
    assert book.hypotheses.get(claim.name).verdict == "open"
    assert check(book.folder).problems == []


def test_one_that_never_ran_does_not(book, desk):
    book.hypotheses.withdraw(desk.claim("never run").name)
    _, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    (event,) = book.log.list(kind="verdict.changed")
    assert event.data["hypotheses"] == 1


def test_a_summary_has_runs_predictions_and_what_is_next(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST + 0.05)
    found = book.hypotheses.summary(claim.name)
    assert [run.name for run in found.runs] == ["R-1", "R-2"]
    assert found.next.name == experiment.name
    assert "to decide" in found.needs
    value, low, high = found.again
    assert low < value < high
    document = json.loads(json.dumps(documents.summary(found)))
    assert document["hypothesis"]["effect_text"] == "1.33x"
    assert document["predictions"][0]["interval_text"] == "1.22x..1.35x"
    assert document["runs"][0]["effect_text"] == "1.30x"


def test_the_best_of_several_is_expected_to_show_less_again(book, desk):
    for number in range(6):
        _, experiment = desk.tried(f"change {number}")
        desk.results(experiment, 0.05, 0.07 if number < 5 else 0.15)
    best = book.hypotheses.summary("H-6")
    assert best.again[0] < best.hypothesis.estimate


def test_a_summary_of_a_claim_without_runs(book, desk):
    found = book.hypotheses.summary(desk.claim().name)
    assert (found.runs, found.next, found.again) == ([], None, None)
    assert found.needs == "needs at least 3 more runs"


def test_campaigns_keep_goal_and_budget(book):
    made = book.campaigns.add(
        "attention", "2x on a long context", KERNEL_TIME, "long", "cuda", 0.69, 3600.0, 10.0
    )
    found = book.campaigns.get("attention")
    assert (found.id, found.budget_s, found.budget_money) == (made.id, 3600.0, 10.0)
    assert book.campaigns.get(f"C-{made.id}").name == "attention"
    assert documents.campaign(found)["goal_text"] == "1.99x"


def test_measurements_are_kept_and_are_no_evidence(book, desk):
    desk.tried()
    book.measurements.add("judgement", "softmax", ["tiled"], "small", "cpu", {"status": "correct"})
    (found,) = book.measurements.list("softmax")
    assert documents.measurement(found)["document"] == {"status": "correct"}
    assert book.hypotheses.get("H-1").runs == 0


def test_the_log_is_read_by_kind_subject_and_place(book, desk):
    desk.tried()
    book.log.note("  a thought  ", "h1")
    assert [event.text for event in book.log.list(kind="note")] == ["a thought"]
    assert {event.kind for event in book.log.list(subject="h1")} == {"hypothesis.added", "note"}
    assert [event.kind for event in book.log.list(kind="hypothesis")] == ["hypothesis.added"]
    assert [event.id for event in book.log.list(after=2, limit=2)] == [3, 4]
    assert book.log.latest(1)[0].id == book.log.last()
    assert [event.text for event in book.log.latest(5, kind="note")] == ["a thought"]


def test_documents_are_json_with_people_s_text(book, desk):
    points = Metric("accuracy", "points", "higher", "difference")
    claim = desk.claim("better", 0.5, points)
    experiment = desk.experiment(claim, plan=make_plan(metrics=(points,)), interval=(0.5, 1.5))
    desk.result(experiment, 1.0, error=0.05)
    rows = [
        documents.hypothesis(book.hypotheses.get(claim.name)),
        documents.experiment(book.experiments.get(experiment.name)),
        documents.prediction(book.experiments.predictions(experiment.name)[0], points),
        documents.run(book.runs.get("R-1"), points),
        documents.event(book.log.latest(1)[0]),
        *(documents.place(place) for place in book.queue.order()),
    ]
    hypothesis, _, prediction, run, *_ = json.loads(json.dumps(rows, allow_nan=False))
    assert hypothesis["least_text"] == "+0.5 points"
    assert hypothesis["effect_text"] == "+1 points"
    assert prediction["interval_text"] == "+0.5..+1.5 points"
    assert (run["name"], run["effect_text"]) == ("R-1", "+1 points")


def test_a_receipt_is_read_back(book, desk):
    _, experiment = desk.tried()
    run = desk.result(experiment)
    assert book.runs.receipt(run.name).nonce == run.nonce
    (book.runs.folder(run.name) / "receipt.json").write_text("{}")
    with pytest.raises(BadInput, match="not a receipt"):
        book.runs.receipt(run.name)
    (book.runs.folder(run.name) / "receipt.json").unlink()
    with pytest.raises(BadInput, match="there is no receipt of R-1"):
        book.runs.receipt(run.name)


def test_runs_are_listed_by_experiment_and_state(book, desk):
    _, first = desk.tried("first")
    _, second = desk.tried("second")
    desk.results(first, FAST, FAST)
    desk.result(second)
    assert [run.name for run in book.runs.list(first.name)] == ["R-2", "R-1"]
    assert len(book.runs.list(state="valid", limit=2)) == 2
    assert book.runs.list(state="failed") == []
