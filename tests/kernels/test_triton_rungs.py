import importlib.util
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from warpbook.kernels.library import problem_names
from warpbook.kernels.shelf import load_ladder, load_problem

HERE = Path(__file__).parent


def triton_rungs(problem):
    return [rung for rung in load_ladder(load_problem(problem)) if rung.language == "triton"]


PROBLEMS = [name for name in problem_names() if triton_rungs(name)]


@cache
def reports(script):
    """In one process: to start another for every problem takes as long as what it then does."""
    command = [sys.executable, HERE / script, *PROBLEMS]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def reported(script, problem):
    report = reports(script)[problem]
    assert isinstance(report, dict), report
    return report


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_triton_rung_is_right_in_the_interpreter(problem):
    report = reported("interpret.py", problem)
    assert report["wrong"] == []
    assert len(report["skipped"]) <= 6, "too many workloads are beyond the interpreter"
    catching = [w for w in load_problem(problem).workloads if not w.timed]
    cases = len(triton_rungs(problem)) * len(catching)
    assert report["checked"] + len(report["skipped"]) == cases


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_triton_kernel_compiles_for_sm_90_without_a_gpu(problem):
    launches = reported("compile_sm90.py", problem)
    assert all(launches.values()), "a rung launched nothing"
    assert all(launch["is_elf"] for launched in launches.values() for launch in launched)
    for rung in triton_rungs(problem):
        compiled = {
            launch["kernel"]
            for case, launched in launches.items()
            for launch in launched
            if case.startswith(f"{rung.name} ")
        }
        assert compiled == kernels_of(rung.path), rung.name


def kernels_of(path):
    """The names of all Triton functions in a file, which is loaded apart from its package."""
    from triton.runtime.jit import JITFunction

    spec = importlib.util.spec_from_file_location("rung_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name for name, value in vars(module).items() if isinstance(value, JITFunction)}
