"""matmul: the product of two matrices, with a bias and an activation where they are asked for.

Which kernel makes it, or cuBLAS, is `matmul_choice`'s to say.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from warpbook.kernels.held_row import processors
from warpbook.kernels.matmul.rungs import naive
from warpbook.kernels.matmul_bf16.rungs import cublas
from warpbook.kernels.ops import gemv, plain
from warpbook.kernels.ops.demands import one_kind, word
from warpbook.kernels.ops.devices import at, usable
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.matmul_choice import CUBLAS, Product, matmul_choice
from warpbook.kernels.ops.memory import rows_of
from warpbook.kernels.ops.operation import Operation

CODES = {name: code for code, name in enumerate(plain.ACTIVATIONS)}  # as the kernels number them
DENSE = torch.contiguous_format
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
    result: Tensor = MATMUL(a, b, bias, activation, precision, out=out)
    return result


def fill(
    a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, precision: str, out: Tensor
) -> bool:
    device = a.get_device()
    if not usable(device) or b.dim() > 2 or a.shape[-1] == 0:
        return False
    if out.numel() == 0:
        return True
    product = product_of(a, b, bias, activation, precision)
    a, b = matrix(a, "a"), matrix(b, "b")
    bias = bias if bias is None or bias.stride(0) == 1 else bias.contiguous()
    read = (a, b) if bias is None else (a, b, bias)
    target = out if writable(out, read) else torch.empty_like(out, memory_format=DENSE)
    with at(device):
        way = WAYS[matmul_choice(product, processors(device)).by]
        way(a, b, bias, activation, target.view(product.m, product.n))
    if target is not out:
        out.copy_(target)
    return True


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
        a.dtype == torch.float32 and torch.backends.cuda.matmul.fp32_precision == "tf32",
    )


def matrix(tensor: Tensor, which: str) -> Tensor:
    """The tensor as a matrix that kernels can read: of a view, or of a copy where it must be."""
    found = flat(tensor, which)
    if found is None or lies(found) is None:
        found = flat(tensor.contiguous(), which)
        assert found is not None
    return found


def placed(tensor: Tensor, which: str) -> tuple[str, bool]:
    """Which way `matrix` lies, and whether its lines start at multiples of 16 bytes."""
    found = flat(tensor, which)
    way = None if found is None else lies(found)
    if found is None or way is None:
        return "n", tensor.shape[-1] * tensor.itemsize % 16 == 0
    step = found.stride(0 if way == "n" else 1) if min(found.shape) > 1 else 0
    return way, (found.data_ptr() | step * found.itemsize) % 16 == 0


def flat(tensor: Tensor, which: str) -> Tensor | None:
    """A view of two dimensions, if there is one. A vector is a row of a, and a column of b."""
    if tensor.dim() == 2:
        return tensor
    if tensor.dim() == 1:
        return tensor.unsqueeze(0 if which == "a" else 1)
    rows = rows_of(tensor)
    if rows is None:
        return None
    return tensor.as_strided((rows.rows, rows.columns), (rows.step, 1))


def lies(matrix: Tensor) -> str | None:
    """n: the neighbours in a row are side by side; t: those in a column are. None: neither, or some
    elements share their memory."""
    (rows, columns), (down, right) = matrix.shape, matrix.stride()
    if (right == 1 or columns == 1) and (down >= columns or rows == 1):
        return "n"
    if (down == 1 or rows == 1) and (right >= rows or columns == 1):
        return "t"
    return None


def writable(out: Tensor, read: tuple[Tensor, ...]) -> bool:
    """Whether a kernel may write it row after row: nothing that it reads later is there."""
    if not out.is_contiguous() or out.is_neg():
        return False
    start, end = span(out)
    return all(end <= first or last <= start for first, last in map(span, read))


def span(tensor: Tensor) -> tuple[int, int]:
    """The first byte of it and the one after the last."""
    far = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    start = tensor.data_ptr()
    return start, start + (far + 1) * tensor.itemsize


Way = Callable[[Tensor, Tensor, Tensor | None, str | None, Tensor], None]


def by_cublas(a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, y: Tensor) -> None:
    if bias is None:
        torch.mm(a, b, out=y)
    else:
        torch.addmm(bias, a, b, out=y)
    activate(y, activation)


def activate(y: Tensor, activation: str | None) -> None:
    """In place."""
    if activation == "relu":
        y.relu_()
    elif activation == "gelu":
        torch.ops.aten.gelu_(y)
    elif activation == "silu":
        F.silu(y, inplace=True)


def fused(a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, y: Tensor) -> None:
    cublas.matmul_bf16(a, b, bias, CODES[activation], y)  # type: ignore[no-untyped-call]


def then_the_rest(product: Callable[..., Tensor]) -> Way:
    """A kernel of the product alone, and torch for the bias and the activation."""

    def way(a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, y: Tensor) -> None:
        product(a, b, y)
        if bias is not None:
            y += bias
        activate(y, activation)

    return way


def by_gemv(a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, y: Tensor) -> None:
    if y.shape[1] == 1:
        gemv.fill(a, b.squeeze(1), y.squeeze(1))
    else:
        gemv.fill(b.mT, a.squeeze(0), y.squeeze(0))


WAYS: dict[str, Way] = {
    CUBLAS: by_cublas,
    "specialised": fused,
    "async_copies": then_the_rest(naive.matmul),
    "tf32_triple": then_the_rest(naive.matmul),
    "gemv": by_gemv,
}


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
    return matmul_choice(product, processors(a.get_device()))


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
