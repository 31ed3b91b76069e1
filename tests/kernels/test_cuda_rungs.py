import importlib
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from warpbook.core.judgement import Status
from warpbook.kernels.includes import included
from warpbook.kernels.library import problem_names
from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.measure.judge import Judge

SCRIPT = Path(__file__).parent / "compile_cuda.py"
MOST = (2**31 - 1, 65535, 65535, 1024, 1024, 64)  # grid, then block


def cuda_rungs(problem):
    return [rung for rung in load_ladder(load_problem(problem)) if rung.language == "cuda"]


RUNGS = [(problem, rung) for problem in problem_names() for rung in cuda_rungs(problem)]
each_rung = pytest.mark.parametrize(
    ("problem", "rung"), RUNGS, ids=[f"{p}-{r.name}" for p, r in RUNGS]
)


@cache
def reports():
    """In one process: to start another for every problem takes as long as what it then does."""
    command = [sys.executable, SCRIPT, *dict(RUNGS)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def compiled(problem):
    report = reports()[problem]
    assert isinstance(report, dict), report
    return report


def launches(problem, rung):
    return [launch for made in compiled(problem)[rung.name].values() for launch in made]


@each_rung
def test_every_kernel_compiles_for_sm_90a_without_a_gpu(problem, rung):
    cases = compiled(problem)[rung.name]
    assert len(cases) >= len(
        [w for w in load_problem(problem).workloads if "cpu" not in w.timed_on]
    )
    assert [case for case, made in cases.items() if not made] == []
    # For rows that it cannot hold a rung may turn to another one's kernel.
    assert kernels_of(rung.path) <= {launch["kernel"] for launch in launches(problem, rung)}


def kernels_of(path):
    """The names of the kernels in the `.cu` beside a rung's file, and in what it includes."""
    main = path.with_suffix(".cu").read_bytes()
    source = "".join(text.decode() for text in (main, *(p.read_bytes() for p in included(main))))
    source = re.sub(r"//.*", "", source)
    source = re.sub(r"\b__\w+__\s*\((?:[^()]|\([^)]*\))*\)", "", source)
    return set(re.findall(r"__global__\s+void\s+(\w+)\(", source))


@each_rung
def test_no_kernel_spills_registers(problem, rung):
    spilled = {x["symbol"]: x["frame"] for x in launches(problem, rung) if x["frame"]}
    assert spilled == {}


@each_rung
def test_every_launch_is_one_that_the_device_could_make(problem, rung):
    for launch in launches(problem, rung):
        *shape, shared = launch["shape"]
        assert all(1 <= size <= most for size, most in zip(shape, MOST, strict=True)), launch
        assert shape[3] * shape[4] * shape[5] <= launch["threads"], launch
        assert shared <= 227 * 1024, launch
        assert shape[0] % launch["cluster"] == 0, launch


@each_rung
def test_every_kernel_is_given_arguments_of_the_sizes_it_declares(problem, rung):
    for launch in launches(problem, rung):
        assert launch["given"] == launch["takes"], launch["symbol"]


def test_a_cuda_rung_is_skipped_on_a_cpu_and_says_why():
    problem = load_problem("vector_add")
    rung = next(r for r in cuda_rungs("vector_add") if r.name == "sixteen_bytes")
    with Judge("cpu") as judge:
        judgement = judge.rung(problem, rung)
    assert judgement.status is Status.SKIPPED
    assert "NVIDIA GPU" in judgement.reason


def test_importing_a_cuda_rung_needs_neither_a_gpu_nor_a_compiler():
    for problem, rung in RUNGS:
        module = importlib.import_module(f"warpbook.kernels.{problem}.rungs.{rung.name}")
        assert callable(getattr(module, problem))
