import pytest

from warpbook.core.errors import BadInput
from warpbook.kernels.library import problem_folder, problem_names
from warpbook.kernels.shelf import load_ladder, load_problem, load_rung

PROBLEM = """
import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem

problem = Problem(
    name="double",
    inputs=lambda workload, generator: (torch.randn(workload.shape, generator=generator),),
    reference=lambda x: x + x,
    cost=lambda workload: Cost(4, 4),
    workloads=(Workload("3", (3,)),),
    mutants={},
    ladder=("plain",),
)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM)
    (tmp_path / "rungs").mkdir()
    (tmp_path / "rungs" / "plain.py").write_text("def double(x):\n    return x + x\n")
    return tmp_path


def test_the_built_in_problems_are_found_by_name():
    assert {"softmax", "vector_add"} <= set(problem_names())
    for name in problem_names():
        assert load_problem(name).name == name


def test_an_unknown_problem_is_refused_with_those_there_are():
    with pytest.raises(BadInput, match=r"no problem 'sofmax': give one of .*softmax.*vector_add"):
        load_problem("sofmax")


def test_a_users_own_problem_is_a_folder(folder):
    problem = load_problem(str(folder))
    assert problem.name == "double"
    assert problem.folder == folder
    (rung,) = load_ladder(problem)
    assert rung.path == folder / "rungs" / "plain.py"


def test_a_relative_folder_is_found_from_where_one_stands(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert problem_folder(folder.name) == folder


def test_a_built_in_name_is_not_shadowed_by_a_folder_of_that_name(folder, monkeypatch):
    (folder / "softmax").mkdir()
    monkeypatch.chdir(folder)
    assert load_problem("softmax").name == "softmax"


def test_a_folder_without_a_problem_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"a folder with a problem\.py"):
        load_problem(str(tmp_path))


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("def broken(:", "SyntaxError"),
        ("problem = 3", r"problem = Problem\(\.\.\.\)"),
        (PROBLEM.replace('"double"', '"not a name"'), "not a function name"),
    ],
)
def test_a_broken_problem_is_refused_with_its_file(folder, source, fault):
    (folder / "problem.py").write_text(source)
    with pytest.raises(BadInput, match=rf"problem\.py: .*{fault}"):
        load_problem(str(folder))


def test_an_unknown_rung_is_refused_with_the_ladder():
    with pytest.raises(BadInput, match="has no rung 'fast'; its ladder is: passes"):
        load_rung(load_problem("softmax"), "fast")
