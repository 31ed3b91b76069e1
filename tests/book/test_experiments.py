"""Adding experiments, their predictions, and what people ask of them."""

import hashlib
import sqlite3
from dataclasses import replace

import pytest
from book_desk import DELTA, FAST, TIME, arm, make_plan

from warpbook.book.experiments import Duplicate, seen_digits
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, RunStatus


def test_it_is_queued_with_its_predictions_locked(book, desk):
    claim, experiment = desk.tried()
    (prediction,) = book.experiments.predictions(experiment.name)
    assert experiment.state == "queued"
    assert (prediction.low, prediction.high) == (0.2, 0.3)
    assert prediction.locked_at is not None
    (event,) = book.log.list(kind="prediction.locked")
    assert (event.data["set"]["low"], event.data["set"]["high"]) == (0.2, 0.3)
    assert book.hypotheses.get(claim.name).expected_low == 0.2


def test_a_prediction_cannot_be_edited_once_it_is_queued(book, desk):
    claim, experiment = desk.tried()
    with pytest.raises(BadInput, match="locked"):
        book.experiments.predict(experiment.name, claim.name, 0.1, 0.5)
    with sqlite3.connect(book.folder / "book.db") as connection:
        with pytest.raises(sqlite3.IntegrityError, match="never edited"):
            connection.execute("UPDATE predictions SET low = 0.1")
        with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
            connection.execute("DELETE FROM predictions")


def test_before_that_it_can(book, desk):
    claim = desk.claim()
    experiment = desk.experiment(claim, queue=False)
    assert experiment.state == "draft"
    assert book.experiments.predict(experiment.name, claim.name, 0.1, 0.5).low == 0.1
    found = book.hypotheses.get(claim.name)
    assert (found.expected_low, found.expected_high) == (0.1, 0.5)
    assert book.experiments.queue(experiment.name).state == "queued"
    with pytest.raises(BadInput, match="locked"):
        book.experiments.predict(experiment.name, claim.name, 0.1, 0.6)


def test_a_duplicate_is_pointed_to_what_exists(book, desk):
    claim, experiment = desk.tried()
    with pytest.raises(Duplicate, match="warpbook more E-1") as found:
        desk.experiment(claim)
    assert found.value.existing == experiment.name


@pytest.mark.parametrize(
    "other",
    [{"change": "other"}, {"baseline": "other"}, {"workload": "other"}, {"device": "cpu"}],
    ids=lambda other: next(iter(other)),
)
def test_another_arm_workload_or_device_is_no_duplicate(book, desk, other):
    desk.experiment(plan=make_plan())
    desk.experiment(plan=make_plan(**other))
    assert len(book.experiments.list()) == 2


