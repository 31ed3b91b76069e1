"""What is handed to a kernel, quickly or the long way. The kernels here are numpy, told what a
GPU's would be, addresses and all, and the device is the CPU."""

import ctypes
from contextlib import nullcontext
from importlib import import_module

import numpy as np
import pytest
import torch
from ops_cases import CASES, as_tuple

from warpbook.kernels.held_row import ALIGNED, ALIKE, APART, Prepared
from warpbook.kernels.ops.direct import CONTIGUOUS, STRIDED
from warpbook.kernels.ops.rows import Pair
from warpbook.kernels.ops.warmup import ROWWISE

CPU = -1  # as a tensor on it numbers its device
softmax, norms, gemv, vector_add = (
    import_module(f"warpbook.kernels.ops.{name}")
    for name in ("softmax", "norms", "gemv", "vector_add")
)


def floats(address, count, step, columns=1):
    """The memory itself."""
    span = max((count - 1) * step + columns, 1)
    memory = np.ctypeslib.as_array((ctypes.c_float * span).from_address(address))
    return np.lib.stride_tricks.as_strided(memory, (count, columns), (step * 4, 4))


def add(device, blocks, a, b, c, size, *steps):
    assert blocks == -(-size // 100)
    left, right, total = (floats(*t) for t in zip((a, b, c), [size] * 3, steps, strict=True))
    total[:] = left + right


def multiply(device, blocks, matrix, vector, y, rows, columns, step, apart, y_step):
    assert (blocks, apart) == (5, 1)
    product = (floats(matrix, rows, step, columns) * floats(vector, 1, 1, columns)[0]).sum(-1)
    floats(y, rows, y_step)[:, 0] = product


def how(tensor):
    return CONTIGUOUS if tensor.is_contiguous() else STRIDED


@pytest.fixture(autouse=True)
def _cpu_for_a_gpu(monkeypatch):
    for module in (softmax, norms, gemv, vector_add):
        monkeypatch.setattr(module, "how_on_cuda", how)
        monkeypatch.setattr(module, "current", lambda: CPU)
    for module in (gemv, vector_add):
        monkeypatch.setattr(module, "usable", lambda device: True)
        monkeypatch.setattr(module, "at", lambda device: nullcontext())
    ready = {
        "add": vector_add.Launch(add, 100),
        "multiply": gemv.Launch(multiply, 5, 1),
    }
    monkeypatch.setattr(vector_add, "prepared", lambda *wanted: ready["add"])
    monkeypatch.setattr(vector_add, "LAUNCHES", {(CPU, torch.float32, True): ready["add"]})
    monkeypatch.setattr(gemv, "prepared", lambda *wanted: ready["multiply"])
    monkeypatch.setattr(gemv, "LAUNCHES", {(CPU, torch.float32, 6, 8): ready["multiply"]})


LAYOUTS = {
    "contiguous": lambda *shape: torch.randn(shape),
    "cut": lambda *shape: torch.randn(*shape[:-1], shape[-1] + 3)[..., 2:-1],
    "strided": lambda *shape: torch.randn(*shape, 2)[..., 1],
    "transposed": lambda *shape: torch.randn(shape[::-1]).permute(*range(len(shape))[::-1]),
    "misaligned": lambda *shape: torch.randn(torch.Size(shape).numel() + 1)[1:].view(shape),
}


@pytest.mark.parametrize("of_out", LAYOUTS)
@pytest.mark.parametrize("of_input", LAYOUTS)
@pytest.mark.parametrize("shape", [(5,), (6, 8), (2, 3, 4)], ids=str)
def test_vectors_are_added_whatever_their_strides(shape, of_input, of_out):
    a, b, out = LAYOUTS[of_input](*shape), torch.randn(shape), LAYOUTS[of_out](*shape)
    assert vector_add.fill(a, b, out)
    torch.testing.assert_close(out, a + b)
    torch.testing.assert_close(vector_add.vector_add(a, b), a + b)


@pytest.mark.parametrize("of_out", LAYOUTS)
@pytest.mark.parametrize("of_vector", LAYOUTS)
@pytest.mark.parametrize("of_matrix", LAYOUTS)
@pytest.mark.parametrize("shape", [(7,), (6, 8), (2, 3, 5)], ids=str)
def test_matrices_are_multiplied_whatever_their_strides(shape, of_matrix, of_vector, of_out):
    matrix, vector = LAYOUTS[of_matrix](*shape), LAYOUTS[of_vector](shape[-1])
    out = LAYOUTS[of_out](*shape[:-1]) if len(shape) > 1 else torch.empty(())
    assert gemv.fill(matrix, vector, out)
    torch.testing.assert_close(out, matrix @ vector)
    torch.testing.assert_close(gemv.gemv(matrix, vector), matrix @ vector)


def test_sums_and_products_overlap_what_they_come_from():
    buffer = torch.randn(9)
    expected = buffer[1:] + buffer[1:]
    vector_add.fill(buffer[1:], buffer[1:], buffer[:-1])
    torch.testing.assert_close(buffer[:-1], expected)
    matrix, vector = torch.randn(4, 4), torch.randn(4)
    expected = matrix @ vector
    gemv.fill(matrix, vector, vector)
    torch.testing.assert_close(vector, expected)
    expected = matrix @ vector
    gemv.fill(matrix, vector, matrix[1])
    torch.testing.assert_close(matrix[1], expected)


def test_a_product_over_no_columns_is_zero():
    out = torch.ones(3)
    assert gemv.fill(torch.empty(3, 0), torch.empty(0), out)
    assert not out.any()


@pytest.mark.parametrize("weights", [True, False], ids=["weights", "no weights"])
@pytest.mark.parametrize("rows", [2, 9])
@pytest.mark.parametrize("kernel", ROWWISE.values(), ids=lambda kernel: kernel.name)
def test_the_quick_way_hands_over_what_the_long_way_does(kernel, rows, weights, monkeypatch):
    case, columns = CASES[kernel.name], 8
    arguments = case.arguments((rows, columns))
    if not weights:
        arguments = arguments[: case.matrices]
    constants = {value: torch.full((columns,), value) for value in (0.0, 1.0)}
    kept = {(value, columns, torch.float32, CPU): of for value, of in constants.items()}
    monkeypatch.setattr(norms, "CONSTANTS", kept)
    handed = []

    def pair(name):
        few, many = (
            Prepared(lambda *given, name=name, few=few: handed.append((name, few, *given)), 2, 3, 4)
            for few in (True, False)
        )
        return Pair(5, few, many)

    monkeypatch.setitem(kernel.direct, (CPU, torch.float32, columns), pair("quick"))
    results = as_tuple(case.function(*arguments))
    vectors = [*arguments[case.matrices :], *(constants[v] for v in (1.0, 0.0)[: case.vectors])]
    long_way(kernel, pair("long"), arguments[: case.matrices], vectors[: case.vectors], results)
    quick, long = handed
    assert quick[1:3] == long[1:3] == (rows < 5, CPU)
    assert quick[3] == long[3] == 3 * min(-(-rows // 2), 4)
    used = [i for i, value in enumerate(long[4:]) if value]
    assert len(quick) == len(long) == 4 + len(kernel.codes)
    for i in used[: -kernel.numbers or None]:
        assert quick[4 + i] == long[4 + i], i
    assert kernel.numbers == 0 or quick[-1] == (1e-6 if "rms" in kernel.name else 1e-5)


def long_way(kernel, pair, read, shared, written):
    from warpbook.kernels.ops.memory import rows_of
    from warpbook.kernels.ops.rows import start

    places = [[rows_of(tensor) for tensor in tensors] for tensors in (read, shared, written)]
    numbers = [0.5] * kernel.numbers
    start(pair, CPU, len(read[0]), *kernel.arguments(*places, *numbers))


def quickly(kernel, monkeypatch, columns, aligned=None):
    """Every launch of the kernel is noted, and the long way is an error."""
    handed = []
    go = Prepared(lambda *given: handed.append(given), 1, 1, 100)
    if aligned is None:
        monkeypatch.setitem(kernel.direct, (CPU, torch.float32, columns), Pair(1, go, go))
    else:
        monkeypatch.setitem(kernel.pairs, (CPU, torch.float32, columns, aligned), Pair(1, go, go))
    return handed


@pytest.mark.parametrize("kernel", ROWWISE.values(), ids=lambda kernel: kernel.name)
def test_out_is_written_to_where_it_is(kernel, monkeypatch):
    case, handed = CASES[kernel.name], quickly(kernel, monkeypatch, 8)
    arguments = case.arguments((3, 8))
    out = tuple(torch.empty(3, 8) for _ in range(case.results))
    given = out if case.results > 1 else out[0]
    versions = [tensor._version for tensor in out]
    assert case.function(*arguments, out=given) is given
    (call,) = handed
    assert all(tensor.data_ptr() in call for tensor in out)
    assert [tensor._version for tensor in out] == [version + 1 for version in versions]


@pytest.mark.parametrize("kernel", ROWWISE.values(), ids=lambda kernel: kernel.name)
def test_out_is_left_to_the_long_way_where_writing_to_it_is_not_safe(kernel, monkeypatch):
    case, handed = CASES[kernel.name], quickly(kernel, monkeypatch, 8)
    buffer = torch.randn(5, 8)
    x, *others = case.arguments((3, 8))
    spare = torch.empty(3, 8)
    unsafe = {
        "overlaps the input": (buffer[1:4], others, buffer[:3]),
        "misaligned": (x, others, torch.empty(25)[1:].view(3, 8)),
        "strided": (x, others, torch.empty(3, 16)[:, ::2]),
    }
    if case.vectors:
        sharing = [*others[: case.matrices - 1], *[buffer[1]] * case.vectors]
        unsafe["holds the weight"] = (x, sharing, buffer[:3])
    for why, (first, rest, out) in unsafe.items():
        kept = [first.clone(), *(t.clone() for t in rest)]
        given = (out, spare) if case.results > 1 else out
        case.function(first, *rest, out=given)
        assert handed == [], why
        case.check(given, *kept)


@pytest.mark.parametrize("name", ["softmax", "rms_norm", "layer_norm"])
@pytest.mark.parametrize(
    ("view", "aligned"),
    [
        (lambda x: x[:, 8:], ALIGNED),
        (lambda x: x[:, :7], APART),
        (lambda x: x[:, :13], APART),
        (lambda x: x[:, 1:9], APART),
        (lambda x: torch.randn(4, 17)[:, :13], ALIKE),
        (lambda x: x[::2], ALIGNED),
    ],
)
def test_rows_that_lie_apart_are_read_where_they_lie(name, view, aligned, monkeypatch):
    x = view(torch.randn(4, 16))
    rows, columns = x.shape
    case, handed = CASES[name], quickly(ROWWISE[name], monkeypatch, columns, aligned)
    y = case.function(x, *(torch.randn(columns) for _ in range(case.vectors)))
    ((_, blocks, first, *_),) = handed
    assert (blocks, first) == (rows, x.data_ptr())
    assert y.is_contiguous()
    assert x.stride(0) in handed[0]


def test_sums_and_products_are_written_to_where_out_is(monkeypatch):
    a, b, matrix, vector = (torch.randn(s) for s in ((6, 8), (6, 8), (6, 8), (8,)))
    monkeypatch.setattr(vector_add, "VECTOR_ADD", None)  # the long way
    monkeypatch.setattr(gemv, "GEMV", None)
    total, product = torch.empty(6, 8), torch.empty(6)
    assert vector_add.vector_add(a, b, out=total) is total
    assert gemv.gemv(matrix, vector, out=product) is product
    torch.testing.assert_close(total, a + b)
    torch.testing.assert_close(product, matrix @ vector)
    assert total._version == product._version == 1


def test_out_that_overlaps_is_left_to_the_long_way():
    buffer, matrix, vector = torch.randn(7, 8), torch.randn(6, 8), torch.randn(8)
    expected = buffer[1:] + matrix
    vector_add.vector_add(buffer[1:], matrix, out=buffer[:-1])
    torch.testing.assert_close(buffer[:-1], expected)
    for out in (vector[:6], matrix[2, :6]):
        expected = matrix @ vector
        gemv.gemv(matrix, vector, out=out)
        torch.testing.assert_close(out, expected)


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm", "add_rms_norm", "add_layer_norm"])
def test_a_weight_that_nobody_keeps_is_left_to_the_long_way(name, monkeypatch):
    """Its memory could be that of the result."""
    case, handed = CASES[name], quickly(ROWWISE[name], monkeypatch, 8)
    matrices = case.arguments((3, 8))[: case.matrices]
    case.check(case.function(*matrices), *matrices)
    assert handed == []


def test_a_single_number_that_is_negated_lazily_is_left_to_the_long_way(monkeypatch):
    handed = quickly(ROWWISE["rms_norm"], monkeypatch, 1)
    x, weight = torch.randn(3, 1), torch.randn(1, dtype=torch.complex64).conj().imag
    assert weight.is_contiguous()
    CASES["rms_norm"].check(norms.rms_norm(x, weight), x, weight.resolve_neg())
    assert handed == []
    assert not gemv.free(weight, torch.randn(1, 8), torch.randn(8))


@pytest.mark.parametrize("name", ["add_rms_norm", "add_layer_norm"])
def test_a_residual_that_is_missing_reaches_no_kernel(name, monkeypatch):
    handed = quickly(ROWWISE[name], monkeypatch, 8)
    with pytest.raises(TypeError, match="residual is of type NoneType; it must be a tensor"):
        CASES[name].function(torch.randn(3, 8), None, *[torch.randn(8)] * CASES[name].vectors)
    assert handed == []
