"""matmul: the product of two matrices, with a bias and an activation where they are asked for.

Which kernel makes it, or cuBLAS, is `matmul_choice`'s to say.
"""

import torch
from torch import Tensor

from warpbook.kernels.held_row import processors
from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import one_kind, word
from warpbook.kernels.ops.devices import at, current, has_wgmma, usable
from warpbook.kernels.ops.direct import (
    autocasting,
    goes_with,
    how_on_cuda,
    mark_written,
    watched,
)
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.makers import CODES, MAKERS
from warpbook.kernels.ops.matmul_choice import CUBLAS, Product, matmul_choice
from warpbook.kernels.ops.matmul_launches import Launch, ready
from warpbook.kernels.ops.matrices import lies, matrix, placed, writable
from warpbook.kernels.ops.operation import Operation

DENSE = torch.contiguous_format
MOST = 4096  # launches that are remembered: models have few weights, but rows of many numbers
LAUNCHES: dict[tuple[object, ...], Launch] = {}
precision_in_use = torch._C._get_fp32_precision_getter
PRECISIONS = ("ieee", "tf32x3")


def matmul(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None = None,
    activation: str | None = None,
    precision: str = "ieee",
    *,
    out: Tensor | None = None,
) -> Tensor:
    """activation(a @ b + bias), with the shapes of torch.matmul. The activation is "relu", "gelu"
    (with erf) or "silu". In float32, `precision` is "ieee", or "tf32x3": three products of TF32,
    quicker and nearly as precise."""
    if not watched() and how_on_cuda(a) and how_on_cuda(b):
        y = straight(a, b, bias, activation, precision, out)
        if y is not None:
            return y
    result: Tensor = MATMUL(a, b, bias, activation, precision, out=out)
    return result


def straight(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None,
    activation: str | None,
    precision: str,
    out: Tensor | None,
) -> Tensor | None:
    """By the launch that is known for operands that lie like these, if any is."""
    device, dtype = a.get_device(), a.dtype
    known = LAUNCHES.get(
        (
            device,
            dtype,
            a.shape,
            a.stride(),
            b.shape,
            b.stride(),
            bias is None,
            activation,
            precision,
        )
    )
    if (
        known is None
        or b.dtype is not dtype
        or b.get_device() != device
        or device != current()
        or (a.data_ptr() | b.data_ptr()) & 15
        or (bias is not None and (not goes_with(bias, dtype, device) or bias.shape != known.bias))
        or (dtype is torch.float32 and precision_in_use("cuda", "matmul") == "tf32")
        or autocasting()
    ):
        return None
    return known.make(a, b, bias) if out is None else filled(known, a, b, bias, out)


def filled(known: Launch, a: Tensor, b: Tensor, bias: Tensor | None, out: Tensor) -> Tensor | None:
    """Only what goes with the operands, and shares no memory with them, is written to."""
    if not goes_with(out, a.dtype, a.get_device()) or out.shape != known.shape:
        return None
    start = out.data_ptr()
    end = start + known.bytes_y
    for read, length in ((a, known.bytes_a), (b, known.bytes_b), (bias, known.bytes_bias)):
        if read is not None and start < read.data_ptr() + length and read.data_ptr() < end:
            return None
    if start & 15 or out.is_neg():
        return None
    mark_written(out)
    known.fill(a, b, bias, out)
    return out


def remember(
    by: str, product: Product, a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None
) -> None:
    """Where operands are read where they lie, from multiples of 16 bytes. Not where one is a single
    number, which may be negated lazily."""
    if not product.aligned or product.tf32 or b.dim() != 2 or not lies(b):
        return
    if not (lies(a) if a.dim() == 2 else a.is_contiguous() and a.dim() > 2):
        return
    if 1 in (a.numel(), b.numel()) or (bias is not None and bias.numel() == 1):
        return
    if len(LAUNCHES) >= MOST:
        LAUNCHES.clear()
    kind = (a.get_device(), a.dtype, a.shape, a.stride(), b.shape, b.stride())
    launch = ready(by, a, b, bias, activation)
    LAUNCHES[*kind, bias is None, activation, product.precision] = launch


