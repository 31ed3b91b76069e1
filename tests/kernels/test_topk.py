"""Special to topk: what its inputs are, no rows or no k, and the block that selects against a
bound."""

import itertools

import pytest
import torch

from warpbook.core.workload import Workload
from warpbook.kernels.shelf import load_problem
from warpbook.kernels.topk.problem import of
from warpbook.kernels.topk.rungs import partial, radix, sort, torch_topk
from warpbook.measure.check import Checker

PROBLEM = load_problem("topk")
DTYPES = ("float32", "float16", "bfloat16")
THREADS = (32, 128, 256, 1024)


def drawn(workload, device="cpu"):
    return PROBLEM.inputs(workload, torch.Generator(device).manual_seed(5))


def fault_of(workload, function, arguments=None, device="cpu"):
    """What is wrong with the outputs, which are poisoned before."""
    arguments = arguments or drawn(workload, device)
    x, k = arguments[:2]
    values = torch.full((len(x), k), torch.nan, dtype=x.dtype, device=device)
    out = values, torch.full((len(x), k), -1, device=device)
    function(*arguments, out=out)
    return Checker(PROBLEM, workload).add(list(out), arguments)


def test_a_workload_without_a_k_has_the_usual_one_or_all_columns():
    assert drawn(Workload("", (3, 100)))[1:] == (64, True, True)
    assert drawn(Workload("", (3, 40)))[1] == 40


def test_ties_are_many_and_zeros_have_both_signs():
    x = drawn(of((3, 1000), 5, "float32", "ties"))[0]
    assert len(x.unique()) < 20
    assert set(x[x == 0].signbit().tolist()) == {True, False}


def test_the_cost_is_one_reading_and_k_values_with_their_columns():
    cost = PROBLEM.cost(PROBLEM.workload("1024x131072-k64-bf16"))
    assert cost.bytes_read == 2 * 1024 * 131072
    assert cost.bytes_written == (2 + 8) * 1024 * 64


def test_the_check_says_what_is_wrong_with_each_kind_of_mutant():
    def said(mutant, workload):
        return fault_of(PROBLEM.workload(workload), into(PROBLEM.mutants[mutant]))

    assert "values" in said("half_keys", "3x1000-k300-tiny-fp32")
    assert "twice" in said("one_place_for_ties", "3x1000-k64-constant-bf16")
    assert "sign" in said("loses_the_sign_of_zero", "3x1000-k600-ties-fp16")
    assert "another value" in said("off_by_one", "3x1000-k100-huge-bf16")
    assert said("never_sorted", "3x1024-k1000-unsorted-fp32") is None


def into(function):
    def filled(*arguments, out):
        for buffer, found in zip(out, function(*arguments), strict=True):
            buffer.copy_(found) if buffer.dtype == found.dtype else buffer.fill_(-1)

    return filled


@pytest.mark.parametrize("module", [sort, torch_topk, partial, radix], ids=lambda m: m.__name__)
@pytest.mark.parametrize(("rows", "k"), [(0, 3), (4, 0), (0, 0)])
def test_no_rows_or_no_k_give_nothing(module, rows, k):
    values, indices = module.topk(torch.randn(rows, 5), k)
    assert values.shape == indices.shape == (rows, k)
    assert (values.dtype, indices.dtype) == (torch.float32, torch.int64)


def test_the_sort_takes_any_k():
    for largest, sorted in itertools.product((True, False), repeat=2):
        workload = of((2, 5000), 4999, "float32", largest=largest, sorted=sorted)
        assert fault_of(workload, sort.topk) is None


@pytest.mark.parametrize("module", [partial, radix], ids=lambda m: m.__name__)
def test_a_k_over_1024_is_left_to_the_sort(module):
    assert fault_of(of((2, 3000), 1025, "float32"), module.topk) is None


@pytest.mark.parametrize("itemsize", [2, 4])
def test_a_block_has_room_for_k_and_for_what_it_may_find_at_once(itemsize):
    vector = 16 // itemsize
    for k, threads, columns in itertools.product((1, 64, 1024), THREADS, (1024, 8192, 10**6)):
        room = radix.room_for(k, threads, vector, columns)
        assert room >= k + threads * vector + 2 * (vector - 1)
        assert 2 * (vector - 1) <= threads, "the ends of a row go one a thread"
        assert room < 2**16, "places are kept in 16 bits"
        assert 10 * room <= 128 * 1024


