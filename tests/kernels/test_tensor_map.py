"""Which matrices the copy engine can read where they lie."""

import threading

import pytest
import torch

from warpbook.kernels.tensor_map import BYTES, fits, tensor_map


def matrix(rows, columns, dtype=torch.bfloat16, start=0, pitch=None):
    """With so many elements before the first, and from row to row."""
    pitch = pitch or columns
    memory = torch.empty(start + rows * pitch, dtype=dtype)
    return memory.as_strided((rows, columns), (pitch, 1), start)


@pytest.mark.parametrize("columns", [8, 64, 4096])
def test_rows_of_whole_16_bytes_fit(columns):
    assert fits(matrix(3, columns))
    assert fits(matrix(3, columns, torch.float32))


def test_columns_that_are_no_whole_16_bytes_fit_if_the_rows_start_at_such():
    assert fits(matrix(3, 5, pitch=8))
    assert not fits(matrix(3, 5))
    assert not fits(matrix(3, 12, pitch=12))
    assert fits(matrix(3, 12, torch.float32, pitch=12))


def test_a_start_between_multiples_of_16_bytes_does_not_fit():
    assert not fits(matrix(3, 64, start=1))
    assert fits(matrix(3, 64, start=8))


def test_neighbours_have_to_be_side_by_side():
    assert not fits(matrix(64, 32).t())
    assert not fits(matrix(4, 64)[:, ::2])
    assert fits(matrix(64, 32)[::2])


def test_one_row_for_all_does_not_fit():
    assert not fits(matrix(1, 64).expand(5, 64))


def test_a_single_column_has_no_neighbours():
    assert fits(matrix(5, 64)[:, :1])
    assert not fits(matrix(5, 1))


@pytest.mark.parametrize("shape", [(0, 8), (8, 0), (0, 0)])
def test_nothing_does_not_fit(shape):
    assert not fits(torch.empty(shape, dtype=torch.bfloat16))


@pytest.mark.gpu
def test_the_driver_writes_a_map_that_hangs_on_nothing_but_where_the_matrix_lies():
    there = torch.empty(100, 64, dtype=torch.bfloat16, device="cuda")
    found = tensor_map(there, (64, 64))
    assert len(found) == BYTES
    assert tensor_map(there.clone(), (64, 64)) != found
    assert tensor_map(there, (16, 64)) != found
    assert tensor_map(there.fill_(1), (64, 64)) == found


@pytest.mark.gpu
def test_the_driver_refuses_what_does_not_fit():
    with pytest.raises(RuntimeError, match="CUDA driver"):
        tensor_map(torch.empty(3, 5, dtype=torch.bfloat16, device="cuda"), (1, 5))


@pytest.mark.gpu
def test_a_thread_that_has_done_nothing_yet_can_have_one_written():
    there, found = torch.empty(24, 64, dtype=torch.bfloat16, device="cuda"), []
    thread = threading.Thread(target=lambda: found.append(tensor_map(there, (24, 64))))
    thread.start()
    thread.join()
    assert len(found[0]) == BYTES
