"""Those who make products: each fills y [m, n], given a [m, k], b [k, n] and the rest.

Knows nothing of which of them is best, and takes for granted that the arguments fit.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import torch
from torch import Tensor
from torch.nn import functional as F

from warpbook.kernels.matmul.rungs import async_copies, tf32_triple
from warpbook.kernels.matmul_bf16 import plans
from warpbook.kernels.matmul_bf16.rungs import specialised
from warpbook.kernels.ops import gemv, plain
from warpbook.kernels.ops.devices import has_wgmma
from warpbook.kernels.ops.fused_launch import loaded

CODES = {name: code for code, name in enumerate(plain.ACTIVATIONS)}  # as the kernels number them

Maker = Callable[[Tensor, Tensor, Tensor | None, str | None, Tensor], None]


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
    specialised.matmul_bf16(a, b, bias, CODES[activation], y)  # type: ignore[no-untyped-call]


def then_the_rest(product: Callable[..., Tensor]) -> Maker:
    """A kernel of the product alone, and torch for the bias and the activation."""

    def maker(a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, y: Tensor) -> None:
        product(a, b, y)
        if bias is not None:
            y += bias
        activate(y, activation)

    return maker


def by_gemv(matrix: Tensor, vector: Tensor, y: Tensor) -> Tensor:
    if y.shape[1] == 1:
        gemv.fill(matrix, vector.squeeze(1), y.squeeze(1))
    else:
        gemv.fill(vector.mT, matrix.squeeze(0), y.squeeze(0))
    return y


MAKERS: dict[str, Maker] = {
    "cuBLAS": by_cublas,
    "specialised": fused,
    "async_copies": then_the_rest(async_copies.matmul),
    "tf32_triple": then_the_rest(tf32_triple.matmul),
    "gemv": then_the_rest(by_gemv),
}


def usual(tile: plans.Tile) -> set[specialised.Case]:
    """What a tile does for a contiguous a, and a b that is contiguous or transposed, where lines
    start at multiples of 16 bytes. One that is sideways has few rows, or few columns, which it
    writes one by one."""
    found = set()
    for b_across, shared, finished in product((False, True), repeat=3):
        if (shared and tile.split > 1) or not tile.suits(b_across):
            continue
        if tile.sideways:
            found.add(specialised.Case(b_across, False, shared, False, finished))
        slabs = b_across and tile.columns >= 64
        found.add(specialised.Case(False, slabs, shared, tile.sideways, finished))
    return found


def warm(device: int, dtype: torch.dtype) -> None:
    """Compile what usual products of this dtype need, or make some in all layouts."""
    wgmma = has_wgmma(device)
    if dtype != torch.float32:
        needed = [(t, dtype, case) for t in plans.TILES for case in usual(t)] if wgmma else []
        # One after the other they take a minute to compile.
        with ThreadPoolExecutor(initializer=torch.cuda.set_device, initargs=(device,)) as pool:
            for _ in pool.map(lambda kernel: specialised.ready(*kernel), needed):
                pass
        for kernel in needed:
            loaded(*kernel)
        return
    for size in (64, 2048):
        a, b = torch.ones(2, size, size, device=f"cuda:{device}")
        y = torch.empty_like(a)
        for left, right in ((a, b), (a, b.T), (a.T, b), (a.T, b.T)):
            async_copies.matmul(left, right, y)  # type: ignore[no-untyped-call]
            if wgmma:
                tf32_triple.matmul(left, right, y)  # type: ignore[no-untyped-call]
