import math

import pytest
import torch

from warpbook.kernels.checks import exact, neighbours, topk, unbiased

HALVES = [torch.bfloat16, torch.float16, torch.float8_e4m3fn]


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5))


def test_exact_accepts_the_answer_rounded_to_the_outputs_dtype():
    truth = random(7, 9).double()
    assert exact([truth.to(torch.bfloat16)], [], [truth]) is None


def test_exact_accepts_nan_where_the_answer_is_nan():
    truth = torch.tensor([1.0, math.nan, math.inf], dtype=torch.float64)
    assert exact([truth.float()], [], [truth]) is None


@pytest.mark.parametrize("wrong", [math.nan, 0.0, math.inf, 1.0000001])
def test_exact_rejects_one_wrong_element(wrong):
    truth = torch.ones(100, dtype=torch.float64)
    output = truth.float()
    output[37] = wrong
    assert "1 of 100" in exact([output], [], [truth])


def test_exact_rejects_a_number_where_the_answer_is_nan():
    truth = torch.full((3,), math.nan, dtype=torch.float64)
    assert exact([torch.zeros(3)], [], [truth])


def test_exact_compares_integers_without_rounding_them():
    truth = torch.tensor([2**53])
    assert exact([truth], [], [truth]) is None
    assert exact([truth + 1], [], [truth])


def test_exact_rejects_another_shape_and_a_missing_output():
    truth = torch.ones(4, dtype=torch.float64)
    assert "shape" in exact([torch.ones(1)], [], [truth])
    assert "outputs" in exact([], [], [truth])


X = torch.tensor([[3.0, 1.0, 3.0, 2.0], [0.0, -1.0, -2.0, -3.0]])


def judge_topk(indices, x=X, values=None):
    expected = torch.topk(x.double(), 2)
    indices = torch.tensor(indices)
    values = x.gather(-1, indices.long().clamp(0, 3)) if values is None else values
    return topk([values, indices], [x, 2], [expected.values, expected.indices])


def test_topk_accepts_the_answer_with_ties_in_either_order():
    assert judge_topk([[0, 2], [0, 1]]) is None
    assert judge_topk([[2, 0], [0, 1]]) is None


@pytest.mark.parametrize(
    ("indices", "fault"),
    [
        ([[0, 3], [0, 1]], "values"),
        ([[0, 0], [0, 1]], "twice"),
        ([[0, 4], [0, 1]], "range"),
        ([[0, -2], [0, 1]], "range"),
        ([[0, 1], [0, 1]], "points at another"),
        ([[0.0, 2.0], [0.0, 1.0]], "float32"),
    ],
)
def test_topk_rejects_indices_that_do_not_hold_the_values(indices, fault):
    right = torch.tensor([[3.0, 3.0], [0.0, -1.0]])
    assert fault in judge_topk(indices, values=None if fault == "values" else right)


def test_topk_rejects_nan_values_and_accepts_those_of_the_answer():
    nan = torch.full((2, 2), math.nan)
    assert "values" in judge_topk([[0, 2], [0, 1]], values=nan)
    x = X.clone()
    x[:, 1] = math.nan
    assert judge_topk([[1, 0], [1, 0]], x=x) is None


def test_topk_in_any_order_holds_the_values_alone_to_the_answer():
    x = torch.tensor([[1.0, math.nan, 3.0, -math.inf]])
    for largest, kept in ((True, [2, 1]), (False, [0, 3])):
        expected = list(torch.topk(x.double(), 2, largest=largest))
        for order, sorted in (kept, False), (kept[::-1], True):
            indices = torch.tensor([order])
            arguments = [x, 2, largest, sorted]
            assert topk([x.gather(-1, indices), indices], arguments, expected) is None
        backwards = torch.tensor([kept])
        outputs = [x.gather(-1, backwards), backwards]
        assert "values" in topk(outputs, [x, 2, largest, True], expected)
        other = torch.tensor([[0, 2]])
        assert "values" in topk([x.gather(-1, other), other], [x, 2, largest, False], expected)


def test_topk_wants_indices_of_64_bits():
    expected = torch.topk(X.double(), 2)
    outputs = [expected.values.float(), expected.indices.int()]
    assert "int32" in topk(outputs, [X, 2], list(expected))


def test_topk_wants_each_zero_with_its_sign():
    x = torch.tensor([[-0.0, -1.0]])
    expected = torch.topk(x.double(), 1)
    assert topk([-torch.zeros(1, 1), expected.indices], [x, 1], list(expected)) is None
    assert "sign" in topk([torch.zeros(1, 1), expected.indices], [x, 1], list(expected))


def round_by(truth, dtype, draw):
    low, high = neighbours(truth, dtype)
    up = (truth - low) / (high - low)
    return torch.where(draw(up), high, low).to(dtype)


def stochastic(up):
    return torch.rand(up.shape, generator=torch.Generator().manual_seed(1)) < up


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("size", [1, 30, 20_000])
def test_unbiased_accepts_stochastic_rounding(dtype, size):
    truth = random(size).double()
    assert unbiased([round_by(truth, dtype, stochastic)], [], [truth]) is None


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda up: up > 0.5, id="to nearest"),
        pytest.param(lambda up: up > 2, id="down"),
        pytest.param(lambda up: stochastic(torch.full_like(up, 0.5)), id="coin"),
        pytest.param(lambda up: stochastic(up + 0.05), id="five percent too often up"),
    ],
)
def test_unbiased_rejects_other_roundings(dtype, draw):
    truth = random(20_000).double()
    assert unbiased([round_by(truth, dtype, draw)], [], [truth])


def test_unbiased_rejects_rounding_toward_zero():
    truth = random(20_000).double()
    low, high = neighbours(truth, torch.bfloat16)
    toward_zero = torch.where(truth > 0, low, high).to(torch.bfloat16)
    assert "zero" in unbiased([toward_zero], [], [truth])


@pytest.mark.parametrize("wrong", [0.0, math.nan, math.inf])
def test_unbiased_rejects_a_single_number_that_is_no_neighbour(wrong):
    truth = random(1000).double()
    output = round_by(truth, torch.bfloat16, stochastic)
    output[500] = wrong
    assert unbiased([output], [], [truth])


def test_unbiased_wants_nan_where_the_answer_is_nan():
    truth = torch.tensor([math.nan, 1.0], dtype=torch.float64)
    assert unbiased([truth.bfloat16()], [], [truth]) is None
    assert "NaN" in unbiased([torch.ones(2).bfloat16()], [], [truth])


@pytest.mark.parametrize("dtype", HALVES)
def test_neighbours_enclose_every_number_with_nothing_between(dtype):
    truth = torch.cat([random(2000).double(), 1e-6 * random(2000).double(), torch.zeros(1)])
    low, high = neighbours(truth, dtype)
    assert bool(((low <= truth) & (truth <= high)).all())
    middle = ((low + high) / 2).to(dtype).double()
    assert bool(((middle == low) | (middle == high)).all())


def test_a_number_of_the_dtype_is_both_its_neighbours():
    truth = torch.tensor([1.0, -0.5, 0.0], dtype=torch.float64)
    low, high = neighbours(truth, torch.float16)
    assert torch.equal(low, truth)
    assert torch.equal(high, truth)
