"""How the top rung of matmul_bf16 is cut: every plan covers the product once, fits the device, and
is told in words."""

import itertools

import pytest

from warpbook.kernels.matmul_bf16 import plans

SMS = 132
SIZES = (1, 16, 63, 64, 100, 129, 256, 1000, 9216, 151936)
DEPTHS = (1, 64, 100, 2560, 14336)
FEW = 64  # rows


def each_plan():
    for m, n, k in itertools.product(SIZES, SIZES, DEPTHS):
        yield (m, n, k), plans.plan(m, n, k, SMS)


def parts(plan, worker):
    """As the kernel has it: (unit, first step, steps) of each part that a worker does."""
    units = range(worker, plan.whole, plan.workers)
    yield from ((unit, 0, plan.steps) for unit in units)
    at = worker * plan.share
    end = min(at + plan.share, (plan.units - plan.whole) * plan.steps)
    while at < end:
        unit, first = divmod(at, plan.steps)
        count = min(plan.steps - first, end - at)
        yield plan.whole + unit, first, count
        at += count


def test_every_step_of_every_unit_is_done_once():
    for (m, n, k), plan in each_plan():
        if plan.units * plan.steps > 8_000:
            continue
        done = [
            (unit, step)
            for worker in range(plan.workers)
            for unit, first, count in parts(plan, worker)
            for step in range(first, first + count)
        ]
        assert len(done) == len(set(done)) == plan.units * plan.steps, (m, n, k, plan)


def test_the_units_cover_the_product():
    for (m, n, k), plan in each_plan():
        rows, columns = (n, m) if plan.swapped else (m, n)
        assert plan.tall * plan.tile.rows * plan.tile.cluster >= rows
        assert plan.wide * plan.tile.columns >= columns
        assert plan.steps * plans.STEP * plan.tile.depth >= k


def test_a_worker_leaves_at_most_two_sums_for_others():
    for case, plan in each_plan():
        for worker in range(plan.workers if plan.share else 0):
            shared = [count for _, _, count in parts(plan, worker) if count < plan.steps]
            assert len(shared) <= 2, (case, plan)


def test_every_plan_can_be_launched():
    for case, plan in each_plan():
        if plan.tile.split == 1:  # blocks that stay; a tile that is split has a cluster of its own
            assert 1 <= plan.blocks <= SMS, case
        assert plan.blocks % plan.tile.cluster == 0, case
        shared = plan.units - plan.whole if plan.share else 0
        assert shared * plan.tile.cluster <= plans.TICKETS, case


@pytest.mark.parametrize("q_across", [False, True])
@pytest.mark.parametrize("tile", plans.TILES, ids=lambda t: f"{t.rows}x{t.columns}x{t.split}")
def test_every_tile_fits_a_multiprocessor(tile, q_across):
    if q_across and tile.columns < 64:
        return  # such a Q is copied to lie along k
    assert tile.shared(q_across) <= plans.SHARED_MEMORY
    assert tile.stages(q_across) >= 3
    assert tile.stage(q_across) % (1024 * tile.depth) == 0
    assert tile.width % tile.stored_at_once == 0
    # What blocks add up in shared memory lies where the stages were.
    assert tile.split == 1 or tile.rows * tile.columns * 4 <= tile.stages(q_across) * tile.stage(
        q_across
    )


def test_more_work_never_takes_less_time():
    for (m, n, k), plan in each_plan():
        assert plans.plan(m, n, 2 * k, SMS).us >= plan.us, (m, n, k)
        if m > FEW:  # fewer rows have tiles of their own
            assert plans.plan(2 * m, n, k, SMS).us >= 0.98 * plan.us, (m, n, k)


def test_no_plan_is_said_to_beat_the_device():
    """Its memory, and what its matrix units are known to reach."""
    for (m, n, k), plan in each_plan():
        assert plan.us >= 2 * (m * k + n * k + m * n) / 4.8e6
        assert plan.us >= 2 * m * n * k / 990e6


def test_few_rows_are_the_columns_of_a_swapped_product():
    assert plans.plan(8, 4096, 4096, SMS).swapped
    assert not plans.plan(4096, 4096, 4096, SMS).swapped
    assert not plans.plan(4096, 8, 4096, SMS).swapped


def test_few_tiles_divide_k_and_many_do_not():
    assert plans.plan(16, 4096, 14336, SMS).tile.split > 1
    assert plans.plan(256, 4096, 14336, SMS).share
    assert not plans.plan(4096, 4096, 64, SMS).share


def test_a_tile_is_taken_that_leaves_few_multiprocessors_idle():
    """9216 columns and 256 rows are 128 tiles of 128x144, or 72 of 128x256."""
    assert plans.plan(256, 9216, 2560, SMS).blocks == 128


def test_a_plan_is_told_in_words():
    assert "128x256 tiles on 132 blocks in 3.9 waves, no split" in str(
        plans.plan(4096, 4096, 4096, SMS)
    )
    few = str(plans.plan(16, 4096, 14336, SMS))
    assert "split between 2" in few
    assert "swapped" in few
    assert "shared out" in str(plans.plan(256, 4096, 14336, SMS))


def test_a_b_that_comes_in_slabs_of_64_columns_is_not_cut_within_one():
    assert plans.plan(5120, 5120, 5120, SMS).tile.columns == 144
    for m, n, k in itertools.product(SIZES, SIZES, DEPTHS):
        tile = plans.plan(m, n, k, SMS, b_across=True).tile
        assert tile.sideways or tile.columns % 64 == 0, (m, n, k)
