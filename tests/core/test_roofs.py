import pytest

from warpbook.core.cost import Cost, OtherUnit
from warpbook.core.roofs import Peaks, Roofs, floor, impossible_below_us, memory_us

PEAKS = Peaks(bytes_per_s=4e12, rates={"fp32": 5e13}, cache_bytes=10**6)
ROOFS = Roofs(
    device="cuda",
    copy_bytes_per_s=2e12,
    read_bytes_per_s=4e12,
    write_bytes_per_s=1e12,
    rates={"fp32": 1e13, "tf32 matrix": 1e14},
    launch_us=1.0,
    peaks=PEAKS,
)


def test_equal_reads_and_writes_move_at_the_copy_rate():
    assert memory_us(Cost(10**9, 10**9), ROOFS) == pytest.approx(1000)


def test_what_is_only_read_moves_at_the_read_rate():
    assert memory_us(Cost(4 * 10**9, 0), ROOFS) == pytest.approx(1000)


def test_what_is_only_written_moves_at_the_write_rate():
    assert memory_us(Cost(0, 10**9), ROOFS) == pytest.approx(1000)


def test_bytes_beyond_a_balanced_copy_move_at_the_rate_of_their_own_direction():
    assert memory_us(Cost(5 * 10**9, 10**9), ROOFS) == pytest.approx(2000)


def test_a_large_copy_is_bound_by_memory():
    least = floor(Cost(10**9, 10**9, {"fp32": 1e6}), ROOFS)
    assert (least.us, least.binds) == (pytest.approx(1000), "memory")


def test_many_operations_bind_before_memory():
    least = floor(Cost(10**6, 10**6, {"fp32": 1e10}), ROOFS)
    assert (least.us, least.binds) == (pytest.approx(1000), "fp32")


def test_no_floor_is_under_an_empty_kernel():
    least = floor(Cost(4, 4, {"fp32": 1}), ROOFS)
    assert (least.us, least.binds) == (1.0, "launch")


def test_a_unit_without_a_rate_sets_no_floor():
    assert floor(Cost(10**9, 10**9, {"fp4 matrix": 1e30}), ROOFS).binds == "memory"


def test_reads_cannot_beat_the_memory_peak():
    assert impossible_below_us(Cost(4 * 10**6, 0), PEAKS) == pytest.approx(1)


def test_writes_that_fit_in_the_cache_may_still_be_there_when_a_kernel_ends():
    assert impossible_below_us(Cost(0, 10**6), PEAKS) == 0
    assert impossible_below_us(Cost(0, 5 * 10**6), PEAKS) == pytest.approx(1)


def test_operations_cannot_beat_the_peak_rate():
    assert impossible_below_us(Cost(8, 8, {"fp32": 5e10}), PEAKS) == pytest.approx(1000)


def test_a_unit_without_a_peak_convicts_nobody():
    assert impossible_below_us(Cost(0, 0, {"fp4 matrix": 1e30}), PEAKS) == 0


def test_a_floor_says_what_each_roof_alone_would_take():
    least = floor(Cost(10**9, 10**9, {"fp32": 1e9}), ROOFS)
    assert least.by_roof_us == {"memory": 1000.0, "launch": 1.0, "fp32": pytest.approx(100.0)}


def test_a_rung_on_another_unit_has_the_floor_of_that_unit():
    cost = Cost(10**6, 10**6, {"fp32": 1e10})
    least = floor(cost, ROOFS, OtherUnit("tf32 matrix", 3))
    assert (least.us, least.binds) == (pytest.approx(300), "tf32 matrix")
    assert least.by_roof_us["fp32"] == pytest.approx(1000), "the problem's own roof is told too"


def test_a_unit_that_the_device_does_not_have_leaves_the_floor_as_it_is():
    cost = Cost(10**6, 10**6, {"fp32": 1e10})
    assert floor(cost, ROOFS, OtherUnit("fp8 matrix", 3)) == floor(cost, ROOFS)
