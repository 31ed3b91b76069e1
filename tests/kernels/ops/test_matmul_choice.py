"""Who makes a product, by the model alone: no GPU has a say in it."""

import pytest
import torch

from warpbook.kernels.ops.makers import MAKERS
from warpbook.kernels.ops.matmul_choice import (
    Product,
    estimates,
    matmul_choice,
    rounded,
)

SMS = 132
BF16, FP32 = torch.bfloat16, torch.float32


def chosen(m, n, k, dtype=BF16, wgmma=True, **kind):
    return matmul_choice(Product(m, n, k, dtype, **kind), SMS, wgmma)


@pytest.mark.parametrize("dtype", [BF16, torch.float16, FP32], ids=str)
def test_a_matrix_by_a_vector_is_gemv_s(dtype):
    assert chosen(1, 4096, 1024, dtype, layouts="nt").by == "gemv"
    assert chosen(4096, 1, 1024, dtype, layouts="nn").by == "gemv"
    assert chosen(4096, 1, 1024, dtype, layouts="tn").by != "gemv"
    assert chosen(1, 4096, 1024, dtype, layouts="nn").by != "gemv"
    assert chosen(1, 4096, 1024, dtype, layouts="nt", bias=True).by != "gemv"
    assert str(chosen(1, 9, 8, dtype, layouts="nt")).startswith("gemv: a is a vector, and")


def test_every_maker_there_is_can_be_chosen_and_the_other_way_about():
    found = {
        chosen(1, 64, 64, layouts="nt").by,
        *estimates(Product(8, 8, 8, BF16), SMS, True),
        *estimates(Product(8, 8, 8, FP32, precision="tf32x3"), SMS, True),
    }
    assert found == set(MAKERS)


@pytest.mark.parametrize("dtype", [BF16, FP32], ids=str)
@pytest.mark.parametrize("size", [1, 17, 256, 4096, 100_000])
def test_the_one_that_is_expected_to_be_quickest_is_chosen(size, dtype):
    product = Product(size, 4096, 2048, dtype, bias=True)
    expected = estimates(product, SMS, True)
    choice = matmul_choice(product, SMS)
    least = min(estimate.us for estimate in expected.values())
    assert expected[choice.by].us == least
    assert f"; {rounded(least)} us expected, " in choice.why


def test_an_activation_takes_a_pass_in_cublas_and_the_end_of_every_tile_in_ours():
    for m in (64, 1024, 8192):
        plain, active = (
            estimates(Product(m, 4096, 4096, BF16, activation=activation), SMS, True)
            for activation in (False, True)
        )
        passing = 2 + 2 * 2 * m * 4096 / 4.1e6
        assert active["cuBLAS"].us == pytest.approx(plain["cuBLAS"].us + passing)
        assert 2 <= active["specialised"].us - plain["specialised"].us < 1.1 * passing


def test_rows_that_start_anywhere_are_slow_in_cublas():
    assert chosen(1001, 5001, 3001, aligned=False).by == "specialised"


def test_ieee_is_not_left_to_a_torch_that_may_use_tf32():
    for m in (1, 64, 4096):
        choice = chosen(m, 4096, 4096, FP32, tf32=True)
        assert choice.by == "async_copies"
        assert "torch is told to use TF32" in choice.why


def test_three_products_of_tf32_only_where_they_are_asked_for():
    assert chosen(4096, 4096, 4096, FP32).by != "tf32_triple"
    assert chosen(4096, 4096, 4096, FP32, precision="tf32x3").by == "tf32_triple"


def test_without_the_matrix_instructions_of_hopper():
    assert chosen(4096, 4096, 4096, wgmma=False, activation=True).by == "cuBLAS"
    assert chosen(4096, 4096, 4096, FP32, wgmma=False, precision="tf32x3").by != "tf32_triple"