@pytest.mark.parametrize("given", ["R-5", "r5", "12.5", "12.5 us", "1.3x"])
def test_a_baseline_from_an_earlier_run_is_refused(book, desk, given):
    plan = replace(make_plan(), baseline=Arm("old", "a" * 64, command=given))
    with pytest.raises(BadInput, match="in turns with the change"):
        desk.experiment(plan=plan)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "other"}, "no kind"),
        ({"device": "tpu"}, "no device"),
        ({"metrics": ()}, "at least one metric"),
        ({"metrics": (TIME, TIME)}, "one name"),
        ({"blocks": 3}, "too few"),
        ({"limit_s": 0.0}, "above 0"),
        ({"limit_s": float("nan")}, "above 0"),
        ({"change": Arm("none", "")}, "empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_plan_that_cannot_run_is_refused(book, desk, change, why):
    with pytest.raises(BadInput, match=why):
        desk.experiment(plan=replace(make_plan(), **change))
    assert book.experiments.list() == []


@pytest.mark.parametrize(
    ("interval", "why"),
    [
        ((0.3, 0.2), "upside down"),
        ((0.2, 0.2), "no width"),
        ((float("nan"), 0.2), "no finite number"),
        ((0.1, float("inf")), "no finite number"),
    ],
    ids=["upside down", "no width", "nan", "infinite"],
)
def test_a_prediction_that_makes_no_sense_is_refused(book, desk, interval, why):
    claim = desk.claim()
    with pytest.raises(BadInput, match=why):
        desk.experiment(claim, interval=interval)
    assert book.experiments.list() == []


def test_a_metric_that_the_plan_does_not_measure_is_refused(book, desk):
    claim = desk.claim(metric=replace(TIME, name="tokens_per_s"))
    with pytest.raises(BadInput, match="does not measure; it measures time_s"):
        desk.experiment(claim)
    other = desk.claim(metric=replace(TIME, better="higher"))
    with pytest.raises(BadInput, match="write both alike"):
        desk.experiment(other)


@pytest.mark.parametrize("runs", [0, -1, 1001])
def test_a_number_of_runs_has_bounds(book, desk, runs):
    with pytest.raises(BadInput, match="give 1 to 1000"):
        desk.experiment(runs=runs)


def test_it_belongs_to_the_campaign_of_its_claims(book, desk):
    book.campaigns.add("attention")
    book.campaigns.add("other")
    claim = desk.claim(campaign="attention")
    assert desk.experiment(claim).campaign_id == claim.campaign_id
    with pytest.raises(BadInput, match="of the campaign attention, not other"):
        desk.experiment(claim, change="b", campaign="other")


def test_texts_are_kept_once_and_come_back_with_the_plan(book, desk):
    text = "def f(x):\n    return x\n"
    file = Arm("mine", "c" * 64, rung="mine.py", text=text, cuda="__global__ void k() {}\n")
    plans = [
        replace(make_plan(), kind="kernel", baseline=Arm("a", "d" * 64, rung="a"), change=file),
        replace(make_plan(), kind="kernel", baseline=Arm("b", "e" * 64, rung="b"), change=file),
    ]
    made = [desk.experiment(plan=plan) for plan in plans]
    assert "def f" not in str(made[0].plan)
    assert [book.experiments.plan(one.name) for one in made] == plans
    assert len(desk.lines("source.added")) == 2


def test_what_is_held_runs_only_after_somebody_saw_it(book, desk):
    experiment = desk.experiment(queue=False)
    with book.writing() as write:
        row = write.session.get_one(type(experiment), experiment.id)
        write.set(row, "experiment.held", "held", state="held", state_reason="imported")
    shown = book.experiments.release_text(experiment.name)
    assert "echo old" in shown
    assert "echo new" in shown
    for verb in (book.experiments.queue, book.experiments.rerun, book.experiments.more):
        with pytest.raises(BadInput, match="warpbook release E-1"):
            verb(experiment.name)
    for seen in ("", "0" * 12, hashlib.sha256(shown.encode()).hexdigest()):
        with pytest.raises(BadInput, match="look at all of it"):
            book.experiments.release(experiment.name, seen)
    assert book.experiments.release(experiment.name, seen_digits(shown)).state == "queued"


def test_release_shows_sources_in_full(book, desk):
    file = Arm("mine", "c" * 64, rung="mine.py", text="import os\nos.remove('x')\n")
    plan = replace(make_plan(), kind="kernel", baseline=Arm("a", "d" * 64, rung="a"), change=file)
    made = desk.experiment(plan=plan)
    assert "os.remove('x')" in book.experiments.release_text(made.name)


def test_more_runs_append(book, desk):
    _, experiment = desk.tried()
    desk.results(experiment, 0.04, 0.05, 0.02)
    assert book.experiments.get(experiment.name).state == "done"
    found = book.experiments.more(experiment.name, 2)
    assert (found.state, found.runs_wanted) == ("queued", 5)
    desk.results(experiment, 0.04, 0.05)
    assert book.experiments.get(experiment.name).state == "done"


def test_as_many_as_a_claim_needs_are_queued_with_one_call(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, DELTA + 0.02, DELTA + 0.01, DELTA + 0.03)
    needs = book.hypotheses.get(claim.name).runs_to_decide
    assert book.hypotheses.summary(claim.name).needs == f"needs about {needs} more runs to decide"
    assert book.experiments.more(claim.name).runs_wanted == 3 + needs


def test_runs_that_were_asked_for_are_made_even_if_the_verdict_stands(book, desk):
    _, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    with pytest.raises(BadInput, match="say how many"):
        book.experiments.more(experiment.name)
    book.experiments.more(experiment.name, 2)
    desk.result(experiment)
    assert book.experiments.get(experiment.name).state == "queued"
    desk.result(experiment)
    assert book.experiments.get(experiment.name).state == "done"


def test_confirming_takes_three_fresh_runs(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    found = book.experiments.confirm(claim.name)
    assert (found.name, found.state, found.runs_wanted) == (experiment.name, "queued", 6)
    runs = desk.results(experiment, FAST, FAST, FAST)
    assert [run.purpose for run in runs] == ["confirm"] * 3
    ended = book.experiments.get(experiment.name)
    assert (ended.state, ended.confirm_after) == ("done", None)
    assert book.hypotheses.get(claim.name).runs == 6


def test_noise_runs_the_baseline_against_itself_and_appends(book, desk):
    _, experiment = desk.tried()
    noise = book.experiments.noise(experiment.name, 2)
    assert book.experiments.plan(noise.name).change == arm("old")
    assert book.experiments.noise(experiment.name, 3).id == noise.id
    assert book.experiments.get(noise.name).runs_wanted == 5


def test_claims_do_not_rest_on_two_like_arms(book, desk):
    claim = desk.claim()
    with pytest.raises(BadInput, match="both arms are the same"):
        desk.experiment(claim, plan=make_plan("old", "old"))


def test_cancelled_it_is_not_taken_and_can_be_run_after_all(book, desk):
    _, experiment = desk.tried()
    assert book.experiments.cancel(experiment.name).state == "cancelled"
    assert book.queue.order() == []
    assert book.experiments.rerun(experiment.name).state == "queued"
    desk.start(experiment)
    with pytest.raises(BadInput, match="is running"):
        book.experiments.cancel(experiment.name)


def test_what_is_done_stays_done(book, desk):
    _, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    with pytest.raises(BadInput, match="E-1 is done: nothing of it waits"):
        book.experiments.cancel(experiment.name)
    assert book.experiments.get(experiment.name).state == "done"


def test_a_disqualified_one_takes_a_rerun_but_no_more_runs(book, desk):
    _, experiment = desk.tried()
    desk.ended(experiment, RunStatus.DISQUALIFIED, "wrong at 63")
    with pytest.raises(BadInput, match="wrong at 63"):
        book.experiments.more(experiment.name, 1)
    assert book.experiments.rerun(experiment.name).state == "queued"


def test_lists_page_filter_and_search(book, desk):
    for number in range(5):
        desk.experiment(change=f"idea_{number}")
    assert [e.name for e in book.experiments.list(limit=2, offset=1)] == ["E-4", "E-3"]
    assert [e.name for e in book.experiments.list(search="idea_3")] == ["E-4"]
    assert book.experiments.list(search="idea%") == []
    assert len(book.experiments.list(state="queued")) == 5
    assert book.experiments.list(state="done") == []
    with pytest.raises(BadInput, match="no state"):
        book.experiments.list(state="asleep")
    with pytest.raises(BadInput, match="limit"):
        book.experiments.list(limit=0)
