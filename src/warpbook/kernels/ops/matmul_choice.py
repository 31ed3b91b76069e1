"""Who makes a product: one of the kernels, or cuBLAS.

Each has a line for its time, and whoever is expected to be done first makes it:

    the product itself, by the maker's own model of tiles, waves and parts of k
    + a pass over the product for each part of the epilogue that it has no place for
    + a copy of operands that it cannot read where they lie

The models of the kernels are those by which they pick their plans. That of cuBLAS is here: it is
taken to have the tiles below, and to do as many at a time as there are multiprocessors. They were
measured on an NVIDIA H200, over 147 products in bfloat16, where the root mean square error of the
line is 15%, and 70 in float32 (19%). At those 147 the one that is chosen took 3% longer than the
quicker one, on average. Never sees a tensor.
"""

from functools import lru_cache
from typing import NamedTuple

import torch

from warpbook.kernels.matmul import plans as float32
from warpbook.kernels.matmul_bf16 import plans as bits16
from warpbook.kernels.ops.explanation import Explanation

CUBLAS = "cuBLAS"
BANDWIDTH = 4.1e6  # bytes a microsecond
# Products with k in parts take longer than their plan says: 100 us where it said 67, at 64 rows of
# a square of 4096.
PARTS_TAKE = 1.5
ONE_BY_ONE = 2.4e5  # numbers a microsecond, of a product that the copy engine cannot write
LONGEST = 2**31 - 2**10  # of every size: the kernel of 16 bits counts rows, columns and k in 32
PASS_US = 2.0  # of a pass over the product, beside its bytes: 64x9216 took 2.8 in all


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
    def even(self) -> bool:
        """All lines of the product start at multiples of 16 bytes."""
        return self.n * self.dtype.itemsize % 16 == 0

    @property
    def bytes_a(self) -> int:
        return self.m * self.k * self.dtype.itemsize

    @property
    def bytes_b(self) -> int:
        return self.n * self.k * self.dtype.itemsize

    @property
    def bytes_y(self) -> int:
        return self.m * self.n * self.dtype.itemsize


class Tile(NamedTuple):
    """Of the product, either way about; `rate` operations a microsecond on a multiprocessor."""

    height: int
    width: int
    rate: float


# Of 16 bits it has many; the larger, the more sums for what is fetched.
TILES_16: tuple[Tile, ...] = tuple(
    Tile(height, width, 7.0e6 / (1 + 12.2 * (1 / height + 1 / width)))
    for height in (64, 128)
    for width in range(64, 257, 32)
)
# Lines, of an operand or of the product, that start anywhere: 1001x5001x3001 took 276 us, 109
# TFLOP/s, and 4096x1001x4096 331.
TILES_UNALIGNED: tuple[Tile, ...] = (Tile(128, 128, 0.9e6),)
TILES_32: tuple[Tile, ...] = (
    Tile(128, 128, 0.395e6),
    Tile(64, 128, 0.36e6),
    Tile(64, 64, 0.34e6),
    Tile(32, 64, 0.26e6),
)
TILES_TF32 = (Tile(128, 128, 1.12e6),)  # 4096^3 in 958 us, beside 50 for the halves


class Estimate(NamedTuple):
    """The time that a maker is expected to take, and what it would do."""

    us: float
    what: str


@lru_cache(4096)
def matmul_choice(product: Product, sms: int, wgmma: bool = True) -> Explanation:
    """`wgmma`: the device has Hopper's matrix instructions."""
    if one_vector(product):
        which = "b" if product.n == 1 else "a"
        return Explanation("gemv", f"{which} is a vector, and there is no epilogue")
    expected = estimates(product, sms, wgmma)
    by = min(expected, key=lambda maker: expected[maker].us)
    us, what = expected[by]
    others = [f"{rounded(e.us)} by {other}" for other, e in expected.items() if other != by]
    beside = f", {' and '.join(others)}" if others else ""
    if product.tf32:
        beside += "; torch is told to use TF32, which is not IEEE"
    return Explanation(by, f"{what}; {rounded(us)} us expected{beside}")


def estimates(product: Product, sms: int, wgmma: bool) -> dict[str, Estimate]:
    """Of all who can make it with the precision that is asked for."""
    found = {} if product.tf32 else {CUBLAS: by_cublas(product, sms)}
    if product.dtype != torch.float32:
        if wgmma and max(product[:3]) <= LONGEST:
            found["specialised"] = by_specialised(product, sms)
        return found
    found["async_copies"] = by_async_copies(product, sms)
    if wgmma and product.precision == "tf32x3":
        found["tf32_triple"] = by_tf32_triple(product, sms)
    return found


