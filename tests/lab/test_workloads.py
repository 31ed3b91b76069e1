"""What is known of a problem without measuring anything."""

import pytest

from warpbook.core.errors import BadInput
from warpbook.lab.workloads import known_problem


def test_workloads_that_are_spelled_out_are_read_without_running_the_file(double):
    (double.path / "problem.py").write_text(
        (double.path / "problem.py").read_text() + "\nraise SystemExit('was run')\n"
    )
    known = known_problem(str(double))
    assert [w.name for w in known.workloads] == ["1000", "63"]
    assert known.first_timed("cpu") == "1000"
    assert known.problem == str(double.path)


def test_workloads_that_are_computed_are_asked_of_a_child(double):
    source = (double.path / "problem.py").read_text()
    (double.path / "problem.py").write_text(source.replace("workloads=(", "workloads=(()) + ("))
    known = known_problem(str(double))
    assert [w.name for w in known.workloads] == ["1000", "63"]
    assert known.outline.ladder == ("plain",)


def test_a_problem_that_does_not_load_says_why(double):
    (double.path / "problem.py").write_text("raise RuntimeError('nothing of the kind')\n")
    with pytest.raises(BadInput, match="nothing of the kind"):
        known_problem(str(double))


def test_a_workload_is_one_that_is_timed_on_the_device(double):
    known = known_problem(str(double))
    with pytest.raises(BadInput, match="no workload '1001'; timed on cpu are: 1000"):
        known.checked("1001", "cpu")
    with pytest.raises(BadInput, match="63 is not timed on cpu"):
        known.checked("63", "cpu")
    assert known.checked("1000", "cuda") == "1000"


def test_the_timed_workloads_of_a_shipped_problem_need_no_child(monkeypatch):
    monkeypatch.setattr("sys.executable", "/no/python/here")
    assert known_problem("softmax").first_timed("cuda") == "8192x8192-fp32"
    assert known_problem("softmax", "32768x1024-bf16").checked("32768x1024-bf16", "cuda")


def test_a_workload_of_a_shipped_problem_that_is_not_timed_is_told_apart():
    with pytest.raises(BadInput, match="is not timed on cpu"):
        known_problem("vector_add", "63-constant-bf16").checked("63-constant-bf16", "cpu")
