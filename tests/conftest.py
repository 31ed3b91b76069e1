"""What all tests share. Tests marked `gpu` are left out, with a count, where torch sees no GPU."""

import os
import shutil
import tempfile
from pathlib import Path
from textwrap import dedent

import pytest

QUICK = Path(__file__).parent / "quick"
DOUBLE = """
    import torch

    from warpbook.core.cost import Cost
    from warpbook.core.workload import Workload
    from warpbook.kernels.problem import Problem


    def inputs(workload, generator):
        return (torch.randn(workload.shape, generator=generator, device=generator.device),)


    def reference(x):
        return x * 2


    def cost(workload):
        return Cost(4 * workload.shape[0], 4 * workload.shape[0])


    problem = Problem(
        name="double",
        inputs=inputs,
        reference=reference,
        cost=cost,
        workloads=(
            Workload("1000", (1000,), timed_on=("cpu", "cuda")),
            Workload("63", (63,)),
        ),
        mutants={"zeros": torch.zeros_like},
        ladder=LADDER,
    )
"""
PLAIN = """
    '''One multiplication.'''


    def double(x):
        return x * 2
"""


def pytest_configure(config):
    """What tests judge is no mark of the user's, and is recorded in no book of theirs. Processes
    that they start find `quick/sitecustomize.py`. Tests that share the cores have a thread each:
    two that wait for each other busily take five times as long."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="warpbook-tests-")
    os.environ["WARPBOOK_RUN"] = "test"
    paths = [str(QUICK), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def pytest_unconfigure(config):
    shutil.rmtree(os.environ["XDG_DATA_HOME"], ignore_errors=True)


def pytest_collection_modifyitems(config, items):
    needs_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if not needs_gpu or sees_gpu():
        return
    items[:] = [item for item in items if item not in needs_gpu]
    config.hook.pytest_deselected(items=needs_gpu)


def sees_gpu():
    import torch

    return torch.cuda.is_available()


class ProblemFolder:
    """A small problem of a user's own, `double`: the first workload is timed, `63` is not."""

    def __init__(self, path: Path):
        self.path = path
        (path / "rungs").mkdir(parents=True)
        self.with_ladder(plain=PLAIN)

    def with_ladder(self, **rungs):
        (self.path / "problem.py").write_text(dedent(DOUBLE).replace("LADDER", f"{tuple(rungs)}"))
        for name, source in rungs.items():
            (self.path / "rungs" / f"{name}.py").write_text(dedent(source))
        return self

    def write(self, name, source):
        file = self.path.parent / name
        file.write_text(dedent(source))
        return file

    def __str__(self):
        return str(self.path)


@pytest.fixture
def double(tmp_path):
    return ProblemFolder(tmp_path / "double")
