"""Special to matmul: its scale, honest sums, its operands, and how its top rung is cut."""

import itertools

import pytest
import torch

from warpbook.core.workload import Workload
from warpbook.kernels.matmul import operands, plans
from warpbook.kernels.matmul.rungs import async_copies, cublas, naive
from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.measure.check import ALLOWANCE, Checker

PROBLEM = load_problem("matmul")
ON_CPU = [w for w in PROBLEM.workloads if w.runs_on("cpu")]
PROCESSORS = 132
WAYS = (plans.ALONG, plans.ACROSS, plans.BY_16)
SIZES = (1, 3, 63, 130, 1000, 4096, 8192, 151936)


def judged(workload, function):
    arguments = PROBLEM.inputs(workload, torch.Generator().manual_seed(5))
    return Checker(PROBLEM, workload).add([function(*arguments)], arguments)


def term_by_term(a, b):
    total = torch.zeros(len(a), b.shape[1])
    for column, row in zip(a.unbind(1), b.unbind(0), strict=True):
        total.addcmul_(column[:, None], row)
    return total


@pytest.mark.parametrize("workload", ON_CPU, ids=lambda w: w.name)
def test_a_sum_term_by_term_in_float32_is_within_budget(workload):
    assert judged(workload, term_by_term) is None


@pytest.mark.parametrize("workload", [w for w in ON_CPU if w.timed], ids=lambda w: w.name)
def test_tf32_does_not_pass_for_float32_wherever_it_is_timed(workload):
    assert judged(workload, PROBLEM.mutants["narrow_inputs"])


def test_a_large_product_has_no_more_than_the_checkers_own_allowance():
    for workload in PROBLEM.workloads:
        if "cuda" in workload.timed_on:
            assert Checker(PROBLEM, workload).growth == 1.0, workload.name
    assert ALLOWANCE == 4


def test_the_cost_is_two_operations_a_term_and_each_matrix_once():
    cost = PROBLEM.cost(PROBLEM.workload("1000x3000x5000-fp32"))
    assert cost.operations == {"fp32": 2 * 1000 * 3000 * 5000}
    assert cost.bytes_read == 4 * (1000 * 5000 + 5000 * 3000)
    assert cost.bytes_written == 4 * 1000 * 3000


def test_layouts_say_which_matrix_is_stored_column_by_column():
    def along(layout):
        arguments = PROBLEM.inputs(
            Workload("", (4, 6, 8), layout=layout), torch.Generator().manual_seed(1)
        )
        return [matrix.stride().index(1) for matrix in arguments]

    assert [along(name) for name in ("contiguous", "nt", "tn", "tt")] == [
        [1, 1], [1, 0], [0, 1], [0, 0],
    ]  # fmt: skip


BAD = [
    (torch.ones(3, 4), torch.ones(5, 6), ValueError),
    (torch.ones(4), torch.ones(4, 6), ValueError),
    (torch.ones(2, 3, 4), torch.ones(4, 6), ValueError),
    (torch.ones(3, 4).double(), torch.ones(4, 6), TypeError),
    (torch.ones(3, 4), torch.ones(4, 6).half(), TypeError),
    (torch.ones(3, 4, device="meta"), torch.ones(4, 6), ValueError),
]
OURS = [rung.name for rung in load_ladder(PROBLEM) if rung.name not in PROBLEM.peers]


@pytest.mark.parametrize(("a", "b", "error"), BAD)
@pytest.mark.parametrize("rung", [naive, async_copies])
def test_matrices_that_do_not_go_together_are_refused(rung, a, b, error):
    with pytest.raises(error):
        rung.matmul(a, b)


@pytest.mark.parametrize(
    "out",
    [torch.empty(3, 5), torch.empty(18), torch.empty(3, 6).half(), torch.empty(3, 6).to("meta")],
)
def test_an_out_of_another_kind_is_refused(out):
    with pytest.raises(ValueError, match="out is not"):
        async_copies.matmul(torch.ones(3, 4), torch.ones(4, 6), out=out)


@pytest.mark.parametrize("rung", [naive, async_copies, cublas])
@pytest.mark.parametrize(("m", "n", "k"), [(0, 4, 5), (3, 0, 5), (3, 4, 0), (0, 0, 0)])
def test_a_product_without_results_is_empty_and_one_without_terms_is_zero(rung, m, n, k):
    out = torch.full((m, n), torch.nan)
    assert rung.matmul(torch.ones(m, k), torch.ones(k, n), out=out) is out
    assert torch.equal(out, torch.zeros(m, n))


def test_rows_in_pieces_of_16_bytes_are_taken_as_they_lie_and_others_copied_with_zeros_behind():
    even = torch.randn(5, 8)
    assert operands.in_pieces(even) is even
    assert operands.begins_on_16_bytes(torch.randn(5, 12)[:, 4:])
    for odd in (torch.randn(5, 7), torch.randn(5, 9)[:, 1:], torch.randn(8, 5).t()):
        copy = operands.in_pieces(odd)
        assert torch.equal(copy, odd)
        assert copy.data_ptr() % 16 == 0
        assert copy.stride(0) % 4 == 0
        beyond = copy.as_strided((5, copy.stride(0)), copy.stride())[:, odd.shape[1] :]
        assert not beyond.any()