def test_short_rows_have_few_threads_and_few_long_rows_many():
    assert radix.threads_for(8192, 16, 8) == 32
    assert radix.threads_for(8192, 256, 1024) == 256
    assert radix.threads_for(8192, 2048, 64) == 128
    assert radix.threads_for(64, 2048, 64) == 256
    assert radix.threads_for(1, 65536, 64) == 1024


def tight(k, threads, vector, columns):
    """As little room as will do, so that a row's candidates are selected from again and again."""
    return k + threads * vector + 2 * vector


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("threads", THREADS)
def test_a_block_of_any_size_is_right_when_it_is_short_of_room(threads, dtype, monkeypatch):
    monkeypatch.setattr(radix, "threads_for", lambda *_: threads)
    monkeypatch.setattr(radix, "room_for", tight)
    kinds = ("normal", "ascending", "descending", "constant", "ties", "nonfinite")
    for values, (columns, k) in itertools.product(
        kinds, ((513, 8), (4097, 64), (9000, 1000), (40000, 1), (40000, 1024))
    ):
        for largest in (True, False):
            workload = of((5, columns), k, dtype, values, "padded", largest, sorted=largest)
            assert fault_of(workload, radix.topk, device="cuda") is None, workload.name


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_of_either_sign_and_any_payload_is_the_largest(dtype):
    kind = getattr(torch, dtype)
    bits = {2: torch.int16, 4: torch.int32}[kind.itemsize]
    x = torch.randn(3, 3000, device="cuda").to(kind)
    x[:, ::7] = -torch.inf
    infinity = torch.tensor([torch.inf], dtype=kind).view(bits).item()
    least = torch.iinfo(bits).min
    odd = torch.tensor([infinity + 1, infinity + 5 + least, -1], dtype=bits, device="cuda")
    x[:, [5, 1500, 2999]] = odd.view(kind)
    for largest, k in ((True, 3), (True, 40), (False, 2998), (False, 1000)):
        if k <= radix.MOST_K:
            workload = of((3, 3000), k, dtype, largest=largest)
            given = (x, k, largest, True)
            assert fault_of(workload, radix.topk, given, "cuda") is None, (largest, k)


@pytest.mark.gpu
def test_rows_of_nothing_but_nan_or_infinities():
    for value in (torch.nan, torch.inf, -torch.inf, 0.0, -0.0):
        x = torch.full((3, 20000), value, device="cuda")
        for largest, k in itertools.product((True, False), (1, 64, 1000)):
            workload = of((3, 20000), k, "float32", largest=largest)
            given = (x, k, largest, True)
            assert fault_of(workload, radix.topk, given, "cuda") is None, (value, largest, k)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_outputs_may_start_anywhere_and_lie_apart(dtype):
    kind = getattr(torch, dtype)
    for start, pad, columns in itertools.product((0, 1, 3), (0, 1, 8), (2, 31, 1000, 9001)):
        step = columns + pad
        room = torch.full((start + 4 * step,), torch.nan, dtype=kind, device="cuda")
        x = room.as_strided((4, columns), (step, 1), start).normal_()
        k = min(columns, 20)
        values = torch.full((4, 3 * k), torch.nan, dtype=kind, device="cuda")
        indices = torch.full((4, 2 * k), -1, device="cuda")
        out = values[:, k : 3 * k : 2], indices[:, ::2]
        radix.topk(x, k, out=out)
        workload = of((4, columns), k, dtype)
        assert Checker(PROBLEM, workload).add(list(out), (x, k, True, True)) is None
        assert bool(values[:, :k].isnan().all())
        assert bool((indices[:, 1::2] == -1).all())


@pytest.mark.gpu
def test_rows_may_be_one_and_the_same():
    x = torch.randn(1, 5000, device="cuda").expand(300, 5000)
    workload = of((300, 5000), 64, "float32")
    assert fault_of(workload, radix.topk, (x, 64, True, True), "cuda") is None
