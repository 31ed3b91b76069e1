import math

import pytest
import torch

from warpbook.kernels.values import LAYOUTS, VALUES, draw, named

DTYPES = ["float32", "float16", "bfloat16"]


def drawn(dtype, values="normal", layout="contiguous", shape=(8, 300)):
    return draw(named(shape, dtype, values, layout), torch.Generator().manual_seed(2))


def test_a_name_says_what_is_not_ordinary():
    assert named((8192, 1024), "float32").name == "8192x1024-fp32"
    assert named((4097,), "bfloat16", "huge", "strided").name == "4097-huge-strided-bf16"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_moves_the_numbers_and_changes_none(layout):
    assert torch.equal(drawn("float16", layout=layout), drawn("float16"))


def test_layouts_have_the_strides_they_are_named_for():
    shape = (8, 300)
    assert drawn("float32", layout="contiguous", shape=shape).is_contiguous()
    assert drawn("float32", layout="transposed", shape=shape).stride() == (1, 8)
    assert drawn("float32", layout="strided", shape=shape).stride() == (605, 2)
    for columns in (300, 301):
        row_stride, column_stride = drawn("float32", "normal", "padded", (8, columns)).stride()
        assert column_stride == 1
        assert row_stride > columns
        assert row_stride % 2 == 1


@pytest.mark.parametrize("layout", ["padded", "strided"])
def test_reading_past_the_layout_meets_nan(layout):
    x = drawn("float32", layout=layout)
    everything = x.as_strided((x.untyped_storage().nbytes() // 4,), (1,), 0)
    assert int(everything.isfinite().sum()) == x.numel()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", [v for v in VALUES if v not in ("masked", "nonfinite")])
def test_contents_are_finite_where_no_infinity_is_named(dtype, values):
    assert bool(drawn(dtype, values).isfinite().all())


@pytest.mark.parametrize("dtype", DTYPES)
def test_contents_are_what_they_are_named_for(dtype):
    limits = torch.finfo(getattr(torch, dtype))
    huge = drawn(dtype, "huge").double().abs()
    assert limits.max / 4 < huge.max() < limits.max / 2
    assert 0 < drawn(dtype, "tiny").double().abs().max() <= limits.tiny
    assert drawn(dtype, "constant").unique().numel() == 1
    assert bool((drawn(dtype, "ascending").double().diff() >= 0).all())
    assert bool((drawn(dtype, "descending").double().diff() <= 0).all())
    large = drawn(dtype, "large").float()
    assert bool((large[0::2].exp() == math.inf).all())
    assert bool((large[1::2].exp() == 0).all())


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_rows_are_hidden_wholly_but_for_the_last_but_for_the_first_and_in_part(dtype):
    shown = drawn(dtype, "masked").isfinite()
    assert shown.sum(-1)[:3].tolist() == [0, 1, 1]
    assert bool(shown[1, -1])
    assert bool(shown[2, 0])
    assert 150 < int(shown[3].sum()) < 270


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonfinite_holds_nan_and_both_infinities(dtype):
    x = drawn(dtype, "nonfinite")
    assert bool(x.isnan().any())
    assert bool((x == math.inf).any())
    assert bool((x == -math.inf).any())
    assert int(x.isfinite().sum()) > 0.9 * x.numel()
