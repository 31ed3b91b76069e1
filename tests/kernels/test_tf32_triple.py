"""Three TF32 products: what is rewritten before them, and numbers that TF32 cannot hold."""

import pytest
import torch

from warpbook.core.workload import Workload
from warpbook.kernels.matmul.rungs import tf32_triple
from warpbook.kernels.shelf import load_problem
from warpbook.kernels.tensor_map import fits
from warpbook.measure.check import Checker


def test_the_rows_of_a_copy_can_be_read_by_the_copy_engine():
    for shape in ((1, 1), (3, 5), (63, 4097)):
        copies = tf32_triple.room_for(torch.empty(shape), 2)
        assert copies.shape == (2, *shape)
        assert fits(copies[0])
        assert fits(copies[1])


def test_the_smaller_matrix_is_split_where_both_lie_right():
    few, many = torch.empty(128, 512), torch.empty(4096, 512)
    assert tf32_triple.moved(many, few.t()) < tf32_triple.moved(few, many.t())


def test_a_matrix_that_lies_right_is_not_copied():
    right = torch.empty(512, 512)
    turned = torch.empty(512, 512).t()
    assert tf32_triple.moved(right, right) == 3 * right.numel()
    assert tf32_triple.moved(turned, right) > tf32_triple.moved(right, turned)


@pytest.mark.gpu
@pytest.mark.parametrize(("a_power", "b_power"), [(-140, 100), (100, -140), (-63, -63), (60, 60)])
def test_numbers_of_any_size_keep_all_their_bits(a_power, b_power):
    """Subnormal ones, and those whose results TF32's sums cannot hold once they are scaled."""
    generator = torch.Generator("cuda").manual_seed(0)
    a, b = (
        (torch.randn(256, 256, device="cuda", generator=generator).double() * 2.0**power).float()
        for power in (a_power, b_power)
    )
    checker = Checker(load_problem("matmul"), Workload("scaled", (256, 256, 256), "float32"))
    assert checker.add([tf32_triple.matmul(a, b)], [a, b]) is None


@pytest.mark.gpu
def test_one_number_that_is_not_finite_stays_in_its_row():
    generator = torch.Generator("cuda").manual_seed(0)
    a, b = torch.randn(2, 300, 300, device="cuda", generator=generator)
    a[7, 9] = torch.inf
    c = tf32_triple.matmul(a, b)
    assert torch.equal(c[7], torch.where(b[9] > 0, torch.inf, -torch.inf))
    assert bool(c[:7].isfinite().all())
    assert bool(c[8:].isfinite().all())
