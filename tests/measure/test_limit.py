"""Movers: that they move what they should, and that a checker would notice if they did not."""

from dataclasses import replace

import pytest
import torch

from warpbook.kernels.cuda import compiled
from warpbook.kernels.library import problem_names
from warpbook.kernels.shelf import load_problem
from warpbook.measure import limit_kernels
from warpbook.measure.limit import CHECKS, FILE, VECTORS, movers

NAMES = [f"{kind}_{n}" for kind, shapes in VECTORS.items() for n in shapes]
MOVED = [name for name in NAMES if not name.startswith(("read", "stream"))]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def arguments(device, columns, dtype):
    generator = torch.Generator(device=device).manual_seed(0)
    return [
        torch.randn((7, columns), generator=generator, device=device).to(dtype) for _ in range(2)
    ]


def outputs(kind, x):
    if kind == "read":
        return [x.new_full((len(x),), torch.nan)]
    return [torch.full_like(x, torch.nan) for _ in range(2 if kind == "pair" else 1)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("columns", [1, 63, 1000, 4097, 30_000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", MOVED)
def test_every_byte_is_moved(name, dtype, columns, device):
    kind = name.partition("_")[0]
    given = arguments(device, columns, dtype)
    out = outputs(kind, given[0])
    check = CHECKS[kind]
    assert check(out, given, ()) is not None
    getattr(limit_kernels, name)(*given, 1e-5, out=tuple(out) if len(out) > 1 else out[0])
    assert check(out, given, ()) is None
    out[-1].view(torch.uint8)[-1, -1] ^= 1
    assert check(out, given, ()) is not None


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("read")])
def test_a_reading_fills_its_output_and_no_more(name, device):
    matrix, vector = arguments(device, 4096, torch.float32)
    room = torch.full((len(matrix) + 8,), 5.0, device=device)
    room[: len(matrix)] = torch.nan
    before = room.clone()
    getattr(limit_kernels, name)(matrix, vector, out=room[: len(matrix)])
    changed = room.view(torch.int32) != before.view(torch.int32)
    assert changed[: len(matrix)].all()
    assert not changed[len(matrix) :].any()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("sizes", [(1, 1), (63, 3), (5000, 7), (64, 4096)])
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("stream")])
def test_a_stream_fills_all_its_outputs_and_no_more(name, sizes, device):
    """Of other shapes and dtypes than what is read, which may be transposed or not be there."""
    rows, columns = sizes
    a = torch.randn(rows, 33, device=device)
    b = torch.randn(columns, 33, device=device).bfloat16().t()
    room = [torch.full((rows * columns + 8,), torch.nan, device=device).half()]
    room += [torch.full((columns + 8,), 2**40 + 7, device=device)]
    y, z = room[0][:-8].view(rows, columns), room[1][:-8]
    check = CHECKS["stream"]
    assert check([y, z], [a, b], ()) is not None
    before = [tensor.clone() for tensor in (a, b)]
    getattr(limit_kernels, name)(a, b, None, 3, True, out=(y, z))
    assert check([y, z], [a, b], ()) is None
    assert all(map(torch.equal, (a, b), before))
    assert room[0][-8:].isnan().all()
    assert (room[1][-8:] == 2**40 + 7).all()
    z[-1] = 1
    assert check([y, z], [a, b], ()) is not None


def test_what_cannot_merely_be_moved_is_refused():
    a, b = arguments("cpu", 64, torch.float32)
    with pytest.raises(ValueError, match="arguments and outputs differ"):
        limit_kernels.copy_1(a, b, out=torch.empty(7))
    with pytest.raises(ValueError, match="only contiguous"):
        limit_kernels.copy_1(a[:, ::2], out=torch.empty(7, 32))
    with pytest.raises(ValueError, match="fill their memory"):
        limit_kernels.stream_1(a[:, ::2], b, out=torch.empty(7))
    with pytest.raises(ValueError, match="multiples of 16 bytes"):
        limit_kernels.stream_1(a.view(-1)[1:], out=torch.empty(7))
    with pytest.raises(ValueError, match="5 tensors to read and 1 to write are too many"):
        limit_kernels.stream_1(a, a, a, a, a, out=torch.empty(7))


@pytest.mark.parametrize("name", NAMES)
def test_every_mover_compiles_for_sm_90a(name):
    pytest.importorskip("cuda.core", reason="compiling CUDA C++ needs cuda-core")
    kind, _, vectors = name.partition("_")
    symbol, cubin = compiled(FILE.with_suffix(".cu"), f"{kind}<{vectors}>", "sm_90a")
    assert kind in symbol
    assert cubin.startswith(b"\x7fELF")


@pytest.mark.parametrize("name", problem_names())
def test_every_problem_has_movers_that_can_be_found(name):
    problem = load_problem(name)
    found = movers(problem, "cuda")
    assert [derived.name for derived, _ in found] == [rung.name for _, rung in found]
    assert len(found) in (3, 4)
    assert len(movers(problem, "cpu")) == 1
    assert movers(replace(problem, mutates=(0,)), "cuda") == []
