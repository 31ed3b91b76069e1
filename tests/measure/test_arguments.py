"""Arguments that are no tensors, tensors that are left away, and outputs unlike any input."""

import textwrap

import pytest

from warpbook.core.judgement import Status
from warpbook.kernels.rung import read_rung
from warpbook.kernels.shelf import load_problem
from warpbook.measure.judge import Judge

pytestmark = pytest.mark.usefixtures("any_pace")

PROBLEM = """
import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.checks import topk
from warpbook.kernels.problem import Problem


def inputs(workload, generator):
    def draw(*shape):
        drawn = torch.randn(shape, generator=generator, device=generator.device)
        return drawn.to(getattr(torch, workload.dtype))

    rows, columns = workload.shape
    bias = draw(columns) if workload.extra["bias"] else None
    return draw(rows, columns), bias, int(workload.extra["k"]), bool(workload.extra["largest"])


def reference(x, bias, k, largest):
    shifted = x if bias is None else x + bias
    return tuple(shifted.topk(k, dim=-1, largest=largest))


def check(outputs, arguments, truth):
    x, bias, k, largest = arguments
    return topk(outputs, [x if bias is None else x + bias, k, largest, True], truth)


problem = Problem(
    name="pick",
    inputs=inputs,
    reference=reference,
    cost=lambda workload: Cost(4 * 64 * 1000, 12 * 64 * 5),
    workloads=(
        Workload("with", (3, 63), extra={"bias": 1, "k": 7, "largest": 0}),
        Workload("without", (3, 63), "bfloat16", extra={"bias": 0, "k": 2, "largest": 1}),
        Workload("timed", (64, 1000), timed_on=("cpu", "cuda"),
                 extra={"bias": 0, "k": 5, "largest": 1}),
    ),
    mutants={},
    check=check,
    moves="stream",
)
"""
INTO_BUFFERS = """
import torch

def pick(x, bias, k, largest, out):
    values, indices = out
    assert values.shape == indices.shape == (len(x), k)
    assert (values.dtype, indices.dtype) == (x.dtype, torch.int64)
    assert type(k) is int and type(largest) is bool
    torch.topk(x if bias is None else x + bias, k, largest=largest, out=out)
"""
NEW = """
def pick(x, bias, k, largest):
    return tuple((x if bias is None else x + bias).topk(k, largest=largest))
"""


@pytest.fixture
def judged(judge, tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM)
    problem = load_problem(str(tmp_path))

    def run(source, judge=judge):
        path = tmp_path / "mine.py"
        path.write_text(textwrap.dedent(source))
        return judge.rung(problem, read_rung(path, "pick"))

    return run


@pytest.mark.parametrize("source", [INTO_BUFFERS, NEW])
def test_a_rung_is_given_none_numbers_and_outputs_of_two_dtypes(judged, source):
    judgement = judged(source)
    assert judgement.reason == ""
    assert [o.status for o in judgement.outcomes] == [Status.CORRECT] * 3
    assert judgement.outcomes[-1].device


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("x + bias", "x", "elements differ"),
        ("largest=largest", "largest=True", "elements differ"),
        ("out=out)", "out=(values, indices.clone()))", "an index"),
    ],
)
def test_what_is_wrong_with_either_output_is_seen(judged, old, new, reason):
    judgement = judged(INTO_BUFFERS.replace(old, new))
    assert judgement.status is Status.WRONG
    assert reason in judgement.reason


def test_an_output_of_another_dtype_is_refused(judged):
    judgement = judged(NEW.replace("tuple(", "[y.float() for y in ").replace(")\n", "]\n", 1))
    assert judgement.status is Status.WRONG
    assert "not torch.int64" in judgement.reason


@pytest.mark.gpu
def test_all_of_it_on_a_gpu(judged):
    with Judge("cuda") as judge:
        for source in (INTO_BUFFERS, NEW):
            assert judged(source, judge).reason == ""
        assert judged(INTO_BUFFERS.replace("x + bias", "x"), judge).status is Status.WRONG
