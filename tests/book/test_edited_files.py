"""Commands whose files are edited: another experiment, and never mixed with the one before."""

import math

import pytest
from book_desk import FAST, TIME

from warpbook.book.experiments import Duplicate
from warpbook.core.command import command_sha256, hashed_files
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan, RunStatus

FASTER = (math.log(1.2), math.log(1.5))


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("steps = 1\n")
    return file


def arm(text, cwd):
    files = hashed_files(text, cwd)
    return Arm(text, command_sha256(text, files), command=text, files=files)


def plan_of(script):
    arms = (arm(text, script.parent) for text in ("python old.py", "python train.py"))
    return Plan("command", "", "none", *arms, (TIME,), cwd=str(script.parent))


@pytest.fixture
def tried(desk, script):
    claim = desk.claim()
    return claim, desk.experiment(claim, plan=plan_of(script), interval=FASTER)


def test_the_same_command_is_a_duplicate_until_its_file_is_edited(book, tried, script):
    with pytest.raises(Duplicate):
        book.experiments.add(plan_of(script))
    script.write_text("steps = 2\n")
    assert book.experiments.add(plan_of(script)).name == "E-2"


def test_a_rerun_with_an_edited_file_is_a_new_experiment_that_repeats_it(book, desk, tried, script):
    claim, experiment = tried
    desk.results(experiment, FAST, FAST)
    desk.ended(experiment, RunStatus.FAILED, "train.py was changed since it was queued")
    script.write_text("steps = 2\n")
    again = book.experiments.rerun(experiment.name)
    assert (again.name, again.state, again.runs_wanted) == ("E-2", "queued", 3)
    assert again.repeats_id == experiment.id
    assert again.a_sha256 == experiment.a_sha256
    assert again.b_sha256 == plan_of(script).change.sha256 != experiment.b_sha256
    assert book.experiments.plan("E-2") == plan_of(script)
    old, new = (book.experiments.predictions(name)[0] for name in ("E-1", "E-2"))
    assert (new.low, new.high, new.locked_at) == (old.low, old.high, old.locked_at)
    assert book.experiments.get("E-1").state == "failed"
    desk.result(again)
    assert book.hypotheses.get(claim.name).runs == 1


def test_reruns_of_one_edit_gather_in_one_experiment(book, desk, tried, script):
    _, experiment = tried
    desk.ended(experiment, RunStatus.FAILED)
    script.write_text("steps = 2\n")
    book.experiments.rerun("E-1")
    with pytest.raises(BadInput, match="E-2 is queued"):
        book.experiments.rerun("E-1")
    script.write_text("steps = 1\n")
    assert book.experiments.rerun("E-1").name == "E-1"


def test_more_runs_are_not_added_to_what_was_another_script(book, desk, tried, script):
    claim, experiment = tried
    desk.results(experiment, FAST)
    script.write_text("steps = 2\n")
    for ask in (
        lambda: book.experiments.more(experiment.name, 2),
        lambda: book.experiments.more(claim.name),
        lambda: book.experiments.confirm(claim.name),
        lambda: book.experiments.noise(experiment.name),
    ):
        with pytest.raises(BadInput, match=r"train\.py was changed.*warpbook rerun E-1"):
            ask()
    assert len(book.experiments.list()) == 1


def test_a_draft_is_queued_as_it_was_made(book, script):
    book.experiments.add(plan_of(script), queue=False)
    script.write_text("steps = 2\n")
    with pytest.raises(BadInput, match=r"train\.py was changed since E-1 was made"):
        book.experiments.queue("E-1")


def test_what_is_released_names_its_files(book, tried, script):
    digest = plan_of(script).change.files[0].sha256
    assert f"file: train.py {digest}\n" in book.experiments.release_text("E-1")
