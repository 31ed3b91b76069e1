"""Where rows lie, against a list of every element's address."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.kernels.held_row import ALIGNED, ALIKE, APART
from warpbook.kernels.ops.memory import (
    Rows,
    alignment,
    elements_of,
    readable,
    rows_of,
    step_of,
    when_contiguous,
    writable,
)

BUFFER = torch.zeros(20_000)


@st.composite
def views(draw):
    """Any view of a buffer, with sizes of 1 and strides of 0 among them."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    strides = draw(st.lists(st.sampled_from([0, 1, 2, 3, 4, 8, 12, 16]), min_size=4, max_size=4))
    return BUFFER.as_strided(sizes, strides[: len(sizes)], draw(st.integers(0, 50)))


def addresses(tensor):
    places = torch.arange(len(BUFFER)).as_strided(
        tensor.shape, tensor.stride(), tensor.storage_offset()
    )
    return (BUFFER.data_ptr() + places.flatten() * 4).tolist()


def addresses_in(rows):
    return [
        rows.start + (row * rows.step + column) * rows.itemsize
        for row in range(rows.rows)
        for column in range(rows.columns)
    ]


@settings(deadline=None)
@given(views())
def test_rows_are_where_the_elements_are(tensor):
    rows = rows_of(tensor)
    if rows is not None:
        assert addresses_in(rows) == addresses(tensor)


@settings(deadline=None)
@given(views())
def test_elements_are_where_they_are(tensor):
    elements = elements_of(tensor)
    if elements is not None:
        assert addresses_in(elements) == addresses(tensor)


def test_the_views_people_take_are_told_in_one_step():
    x = torch.zeros(6, 4, 16)
    told = {
        "whole": (x, 16),
        "cut": (x[..., 3:9], 16),
        "every other row": (x[:, ::2, :], 32),
        "one row each": (x[:, 1], 64),
        "a row": (x[2, 1], 16),
        "repeated": (x[0, 0].expand(5, 16), 0),
        "one column": (x[..., 5:6], 16),
    }
    assert {name: step_of(view) for name, (view, _) in told.items()} == {
        name: step for name, (_, step) in told.items()
    }
    not_told = (x[..., ::2], x.mT, x[:, 1:], x.permute(1, 0, 2))
    assert [step_of(view) for view in not_told] == [None] * len(not_told)


def test_a_tensor_without_dimensions_is_a_row_of_one():
    x = torch.tensor(3.0)
    assert rows_of(x) == Rows(x.data_ptr(), 1, 1, 1, 4)


@settings(deadline=None)
@given(views(), views())
def test_what_overlaps_is_never_missed(first, second):
    one, other = rows_of(first), rows_of(second)
    if one is None or other is None:
        return
    if set(addresses(first)) & set(addresses(second)):
        assert one.overlaps(other)
        assert other.overlaps(one)


def test_what_lies_between_each_other_does_not_overlap():
    x = torch.zeros(6, 10)
    left, right, middle = (rows_of(x[:, a:b]) for a, b in ((0, 4), (4, 10), (3, 6)))
    assert not left.overlaps(right)
    assert not right.overlaps(left)
    assert left.overlaps(middle)
    assert middle.overlaps(right)


def test_a_copy_is_read_only_where_it_must_be():
    x = torch.arange(24.0).view(4, 6)
    assert readable(x[:, 2:])[0].data_ptr() == x[:, 2:].data_ptr()
    copy, rows = readable(x[:, ::2])
    assert torch.equal(copy, x[:, ::2])
    assert rows == rows_of(copy)


def test_another_tensor_is_written_only_where_it_must_be():
    x = torch.zeros(4, 6)
    left, right = x[:, :3], x[:, 3:]
    assert writable(x, [], [])[0] is x
    assert writable(x, [rows_of(x)], [])[0] is x
    assert writable(left, [rows_of(right)], [])[0] is left
    for tensor, read, shared in (
        (x, [x[:3]], []),
        (x, [left], []),
        (x, [], [x[0]]),
        (x.mT, [], []),
        (torch.zeros(6).expand(4, 6), [], []),
    ):
        other, rows = writable(tensor, [*map(rows_of, read)], [*map(rows_of, shared)])
        assert other.is_contiguous()
        assert other.data_ptr() != tensor.data_ptr()
        assert rows == rows_of(other)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40)), min_size=1, max_size=4),
    st.integers(1, 40),
    st.integers(1, 5),
    st.sampled_from([2, 4]),
    st.integers(0, 8),
)
def test_alignment_is_that_of_every_row(places, columns, count, itemsize, offset):
    matrices = [Rows(a * itemsize, count, columns, columns + b, itemsize) for a, b in places]
    vectors = [Rows(offset * itemsize, 1, columns, columns, itemsize)]
    found = alignment(matrices, vectors)
    starts = [{(m.start + row * m.step * itemsize) % 16 for m in matrices} for row in range(count)]
    if found == ALIGNED:
        assert starts == [{0}] * count
        assert columns * itemsize % 16 == vectors[0].start % 16 == 0
    if found == ALIKE:
        assert all(len(of_row) == 1 for of_row in starts)


def test_torch_s_own_allocations_are_aligned_as_contiguous_ones_are():
    for columns, dtype in ((8, torch.float32), (3, torch.float32), (12, torch.bfloat16)):
        x, y, weight = (torch.zeros(n, columns, dtype=dtype) for n in (5, 5, 1))
        found = alignment([rows_of(x), rows_of(y)], [rows_of(weight)])
        assert found == when_contiguous(columns, dtype)
    assert when_contiguous(8, torch.float32) == ALIGNED
    x = torch.zeros(4, 9)
    assert alignment([rows_of(x[:, 1:]), rows_of(torch.zeros(4, 8))], []) == APART
