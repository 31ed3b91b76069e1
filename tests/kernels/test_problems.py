import ast
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
import torch

from warpbook.kernels.library import problem_names
from warpbook.kernels.problem import as_list
from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.measure.check import Checker

PROBLEMS = {name: load_problem(name) for name in problem_names()}
# A detour through the dtype one is already in is none.
HARMLESS = {
    ("float16_detour", "float16"),
    ("bfloat16_detour", "bfloat16"),
    ("float16_sum", "float16"),
    ("bfloat16_sum", "bfloat16"),
}


def dtypes_of(problem):
    return sorted({workload.dtype for workload in problem.workloads})


def catching(problem, dtype=None):
    return [w for w in problem.workloads if not w.timed and dtype in (None, w.dtype)]


def judged(problem, workload, function):
    arguments, answered = posed(problem.name, workload)
    return Checker(answered, workload).add(as_list(function(*arguments)), arguments)


@lru_cache(maxsize=32)
def posed(name, workload):
    """The arguments, and the problem with what its reference says of them worked out once."""
    problem = PROBLEMS[name]
    arguments = problem.inputs(workload, torch.Generator().manual_seed(11))
    kinds = (torch.float64, torch.float32)
    answers = {dtype: tuple(problem.expected(arguments, dtype)) for dtype in kinds}
    return arguments, replace(problem, reference=lambda x, *_: answers[x.dtype])


def with_fewer_rows(workload):
    """8 rows of its columns, or 2^16 numbers: each row, or number, is judged by itself, and the
    budget hangs on the columns."""
    rows, *columns = workload.shape
    return replace(workload, shape=(min(rows, 8 if columns else 2**16), *columns))


def tensors(arguments):
    return [a for a in arguments if isinstance(a, torch.Tensor)]


@pytest.mark.parametrize(
    ("name", "mutant", "dtype"),
    [
        (name, mutant, dtype)
        for name, problem in PROBLEMS.items()
        for mutant in problem.mutants
        for dtype in dtypes_of(problem)
        if (mutant, dtype) not in HARMLESS
    ],
)
def test_every_mutant_is_rejected_in_every_dtype(name, mutant, dtype):
    problem = PROBLEMS[name]
    function = problem.mutants[mutant]
    verdicts = (judged(problem, workload, function) for workload in catching(problem, dtype))
    assert any(verdicts)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_grossly_wrong_answer_is_rejected_wherever_it_is_timed(name):
    problem = PROBLEMS[name]
    timed = [w for w in problem.workloads if "cpu" in w.timed_on]
    for workload in {(w.shape[1:], w.dtype): w for w in timed}.values():
        fewer = with_fewer_rows(workload)
        gross = ["zeros", "all_nan"]
        gross += ["float16_detour", "bfloat16_detour"] if workload.dtype == "float32" else []
        for mutant in gross:
            fault = judged(problem, fewer, problem.mutants[mutant])
            assert fault, (mutant, workload.name)


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name in PROBLEMS for dtype in dtypes_of(PROBLEMS[name])]
)
def test_a_dropped_tail_is_rejected_by_itself_on_a_sorted_or_odd_workload(name, dtype):
    problem = PROBLEMS[name]
    for mutant in (m for m in problem.mutants if m.startswith("dropped_tail")):
        workload = next(
            w
            for w in catching(problem, dtype)
            if w.shape[-1] % 64 and w.values in ("ascending", "normal") and w.shape[-1] > 1000
        )
        assert judged(problem, workload, problem.mutants[mutant]), (mutant, workload.name)


def test_a_sum_column_by_column_in_float32_is_within_softmaxs_budget():
    problem = PROBLEMS["softmax"]

    def column_by_column(x):
        weights = (x - x.amax(-1, keepdim=True)).exp()
        # numpy's running sum is made in float32, one addition after another.
        running = np.cumsum(weights.numpy(), axis=-1, dtype=np.float32)
        return weights / torch.from_numpy(running[:, -1:])

    for workload in problem.workloads:
        if workload.dtype == "float32" and workload.runs_on("cpu"):
            fewer = with_fewer_rows(workload) if workload.timed else workload
            assert judged(problem, fewer, column_by_column) is None, workload.name


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_workloads_are_named_apart_and_drawn_as_they_say(problem):
    assert len({w.name for w in problem.workloads}) == len(problem.workloads)
    for workload in catching(problem):
        drawn = tensors(problem.inputs(workload, torch.Generator().manual_seed(3)))
        m_n_k = problem.sizes == ("m", "n", "k")
        assert drawn[0].shape == (workload.shape[::2] if m_n_k else workload.shape)
        assert {tensor.dtype for tensor in drawn} == {getattr(torch, workload.dtype)}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_catching_workloads_have_the_sizes_values_and_layouts_that_break_kernels(problem):
    workloads = catching(problem)
    assert len(workloads) <= 24
    assert {1, 3, 63, 1000, 4097} <= {size for w in workloads for size in w.shape}
    assert {"huge", "tiny", "constant", "ascending", "descending", "nonfinite"} <= {
        w.values for w in workloads
    }
    assert {"strided", "padded"} <= {w.layout for w in workloads}
    for workload in workloads:
        drawn = tensors(problem.inputs(workload, torch.Generator().manual_seed(3)))
        assert max(tensor.numel() for tensor in drawn) <= 2**19, workload.name


def test_each_draw_differs_and_the_same_seed_draws_the_same():
    for problem in PROBLEMS.values():
        for workload in catching(problem):
            generator = torch.Generator().manual_seed(3)
            first = tensors(problem.inputs(workload, generator))
            second = tensors(problem.inputs(workload, generator))
            again = tensors(problem.inputs(workload, torch.Generator().manual_seed(3)))
            assert all(map(equal, first, again)), workload.name
            assert not all(map(equal, first, second)), workload.name


def equal(a, b):
    return torch.allclose(a, b, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_ladder_is_every_rung_on_file_with_an_idea_and_an_expectation(problem):
    files = {path.stem for path in (problem.folder / "rungs").glob("*.py")} - {"__init__"}
    assert files == set(problem.ladder) | set(problem.peers)
    lowest, *others = load_ladder(problem)
    assert lowest.expected_gain is None
    for rung in (lowest, *others):
        assert rung.idea, rung.name
        assert rung.language in ("torch", "triton", "cuda")
    for rung in others:
        assert rung.expected_gain is not None
        assert rung.expected_gain >= 1, rung.name


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_every_rung_of_our_own_takes_an_output_buffer(problem):
    """Other people's functions may have none; they return new tensors."""
    for rung in load_ladder(problem):
        if rung.name in problem.peers:
            continue
        tree = ast.parse(rung.path.read_text())
        (function,) = (
            n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == problem.name
        )
        assert function.args.args[-1].arg == "out", rung.name


def test_cost_counts_every_tensor_once():
    vector = PROBLEMS["vector_add"]
    cost = vector.cost(vector.workload("2^26-bf16"))
    assert (cost.bytes_read, cost.bytes_written) == (2 * 2 * 2**26, 2 * 2**26)
    softmax = PROBLEMS["softmax"]
    cost = softmax.cost(softmax.workload("64x8192-fp32"))
    assert cost.bytes_read == cost.bytes_written == 4 * 64 * 8192
    assert cost.operations == {"fp32": 5 * 64 * 8192}
