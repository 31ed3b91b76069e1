"""Evidence counts within one environment; what rested on another starts afresh and is flagged."""

from book_desk import FAST, make_plan

from warpbook.book import keys
from warpbook.book.audit.check import check
from warpbook.book.events import now
from warpbook.book.tables import Experiment, Finding, Link
from warpbook.core.run import RunStatus

OTHER = {"driver": "999.1"}


def test_before_its_first_valid_run_an_experiment_takes_the_environment_it_finds(book, desk):
    _, experiment = desk.tried()
    run = desk.result(experiment, environment=OTHER)
    found = book.experiments.get(experiment.name)
    assert run.experiment_id == experiment.id
    assert found.environment_key == run.environment_key != experiment.environment_key


def test_a_run_in_another_environment_goes_to_a_new_experiment_that_repeats_it(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST)
    moved = desk.result(experiment, environment=OTHER)
    again = book.experiments.get(moved.experiment_id)
    assert again.repeats_id == experiment.id
    assert again.state == "queued"
    assert book.experiments.get(experiment.name).state == "done"
    assert book.experiments.get(experiment.name).state_reason.startswith("goes on as E-2")
    old, new = (book.experiments.predictions(e)[0] for e in (experiment.name, again.name))
    assert (new.low, new.high, new.locked_at) == (old.low, old.high, old.locked_at)
    found = book.hypotheses.get(claim.name)
    assert (found.runs, found.environment_key) == (1, moved.environment_key)
    assert "R-3" in found.stale
    assert desk.lines("evidence.restarted") == [
        "H-1 rests on 1 run like R-3; 2 of other arms or in another environment no longer count"
    ]


def test_later_runs_there_gather_in_one_experiment_and_lift_the_flag(book, desk):
    claim, experiment = desk.tried()
    desk.result(experiment)
    first = desk.result(experiment, environment=OTHER)
    desk.results(book.experiments.get(first.experiment_id), FAST, FAST, environment=OTHER)
    assert len(book.experiments.list()) == 2
    found = book.hypotheses.get(claim.name)
    assert (found.runs, found.stale, found.verdict) == (3, "", "supported")


def test_a_verdict_does_not_outlive_its_environment(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    book.experiments.rerun(experiment.name)
    desk.result(experiment, environment=OTHER)
    assert book.hypotheses.get(claim.name).verdict == "open"
    assert desk.lines("verdict.changed")[-1] == "H-1 is open again: R-4 showed 1.30x"


def test_findings_on_it_are_flagged_with_the_reason(book, desk):
    claim, experiment = desk.tried()
    run = desk.result(experiment)
    finding = add_finding(book, claim, run.environment_key)
    desk.result(experiment, environment=OTHER)
    with book.reading() as session:
        assert "in another environment" in session.get(Finding, finding).stale
    assert len(desk.lines("finding.stale")) == 1


def add_finding(book, claim, key):
    with book.writing() as write:
        finding = write.add(
            Finding(
                campaign_id=claim.campaign_id,
                author="ana",
                statement="it is",
                environment_key=key,
                created_at=now(),
            ),
            "finding.added",
            "{name}",
        )
        link = Link(finding_id=finding.id, type="supports", to_kind="H", to_id=claim.id)
        write.add(link, "link.added", "{name}")
        return finding.id


def test_eight_runs_of_a_against_a_change_what_an_e_value_rests_on(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST + 0.01)
    noise = book.experiments.noise(experiment.name)
    assert (noise.runs_wanted, noise.a_sha256) == (8, noise.b_sha256)
    before = book.hypotheses.get(claim.name)
    assert before.basis == "t-based: 0 of 8 A-against-A runs"
    runs = desk.results(noise, *[0.002, -0.002] * 4)
    found = book.hypotheses.get(claim.name)
    assert {run.purpose for run in runs} == {"noise"}
    assert found.basis == "noise of 8 A-against-A runs"
    assert found.runs == 2
    assert found.log_support > before.log_support
    assert book.experiments.get(noise.name).state == "done"


def test_noise_of_another_workload_does_not_count(book, desk):
    claim, experiment = desk.tried()
    other = desk.experiment(plan=make_plan(workload="large"))
    noise = book.experiments.noise(other.name)
    desk.results(noise, *[0.002, -0.002] * 4)
    desk.result(experiment)
    assert book.hypotheses.get(claim.name).basis == "t-based: 0 of 8 A-against-A runs"


def test_experiments_that_take_turns_do_not_move_the_evidence_to_and_fro(book, desk):
    claim, first = desk.tried("first")
    second = desk.experiment(claim, change="second")
    for _ in range(3):
        desk.result(first)
        desk.result(second, 0.0)
    found = book.hypotheses.get(claim.name)
    assert (found.runs, found.verdict) == (3, "refuted")
    assert len(desk.lines("evidence.restarted")) == 1
    assert book.hypotheses.summary(claim.name).others == 3
    assert check(book.folder).problems == []


def test_a_run_in_an_environment_that_was_left_is_kept_and_is_evidence_of_nothing(book, desk):
    claim, first = desk.tried("first")
    second = desk.experiment(claim, change="second")
    desk.results(first, FAST, FAST)
    desk.result(second, 0.0)
    before = book.hypotheses.get(claim.name)
    run = desk.result(first)
    after = book.hypotheses.get(claim.name)
    assert (run.state, book.experiments.get(first.name).runs_valid) == ("valid", 3)
    assert (after.runs, after.log_support) == (1, before.log_support)
    assert book.experiments.predictions(first.name)[0].outcome == "hit"


def test_what_would_run_there_is_worth_little_and_says_so(book, desk):
    claim, first = desk.tried("first")
    second = desk.experiment(claim, change="second")
    desk.result(first)
    desk.result(second)
    one, two = book.queue.order()
    assert (one.experiment.name, two.experiment.name) == (second.name, first.name)
    assert "H-1 (open, and rests on other arms or another environment by now)" in two.reason


def test_if_all_its_newest_runs_are_disqualified_the_runs_before_count_again(book, desk):
    claim, first = desk.tried("first")
    second = desk.experiment(claim, change="second")
    desk.results(first, FAST, FAST)
    desk.result(second)
    desk.ended(second, RunStatus.DISQUALIFIED)
    assert book.hypotheses.get(claim.name).runs == 2


def test_the_same_arms_added_in_another_environment_repeat_the_first(book, desk, monkeypatch):
    claim, first = desk.tried()
    desk.result(first)
    here = keys.here("none")
    monkeypatch.setattr(keys, "here", lambda device: {**here, **OTHER})
    second = desk.experiment(claim)
    assert second.repeats_id == first.id
    assert second.environment_key != first.environment_key


def test_a_run_never_joins_an_experiment_that_nobody_released(book, desk):
    _, experiment = desk.tried()
    desk.result(experiment)
    elsewhere = desk.result(experiment, environment=OTHER)
    with book.writing() as write:
        row = write.session.get_one(Experiment, elsewhere.experiment_id)
        write.set(row, "experiment.held", "held", state="held", imported=True)
    again = desk.result(experiment, environment=OTHER)
    assert again.experiment_id not in (experiment.id, elsewhere.experiment_id)
    assert book.experiments.get(elsewhere.experiment_id).state == "held"
