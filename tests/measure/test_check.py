"""What the checker lets pass, and what it does not."""

import math

import pytest
import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.measure.check import Checker

WORKLOAD = Workload("64x100", (64, 100))
DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def make(reference, **fields):
    return Problem(
        name="op",
        inputs=lambda workload, generator: [],
        reference=reference,
        cost=lambda workload: Cost(0, 0),
        workloads=(WORKLOAD,),
        mutants={},
        **fields,
    )


def verdict(problem, outputs, arguments):
    checker = Checker(problem, WORKLOAD)
    return checker.add([outputs], arguments)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


@pytest.fixture(params=DTYPES, ids=str)
def x(request):
    return torch.randn(64, 100, generator=torch.Generator().manual_seed(1)).to(request.param)


def plain(x):
    return logistic(x.float()).to(x.dtype)


def test_the_plain_reference_is_about_one_time_itself(x):
    checker = Checker(make(logistic), WORKLOAD)
    assert checker.add([plain(x)], [x]) is None
    assert 0.5 <= checker.error <= 1.0
    assert checker.budget == 4.0


@pytest.mark.parametrize(
    "spoil",
    [
        torch.zeros_like,
        lambda y: torch.full_like(y, math.nan),
        lambda y: torch.full_like(y, math.inf),
        lambda y: torch.cat([y[:, :-1], torch.zeros_like(y[:, -1:])], dim=1),
        lambda y: torch.cat([y[:-1], y[:1]]),
        lambda y: y * (1 + 16 * torch.finfo(y.dtype).eps),
    ],
    ids=["zeros", "nan", "inf", "dropped tail", "first rows", "a little too large"],
)
def test_wrong_outputs_are_over_budget_in_every_dtype(x, spoil):
    assert verdict(make(logistic), spoil(plain(x)), [x])


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16], ids=str)
def test_a_half_precision_detour_is_over_budget_in_float32(half):
    x = torch.randn(64, 100)
    assert "over its budget" in verdict(make(logistic), plain(x.to(half)).float(), [x])


def test_nan_belongs_exactly_where_the_reference_has_it():
    x = torch.randn(4, 8)
    x[1, 2] = math.nan
    y = plain(x)
    assert verdict(make(logistic), y, [x]) is None
    filled = y.nan_to_num(0.5)
    assert "missing in 1" in verdict(make(logistic), filled, [x])
    y[0, 0] = math.nan
    assert "NaN in 1 places" in verdict(make(logistic), y, [x])


def test_infinities_must_be_the_references_own():
    x = torch.tensor([[1e38, 1.0, -1e38]])
    double = make(lambda x: x * 10)
    assert verdict(double, x * 10, [x]) is None
    assert "infinities" in verdict(double, -(x * 10), [x])
    assert "infinities" in verdict(double, (x * 10).clamp(-3e38, 3e38), [x])


def test_errors_pool_over_rounds():
    x = torch.randn(64, 100)
    checker = Checker(make(logistic), WORKLOAD)
    assert checker.add([plain(x)], [x]) is None
    assert checker.add([plain(x) * 1.001], [x])
    assert checker.add([plain(x)], [x])
    assert checker.rounds == 3


def test_a_problem_may_declare_its_scale_and_how_sums_grow():
    a, b = torch.randn(64, 512), torch.randn(512, 64)
    product = make(
        lambda a, b: a @ b,
        scale=lambda arguments, y64: arguments[0].abs() @ arguments[1].abs(),
        growth=lambda workload: 3.0,
    )
    checker = Checker(product, WORKLOAD)
    in_order = torch.zeros(64, 64)
    for k in range(512):
        in_order += a[:, k : k + 1] * b[k]
    assert checker.add([in_order], [a, b]) is None
    assert checker.budget == 12.0
    assert verdict(product, a.bfloat16().float() @ b, [a, b])


def test_integers_must_be_equal():
    x = torch.randn(64, 100)
    positive = make(lambda x: (x > 0).to(torch.int64))
    y = (x > 0).to(torch.int64)
    assert verdict(positive, y, [x]) is None
    y[0, 0] += 1
    assert "1 of 6400 elements differ" in verdict(positive, y, [x])


def test_quantised_outputs_are_judged_after_dequantising():
    x = torch.randn(64, 128)
    scale = x.abs().amax(-1, keepdim=True) / 127
    codes = (x / scale).round().to(torch.int8)
    quantise = make(
        lambda x: x,
        decode=lambda codes, scale: codes.float() * scale,
    )
    assert Checker(quantise, WORKLOAD).add([codes, scale], [x]) is None
    assert Checker(quantise, WORKLOAD).add([codes + 8, scale], [x])


def test_a_problems_own_check_replaces_the_error():
    x = torch.randn(4, 8)
    checker = Checker(make(lambda x: x, check=lambda y, arguments, y64: "never"), WORKLOAD)
    assert checker.add([x], [x]) == "never"
    assert checker.error is None
