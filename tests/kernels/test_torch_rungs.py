import importlib
import inspect
import shutil
import sys

import pytest
import torch

from warpbook.kernels.library import problem_names
from warpbook.kernels.problem import as_list
from warpbook.kernels.shelf import load_problem, load_rung, outline_of
from warpbook.measure.check import Checker

# What torch.compile imports uses names that torch and triton have deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def every_rung(problem):
    """Some peers are off the ladder; Liger needs a GPU."""
    return [load_rung(problem, name) for name in outline_of(problem).rungs if name != "liger"]


RUNGS = [
    (name, rung.name)
    for name in problem_names()
    for rung in every_rung(load_problem(name))
    if rung.language == "torch"
]
COMPILED = [name for name, rung in RUNGS if rung == "compiled"]


def load(problem, rung):
    return importlib.import_module(f"warpbook.kernels.{problem}.rungs.{rung}")


def outputs_of(problem, workload, function, arguments):
    """What a rung makes of its arguments, in buffers it is given where it takes any."""
    if "out" not in inspect.signature(function).parameters:
        return as_list(function(*arguments))
    dtype = getattr(torch, workload.dtype)
    plain = problem.expected(arguments, torch.float32)
    buffers = [poisoned(y, dtype) for y in plain]
    returned = function(*arguments, out=tuple(buffers) if len(buffers) > 1 else buffers[0])
    assert all(y is buffer for y, buffer in zip(as_list(returned), buffers, strict=True))
    return buffers


def poisoned(y, dtype):
    floating = y.is_floating_point()
    return torch.full(y.shape, torch.nan, dtype=dtype) if floating else torch.full_like(y, -1)


@pytest.mark.parametrize(("name", "rung"), RUNGS)
def test_every_torch_rung_is_right_on_the_catching_workloads(name, rung):
    """On all of them; on one in six where each is compiled first, for a second or more."""
    problem = load_problem(name)
    function = getattr(load(name, rung), name)
    catching = [workload for workload in problem.workloads if not workload.timed]
    for workload in catching[:: 6 if rung == "compiled" else 1]:
        arguments = problem.inputs(workload, torch.Generator().manual_seed(7))
        outputs = outputs_of(problem, workload, function, arguments)
        assert Checker(problem, workload).add(outputs, arguments) is None, workload.name


@pytest.mark.parametrize(("name", "rung"), [r for r in RUNGS if r[1] != "compiled"])
def test_a_rung_returns_a_tensor_of_its_own_where_it_is_given_none(name, rung):
    problem = load_problem(name)
    workload = next(w for w in problem.workloads if w.layout == "strided")
    arguments = problem.inputs(workload, torch.Generator().manual_seed(7))
    outputs = as_list(getattr(load(name, rung), name)(*arguments))
    assert Checker(problem, workload).add(outputs, arguments) is None


@pytest.mark.parametrize("name", COMPILED)
def test_torch_compile_says_why_it_cannot_run_without_a_compiler(name, monkeypatch):
    compiled = load(name, "compiled")
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert "C++ compiler" in compiled.unavailable()


@pytest.mark.parametrize("name", COMPILED)
def test_torch_compile_does_not_give_up_on_the_ninth_shape(name):
    load(name, "compiled")
    dynamo = sys.modules["torch._dynamo"]
    assert dynamo.config.recompile_limit > 100
    assert dynamo.config.accumulated_recompile_limit > 1000
