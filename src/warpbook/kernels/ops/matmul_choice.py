"""Who makes a product: one of the kernels, or cuBLAS.

A product is cut into tiles, and as many tiles as there are multiprocessors are done at a time, in
waves. So a maker is known by the tiles it has and by how fast a multiprocessor gets through one,
and its time is

    what it takes for no work at all
    + the larger of (waves x time of a tile) and (bytes / bandwidth)
    + a pass over the product for each part of the epilogue that it has no place for
    + a copy of operands that it cannot read where they lie

Whoever is expected to be done first makes it. The constants were measured on an NVIDIA H200; cuBLAS
has more tiles than are listed, and is within 12% of its line in half of the products. Never sees a
tensor.
"""

from functools import lru_cache
from typing import NamedTuple

import torch

from warpbook.kernels.ops.explanation import Explanation

CUBLAS = "cuBLAS"
BANDWIDTH = 4.2e6  # bytes a microsecond
PASS_US = 2.0  # what a small pass over the product takes: 64x9216 took 2.8
EITHER_16 = (torch.float16, torch.bfloat16)


class Product(NamedTuple):
    """[m, k] by [k, n]. `layouts` has a letter for each operand: n where the neighbours in a row
    are side by side, t where those in a column are. `aligned`: all their lines start at multiples
    of 16 bytes. `tf32`: torch is told that it may use TF32 for float32."""

    m: int
    n: int
    k: int
    dtype: torch.dtype
    layouts: str = "nn"
    aligned: bool = True
    bias: bool = False
    activation: bool = False
    precision: str = "ieee"
    tf32: bool = False

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k

    @property
    def operand_bytes(self) -> int:
        return (self.m + self.n) * self.k * self.dtype.itemsize

    @property
    def result_bytes(self) -> int:
        return self.m * self.n * self.dtype.itemsize


class Tile(NamedTuple):
    """Of the product, either way about; `rate` operations a microsecond on a multiprocessor."""

    height: int
    width: int
    rate: float


class Maker(NamedTuple):
    """`start_us` for no work at all. With `fuses_bias` and `fuses_activation` they cost nothing."""

    by: str
    start_us: float
    tiles: tuple[Tile, ...]
    fuses_bias: bool = False
    fuses_activation: bool = False


CUBLAS_16 = Maker(
    CUBLAS,
    2.5,
    (
        Tile(128, 256, 6.2e6),
        Tile(128, 192, 6.2e6),
        Tile(128, 128, 6.0e6),
        Tile(64, 256, 5.0e6),
        Tile(64, 128, 5.5e6),
        Tile(64, 64, 4.5e6),
    ),
    fuses_bias=True,
)
# Lines that start anywhere: 1001x5001x3001 took 276 us, 109 TFLOP/s.
CUBLAS_UNALIGNED = Maker(CUBLAS, 2.5, (Tile(128, 128, 0.9e6),), fuses_bias=True)
CUBLAS_32 = Maker(
    CUBLAS,
    4.0,
    (
        Tile(128, 128, 0.395e6),
        Tile(64, 128, 0.36e6),
        Tile(64, 64, 0.34e6),
        Tile(32, 64, 0.26e6),
    ),
    fuses_bias=True,
)
SPECIALISED = Maker(
    "specialised",
    3.0,
    (
        Tile(128, 256, 6.1e6),
        Tile(128, 192, 5.8e6),
        Tile(128, 128, 5.6e6),
        Tile(64, 128, 4.5e6),
        Tile(64, 64, 4.0e6),
    ),
    fuses_bias=True,
    fuses_activation=True,
)
ASYNC_COPIES = Maker("async_copies", 4.0, (Tile(128, 256, 0.40e6),))
TF32_TRIPLE = Maker("tf32_triple", 40.0, (Tile(128, 128, 1.12e6),))  # four kernels


@lru_cache(4096)
def matmul_choice(product: Product, sms: int, wgmma: bool = True) -> Explanation:
    """`wgmma`: the device has Hopper's matrix instructions."""
    if one_vector(product):
        return Explanation("gemv", f"{vector_words(product)}, without an epilogue: gemv's kernel")
    makers = makers_of(product, wgmma)
    times = {maker.by: expected_us(maker, product, sms) for maker in makers}
    by = min(times, key=times.__getitem__)
    return Explanation(by, reason(by, times, product))


def makers_of(product: Product, wgmma: bool) -> list[Maker]:
    """Those who can make it, with the precision that is asked for."""
    makers = [] if product.tf32 else [cublas(product)]
    if product.dtype in EITHER_16:
        return [*makers, SPECIALISED] if wgmma else makers
    three = wgmma and product.precision == "tf32x3"
    return [*makers, ASYNC_COPIES, TF32_TRIPLE] if three else [*makers, ASYNC_COPIES]


def one_vector(product: Product) -> bool:
    """Rows that lie along memory by a vector."""
    if product.bias or product.activation:
        return False
    of_a, of_b = product.layouts[0], product.layouts[1]
    return (product.n == 1 and of_a == "n") or (product.m == 1 and of_b == "t")


def cublas(product: Product) -> Maker:
    if product.dtype == torch.float32:
        return CUBLAS_32
    return CUBLAS_16 if product.aligned else CUBLAS_UNALIGNED


def expected_us(maker: Maker, product: Product, sms: int) -> float:
    passes = (product.bias and not maker.fuses_bias) + (
        product.activation and not maker.fuses_activation
    )
    moved = (product.operand_bytes + product.result_bytes) / BANDWIDTH
    before = moved_before(maker, product) / BANDWIDTH
    after = passes * (PASS_US + 2 * product.result_bytes / BANDWIDTH)
    return maker.start_us + before + max(waves_us(maker, product, sms), moved) + after


def waves_us(maker: Maker, product: Product, sms: int) -> float:
    m, n, k = product[:3]
    return min(
        -(-(-(-rows // height) * -(-columns // width)) // sms) * 2 * height * width * k / rate
        for height, width, rate in maker.tiles
        for rows, columns in ((m, n), (n, m))
    )


def moved_before(maker: Maker, product: Product) -> int:
    """Bytes that are read and written before the product is begun: for lines that the copy engine
    cannot read; and of three products of TF32, where one of the operands is read once and written
    in two halves, and the other must have its k along memory."""
    size = product.k * product.dtype.itemsize
    of_a, of_b = product.m * size, product.n * size
    if maker.by == "specialised":
        return 0 if product.aligned else 2 * (of_a + of_b)
    if maker.by != "tf32_triple":
        return 0
    turned_a, turned_b = (
        0 if product.aligned and layout == wanted else 2 * of
        for layout, wanted, of in zip(product.layouts, "nt", (of_a, of_b), strict=True)
    )
    return min(3 * of_b + turned_a, 3 * of_a + turned_b)


def reason(by: str, times: dict[str, float], product: Product) -> str:
    mine = f"expected to take {rounded(times[by])} us"
    others = [f"{other} {rounded(us)}" for other, us in times.items() if other != by]
    if others:
        return f"{mine}, {' and '.join(others)}"
    if product.tf32:
        return f"{mine}; torch is told to use TF32, which is not IEEE"
    return mine


def rounded(us: float) -> str:
    return f"{us:,.0f}" if us >= 100 else f"{us:.3g}"


def vector_words(product: Product) -> str:
    return "b is a vector" if product.n == 1 else "a is a vector"