def one_vector(product: Product) -> bool:
    """Rows that lie along memory by a vector."""
    if product.bias or product.activation:
        return False
    of_a, of_b = product.layouts[0], product.layouts[1]
    return (product.n == 1 and of_a == "n") or (product.m == 1 and of_b == "t")


def by_cublas(product: Product, sms: int) -> Estimate:
    start, tiles, passes = 2.9, TILES_16, int(product.activation)
    if product.dtype == torch.float32:
        start, tiles = 4.0, TILES_32
    elif not product.aligned or not product.even:
        tiles = TILES_UNALIGNED
    us = (
        start + max(waves_us(product, tiles, sms), all_bytes_us(product)) + pass_us(product, passes)
    )
    return Estimate(us, "its own choice of kernels" + (", one more to activate" * passes))


def by_specialised(product: Product, sms: int) -> Estimate:
    copied = 0 if product.aligned else 2 * (product.bytes_a + product.bytes_b)
    m, n, k = product[:3]
    b_across = product.aligned and product.layouts[1] == "n"
    apart = (k if product.layouts[0] == "n" else m, n if product.layouts[1] == "n" else k)
    ragged = any(numbers * product.dtype.itemsize % bits16.LINE for numbers in apart)
    ways = bits16.Ways(ragged, product.activation)
    plan = bits16.plan(m, n, k, sms, b_across, ways)
    written = 0 if product.even else m * n / ONE_BY_ONE
    return Estimate(plan.us + copied / BANDWIDTH + written, str(plan))


def by_async_copies(product: Product, sms: int) -> Estimate:
    m, n, k = product[:3]
    a_way, a_laid = way(product, 0, n, float32.SMALL.rows, sms)
    b_way, b_laid = way(product, 1, m, float32.SMALL.columns, sms)
    plan = float32.plan(m, n, k, sms, a_way, b_way)
    multiplied = float32.time_us(m, n, k, sms, plan.tile, plan.parts)
    if plan.parts > 1:
        multiplied *= PARTS_TAKE
    us = 2.0 + a_laid + b_laid + max(multiplied, all_bytes_us(product))
    passes = product.bias + product.activation
    tile = f"tiles of {plan.tile.rows}x{plan.tile.columns}"
    what = f"{tile}, k in {plan.parts} parts" if plan.parts > 1 else tile
    return Estimate(us + pass_us(product, passes), what)


def way(product: Product, which: int, uses: int, across: int, sms: int) -> tuple[int, float]:
    """How the kernel copies an operand to shared memory, and the time it takes to lay it before, so
    that k is across memory."""
    straight = product.layouts[which] == "tn"[which]
    if product.aligned and straight:
        return float32.BY_16, 0.0
    numbers = product.k * (product.m, product.n)[which]
    if float32.worth_laying(numbers, uses, across, sms):
        return float32.BY_16, float32.LAUNCH_US + 8 * numbers / float32.BYTES_A_US
    return (float32.ACROSS if straight else float32.ALONG), 0.0


def by_tf32_triple(product: Product, sms: int) -> Estimate:
    """One operand is read once and written in two halves; the other must have k along memory."""
    turned_a, turned_b = (
        0 if product.aligned and layout == wanted else 2 * size
        for layout, wanted, size in (
            (product.layouts[0], "n", product.bytes_a),
            (product.layouts[1], "t", product.bytes_b),
        )
    )
    before = min(3 * product.bytes_b + turned_a, 3 * product.bytes_a + turned_b)
    passes = product.bias + product.activation
    start = 40.0  # of four kernels: 256^3 took 48 us
    us = start + before / BANDWIDTH + max(waves_us(product, TILES_TF32, sms), all_bytes_us(product))
    return Estimate(us + pass_us(product, passes), "three products of TF32 in tiles of 128x128")


def waves_us(product: Product, tiles: tuple[Tile, ...], sms: int) -> float:
    m, n, k = product[:3]
    return min(
        -(-(-(-rows // height) * -(-columns // width)) // sms) * 2 * height * width * k / rate
        for height, width, rate in tiles
        for rows, columns in ((m, n), (n, m))
    )


def all_bytes_us(product: Product) -> float:
    return (product.bytes_a + product.bytes_b + product.bytes_y) / BANDWIDTH


def pass_us(product: Product, passes: int) -> float:
    return passes * (PASS_US + 2 * product.bytes_y / BANDWIDTH)


def rounded(us: float) -> str:
    return f"{us:,.0f}" if us >= 100 else f"{us:.3g}"
