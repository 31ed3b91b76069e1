"""A small problem to judge candidates on, and one judge for a whole file of tests."""

import textwrap
from pathlib import Path

import pytest

from warpbook.kernels.rung import read_rung
from warpbook.kernels.shelf import load_problem
from warpbook.measure import flush
from warpbook.measure.judge import Judge

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
    """Once the cache, where it takes 0.1 s to go over four times one of 260 MB before every round;
    how long a cold round takes is nowhere looked at here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "TIMES_THE_CACHE", 1)
        yield


@pytest.fixture(scope="module")
def judge():
    """Warm, since a flush takes most of a round; `cold` makes it flush for one test."""
    with Judge("cpu", warm=True, limit_s=20) as judge:
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
