"""A small problem to judge candidates on, and one judge for a whole file of tests."""

import textwrap
from pathlib import Path

import pytest
import torch

from warpbook.core.roofs import Roofs
from warpbook.kernels.rung import read_rung
from warpbook.kernels.shelf import load_problem
from warpbook.measure import bench, flush, timing, watch
from warpbook.measure.judge import Judge
from warpbook.measure.peaks import peaks_of
from warpbook.measure.timing import Patience

DOUBLE = """
import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem


def inputs(workload, generator):
    return [torch.randn(workload.shape, generator=generator, device=generator.device)]


def cost(workload):
    size = 4 * workload.shape[0] * workload.shape[1]
    return Cost(size, size, {"fp32": size / 4})


problem = Problem(
    name="double",
    inputs=inputs,
    reference=lambda x: x * 2,
    cost=cost,
    workloads=(
        Workload("3x5", (3, 5)),
        Workload("256x1024", (256, 1024), timed_on=("cpu", "cuda")),
    ),
    mutants={"zeros": lambda x: x * 0},
)
"""


@pytest.fixture(scope="session", autouse=True)
def quick_flush():
    """Of nothing: 0.1 s before every round otherwise, where a cache has 260 MB. How long a cold
    round takes is nowhere looked at here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "TIMES_THE_CACHE", 0)
        yield


@pytest.fixture(scope="module")
def one_thread():
    """For the judge and its children: of two threads on a crowded pair of cores each waits for the
    slower. The roofs are given, since those of one thread must not be kept for others."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(bench, "roofs_of", given_roofs)
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(threads)


def given_roofs(device, **_):
    return Roofs(device, 1e10, 1e10, 1e10, {"fp32": 1e13}, 0.5, peaks_of(device))


@pytest.fixture
def any_pace(monkeypatch):
    """Neither a crowded machine nor one whose pace changes by the second is held against a
    candidate: test_watch.py is about the one, test_timing.py and test_doctor.py about the other.
    As few rounds as there may be, since times are not what is looked at."""
    monkeypatch.setattr(watch, "CROWDED", 2.0)
    monkeypatch.setitem(timing.PATIENCE, "cpu", Patience(timing.LEAST_KEPT, 0.0))
    monkeypatch.setitem(timing.HARNESS_US, "cpu", {"out": 1e8, "in place": 1e8, "new": 1e8})


@pytest.fixture(scope="module")
def judge(one_thread):
    """Warm; `cold` makes it flush for one test."""
    with Judge("cpu", warm=True, limit_s=120) as judge:
        yield judge


@pytest.fixture
def cold(judge, monkeypatch):
    monkeypatch.setattr(judge, "warm", False)
    return judge


@pytest.fixture
def problem(tmp_path):
    return write_problem(tmp_path, DOUBLE)


def write_problem(folder: Path, source: str):
    folder = folder / "double"
    folder.mkdir(exist_ok=True)
    (folder / "problem.py").write_text(textwrap.dedent(source))
    return load_problem(str(folder))


@pytest.fixture
def candidate(tmp_path, problem):
    """Writes a candidate for the problem and describes it."""

    def write(source: str, name: str = "mine"):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source))
        return read_rung(path, problem.name)

    return write
