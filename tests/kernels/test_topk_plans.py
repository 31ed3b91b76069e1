"""How the top rung of topk cuts rows up, at any size, and that a block can do what it is told."""

from itertools import product

import pytest

from warpbook.kernels.topk import plans
from warpbook.kernels.topk.plans import Plan, Short, by_radix, plan, power_of_two, short

SMS = 132
ROWS = (1, 3, 64, 131, 133, 1024, 8192, 10**6)
COLUMNS = (1, 2, 33, 64, 255, 1024, 1025, 5000, 8192, 65536, 151936, 262144, 2_000_003)
KS = (1, 2, 8, 50, 64, 128, 129, 256, 1000, 1024)
CASES = [
    (rows, columns, k, itemsize)
    for rows, columns, k, itemsize in product(ROWS, COLUMNS, KS, (2, 4))
    if k <= columns
]


def all_plans() -> list[tuple[tuple[int, int, int, int], Plan]]:
    return [(case, plan(*case, SMS)) for case in CASES]


def test_a_block_is_whole_warps_and_no_larger_than_its_kernel_is_compiled_for():
    for case, p in all_plans():
        assert p.threads in range(32, p.kind.most + 1, 32), case


def test_lists_fit_into_shared_memory_as_often_as_the_plan_says():
    for case, p in all_plans():
        assert p.shared_bytes + plans.FIXED <= plans.SHARED, case
        assert p.resident * (p.shared_bytes + plans.FIXED) <= plans.SHARED, case


def test_as_many_candidates_as_are_sorted_find_four_places_in_each_thread():
    for case, p in all_plans():
        k, itemsize = case[2], case[3]
        if k > plans.RANKED:
            assert 4 * p.threads >= power_of_two(k), case
            assert 20 * p.aside >= 2 * itemsize * power_of_two(k), case


def test_after_the_best_k_there_is_room_for_a_vector_of_every_thread_or_for_the_whole_row():
    for case, p in all_plans():
        _, columns, k, itemsize = case
        assert p.room >= min(columns, k + p.threads * 16 // itemsize) + 16, case


def test_the_first_chunk_of_a_longer_row_has_k_elements():
    for case, p in all_plans():
        _, columns, k, itemsize = case
        chunk = p.threads * p.kind.loads * 16 // itemsize
        assert chunk >= min(k, columns), case


def test_lists_start_on_multiples_of_16_bytes():
    for case, p in all_plans():
        assert p.aside % 4 == p.room % 4 == p.lot % 4 == 0, case


def test_the_first_block_of_a_cluster_has_room_for_the_k_best_of_each():
    for case, p in all_plans():
        assert p.cluster == 1 or p.lot >= case[2], case


def test_few_long_rows_get_a_cluster_and_many_do_not():
    assert plan(1, 262144, 64, 4, SMS).cluster > plan(64, 151936, 50, 4, SMS).cluster > 1
    assert plan(1024, 131072, 64, 4, SMS).cluster == 1
    assert plan(1, 64, 8, 4, SMS).cluster == 1


def test_a_cluster_never_needs_more_blocks_than_run_at_once():
    for case, p in all_plans():
        assert p.cluster == 1 or p.cluster * case[0] <= SMS * p.resident, case


def test_a_kernel_has_code_for_all_rows_and_chunks_that_its_blocks_get():
    for shape, p in all_plans():
        rows, columns, k, itemsize = shape
        made_for = plans.case(*shape, SMS, p)
        assert made_for.clustered == (p.cluster > 1), shape
        assert made_for.one_row == (p.at_once(rows, SMS) == rows), shape
        chunk = p.threads * p.kind.loads * 16 // itemsize * p.cluster
        assert not made_for.one_chunk or columns < chunk + 16 // itemsize * p.cluster, shape
        assert made_for.few == (k <= plans.RANKED), shape


@pytest.mark.parametrize(
    ("columns", "each"), [(17, 2), (64, 2), (65, 4), (128, 4), (256, 8), (512, 16)]
)
def test_a_warp_has_place_for_all_of_a_row(columns, each):
    assert short(8192, columns, 1, SMS) == Short("picked_rows", each, 2048, 128)
    assert short(8192, columns, min(columns, 128), SMS) == Short("short_rows", each, 2048, 128)


def test_few_short_rows_are_ranked_by_blocks_that_have_each_number_once():
    for rows, columns in ((1, 1), (1, 33), (64, 256), (8, 1024), (100, 64)):
        chosen = short(rows, columns, 1, SMS)
        assert chosen.name == "ranked_rows"
        each = chosen.blocks // rows * chosen.threads // chosen.number
        assert columns <= each < columns + chosen.threads // chosen.number


def test_a_few_of_longer_rows_are_not_picked_one_by_one():
    assert short(8192, 1024, 8, SMS) is short(8192, 256, 9, SMS) is None
    assert short(300, 1024, 1, SMS) is short(8192, 2048, 1, SMS) is None


def test_a_lane_sorts_more_than_8_elements_only_for_a_k_that_radix_is_not_given():
    assert short(8192, 512, 128, SMS).number == 16
    assert short(8192, 512, 129, SMS) is short(8192, 1024, 1024, SMS) is None


@pytest.mark.parametrize(
    ("rows", "columns", "k", "itemsize"),
    [
        (8192, 8192, 1024, 2),
        (8192, 2048, 1024, 4),
        (8192, 1024, 256, 4),
        (1024, 262144, 1024, 4),
        (64, 1024, 256, 4),
        (1, 1025, 129, 2),
    ],
)
def test_a_large_k_of_a_row_that_a_block_has_is_left_to_radix(rows, columns, k, itemsize):
    assert short(rows, columns, k, SMS) is None
    assert by_radix(k, plan(rows, columns, k, itemsize, SMS))


def test_a_small_k_and_a_row_that_a_cluster_has_are_not_left_to_radix():
    for rows, columns, k in ((8192, 8192, 128), (64, 1024, 64), (1, 262144, 1024)):
        assert not by_radix(k, plan(rows, columns, k, 4, SMS))