def each_plan():
    for m, n, k in itertools.product(SIZES, SIZES, (*SIZES, 2**31)):
        for a_way, b_way in itertools.product(WAYS, WAYS):
            yield (m, n, k), plans.plan(m, n, k, PROCESSORS, a_way, b_way)


def test_every_plan_covers_k_in_whole_stages_and_fits_on_a_multiprocessor():
    for (m, n, k), plan in each_plan():
        assert (plan.parts - 1) * plan.part < k <= plan.parts * plan.part, (m, n, k)
        assert plan.part % plan.tile.deep == 0
        assert plan.part < 2**31
        assert (plan.shared + 1024) * len(plan.tile.shares) <= 228 * 1024


def test_a_large_product_is_not_cut_along_k():
    for size in (2048, 4096, 8192):
        assert plans.plan(size, size, size, PROCESSORS, plans.BY_16, plans.BY_16).parts == 1


def test_few_tiles_and_a_long_k_keep_most_multiprocessors_busy():
    for m, n in ((1, 64), (64, 128), (128, 1024), (256, 256)):
        plan = plans.plan(m, n, 65536, PROCESSORS, plans.BY_16, plans.BY_16)
        tiles = -(-m // plan.tile.rows) * -(-n // plan.tile.columns)
        assert tiles * plan.parts > PROCESSORS // 3, (m, n)


def test_more_multiprocessors_are_never_slower_by_the_model():
    for m, n, k in itertools.product((63, 1000, 4096), (63, 1000, 4096), (63, 1000, 4096)):
        times = [
            plans.time_us(m, n, k, processors, plan.tile, plan.parts)
            for processors in (16, 66, 132)
            for plan in [plans.plan(m, n, k, processors, plans.BY_16, plans.BY_16)]
        ]
        assert times == sorted(times, reverse=True), (m, n, k)


@pytest.mark.parametrize(
    ("operand", "uses", "way", "as_it_is"),
    [
        (torch.empty(64, 128), 1, plans.BY_16, True),
        (torch.empty(64, 129), 1, plans.ACROSS, True),
        (torch.empty(128, 64).t(), 1, plans.ALONG, True),
        (torch.empty(64, 256)[:, ::2], 1, plans.ACROSS, False),
        (torch.empty(64, 129), 10**7, plans.BY_16, False),
    ],
)
def test_an_operand_is_copied_first_only_if_used_often_or_nowhere_in_a_row(
    operand, uses, way, as_it_is
):
    found = async_copies.way_of(operand, uses, 64, PROCESSORS)
    assert found == way
    laid = async_copies.laid(operand, found)
    assert (laid is operand) == as_it_is
    assert laid.shape == operand.shape
    assert 1 in laid.stride()


@pytest.mark.gpu
@pytest.mark.parametrize("tile", [plans.LARGE, plans.SMALL], ids=["large", "small"])
@pytest.mark.parametrize("parts", [1, 3])
def test_every_tile_is_right_with_nan_around_the_matrices(tile, parts, monkeypatch):
    def forced(m, n, k, *others):
        ways = plans.plan(m, n, k, *others)
        part = plans.terms(k, tile, parts)
        return plans.Plan(tile, -(-k // part), part, ways.a_way, ways.b_way)

    monkeypatch.setattr(async_copies, "plan", forced)
    monkeypatch.setattr(async_copies, "worth_laying", lambda *_: tile is plans.LARGE)
    for layout in ("contiguous", "nt", "tn", "tt", "padded", "strided"):
        for m, n, k in ((1, 1, 200), (130, 258, 65), (257, 63, 300), (128, 256, 96)):
            workload = Workload("", (m, n, k), layout=layout)
            arguments = PROBLEM.inputs(workload, torch.Generator("cuda").manual_seed(9))
            room = torch.full((m, n + 2), torch.nan, device="cuda")
            async_copies.matmul(*arguments, out=room[:, 1:-1])
            assert Checker(PROBLEM, workload).add([room[:, 1:-1]], arguments) is None, (layout, m)
            assert bool(room[:, [0, -1]].isnan().all())


@pytest.mark.gpu
def test_the_same_product_has_the_same_bits_every_time():
    a, b = torch.randn(130, 9000, device="cuda"), torch.randn(9000, 300, device="cuda")
    first = async_copies.matmul(a, b)
    for _ in range(5):
        assert torch.equal(async_copies.matmul(a, b), first)


@pytest.mark.gpu
@pytest.mark.parametrize("name", OURS)
def test_rows_of_the_product_may_lie_apart(name):
    module = __import__(f"warpbook.kernels.matmul.rungs.{name}", fromlist=["matmul"])
    a, b = torch.randn(70, 33, device="cuda"), torch.randn(33, 45, device="cuda")
    room = torch.full((70, 90), torch.nan, device="cuda")
    module.matmul(a, b, out=room[:, ::2])
    torch.testing.assert_close(room[:, ::2], a @ b)
    assert bool(room[:, 1::2].isnan().all())
