"""What a command is: its text, and the files it names."""

import pytest

from warpbook.core import command
from warpbook.core.command import as_it_is_now, changes, command_sha256, hashed_files, named_files
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.run import Arm, Plan


@pytest.fixture
def work(tmp_path):
    for name in ("train.py", "a b.yaml", "out.json", ".env"):
        (tmp_path / name).write_text("1\n")
    (tmp_path / "sub").mkdir()
    return tmp_path


def digest(text, cwd):
    return command_sha256(text, hashed_files(text, cwd))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("echo 1", []),
        ("python train.py", ["train.py"]),
        ("python ./train.py --config='a b.yaml'", ["./train.py", "a b.yaml"]),
        ("LR=1 CONFIG=train.py python x.py;cat out.json", ["train.py", "out.json"]),
        ("python train.py > out.json 2>&1", ["train.py"]),
        ("python train.py >out.json; cat out.json", ["train.py"]),
        ("cat < out.json", ["out.json"]),
        ("source .env && ls sub", []),
        ("it's python train.py", ["train.py"]),
        ("python train.py train.py", ["train.py"]),
        ("x" * 5000, []),
        ("nul\0 train.py", ["train.py"]),
    ],
)
def test_the_files_among_its_words_are_found(work, text, named):
    assert list(named_files(text, work)) == named


def test_a_file_is_found_by_its_whole_path_and_at_home(work, monkeypatch):
    monkeypatch.setenv("HOME", str(work))
    assert named_files(f"python {work}/train.py", "/") == {f"{work}/train.py": work / "train.py"}
    assert named_files("python ~/train.py", "/") == {"~/train.py": work / "train.py"}


def test_an_edited_file_makes_another_program(work):
    before = digest("python train.py", work)
    assert digest("python train.py", work) == before
    (work / "train.py").write_text("2\n")
    assert digest("python train.py", work) != before
    (work / "train.py").write_text("1\n")
    assert digest("python train.py", work) == before
    assert digest("python  train.py", work) != before


def test_a_large_file_counts_by_its_size(work, monkeypatch):
    monkeypatch.setattr(command, "LARGEST", 1)
    before = digest("python train.py", work)
    (work / "train.py").write_text("2\n")
    assert digest("python train.py", work) == before
    (work / "train.py").write_text("22\n")
    assert digest("python train.py", work) != before


def plan_of(change, cwd):
    arms = (
        Arm(text, digest(text, cwd), command=text, files=hashed_files(text, cwd))
        for text in ("echo 1", change)
    )
    return Plan("command", "", "none", *arms, (KERNEL_TIME,), cwd=str(cwd))


def test_a_plan_says_which_of_its_files_changed(work):
    plan = plan_of("python train.py new.json", work)
    (work / "new.json").write_text("written by the command\n")
    assert changes(plan, "since") == []
    assert as_it_is_now(plan) == plan
    (work / "train.py").write_text("2\n")
    assert changes(plan, "since then") == ["train.py was changed since then"]
    assert as_it_is_now(plan).change.sha256 != plan.change.sha256
    assert changes(as_it_is_now(plan), "") == []


def test_a_file_that_is_gone_stays_as_it_was_planned(work):
    plan = plan_of("python train.py", work)
    (work / "train.py").unlink()
    assert changes(plan, "since") == [f"train.py is not in {work}"]
    assert as_it_is_now(plan) == plan