def fill(
    a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, precision: str, out: Tensor
) -> bool:
    device = a.get_device()
    if not usable(device) or b.dim() > 2 or a.shape[-1] == 0:
        return False
    if out.numel() == 0:
        return True
    product = product_of(a, b, bias, activation, precision)
    given = a, b, bias
    a, b = matrix(a, "a"), matrix(b, "b")
    bias = bias if bias is None or bias.stride(0) == 1 else bias.contiguous()
    read = (a, b) if bias is None else (a, b, bias)
    target = out if writable(out, read) else torch.empty_like(out, memory_format=DENSE)
    with at(device):
        by = chosen(product, device).by
        MAKERS[by](a, b, bias, activation, target.view(product.m, product.n))
        remember(by, product, *given, activation)
    if target is not out:
        out.copy_(target)
    return True


def chosen(product: Product, device: int) -> Explanation:
    return matmul_choice(product, processors(device), has_wgmma(device))


def product_of(
    a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, precision: str
) -> Product:
    """All that a choice hangs on."""
    rows, columns = a.shape[:-1].numel(), 1 if b.dim() == 1 else b.shape[1]
    (layout_a, aligned_a), (layout_b, aligned_b) = placed(a, "a"), placed(b, "b")
    return Product(
        *(rows, columns, a.shape[-1]),
        a.dtype,
        layout_a + layout_b,
        aligned_a and aligned_b,
        bias is not None,
        activation is not None,
        precision,
        a.dtype == torch.float32 and precision_in_use("cuda", "matmul") == "tf32",
    )


def described(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None,
    activation: str | None,
    precision: str,
    out: tuple[Tensor, ...],
) -> Explanation:
    if shape(a, b).numel() == 0 or a.shape[-1] == 0:
        return NOTHING
    if b.dim() > 2:
        return Explanation(CUBLAS, "b is a batch of matrices, and the kernels take one")
    product = product_of(a, b, bias, activation, precision)
    return chosen(product, a.get_device())


def check(
    a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, precision: str
) -> None:
    one_kind("matmul", a=a, b=b, bias=bias)
    both = f"a has shape {tuple(a.shape)} and b {tuple(b.shape)}"
    if a.dim() == 0 or b.dim() == 0:
        raise ValueError(f"matmul: {both}; each needs at least one dimension")
    if a.shape[-1] != b.shape[-2 if b.dim() > 1 else 0]:
        raise ValueError(
            f"matmul: {both}; a's last dimension must be b's last but one, or its only"
        )
    if b.dim() > 2 and batch(a, b) is None:
        raise ValueError(f"matmul: {both}; their leading dimensions do not go together")
    if bias is not None and (b.dim() == 1 or bias.shape != b.shape[-1:]):
        raise ValueError(
            f"matmul: {both}, and bias {tuple(bias.shape)}; it needs a number for each column of b"
        )
    if activation not in CODES:
        raise ValueError(f"matmul: no activation {activation!r}; there are relu, gelu and silu")
    if precision not in PRECISIONS:
        raise ValueError(f"matmul: no precision {precision!r}; there are ieee and tf32x3")
    if precision != "ieee" and a.dtype != torch.float32:
        raise TypeError(f"matmul: precision {precision!r} is for float32, and a is {word(a.dtype)}")


def shape(a: Tensor, b: Tensor, *_: object) -> torch.Size:
    if b.dim() == 1:
        return a.shape[:-1]
    leading = a.shape[:-2] if b.dim() == 2 else batch(a, b)
    assert leading is not None
    return torch.Size((*leading, *a.shape[-2:-1], b.shape[-1]))


def batch(a: Tensor, b: Tensor) -> torch.Size | None:
    """The leading dimensions of a product of batches, or None where they do not go together."""
    try:
        found: torch.Size = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # type: ignore[no-untyped-call]
    except RuntimeError:
        return None
    return found


MATMUL = Operation(
    name="matmul",
    arguments="Tensor a, Tensor b, Tensor? bias, str? activation, str precision",
    outputs=("out",),
    check=check,
    shape=shape,
    plain=plain.matmul,
    fill=fill,
    described=described,
)
