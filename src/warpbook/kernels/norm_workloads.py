"""What the four norms are tried on: their workloads, and how rows, weights and sums are drawn.

Knows nothing of what a norm computes, and nothing of how its mistakes look.
"""

from collections.abc import Callable
from math import sqrt

import torch

from warpbook.core.workload import Workload
from warpbook.kernels.values import LAYOUTS, Shape, draw, named, normal, uniform

DTYPES = ("float32", "float16", "bfloat16")
# The mean of a shifted row over its spread.
SHIFT = 2048


def shifted(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """A mean some two thousand times the spread: the squares of such numbers differ in their last
    bits only, and the difference of two sums of them is noise. In 16 bits the numbers are 1 / eps,
    where neighbours are 1 apart, and one in so many is the neighbour."""
    if dtype == torch.float32:
        return SHIFT + normal(shape, dtype, generator)
    base = 1 / torch.finfo(dtype).eps
    one_up = uniform(shape, generator) < (base / SHIFT) ** 2
    return (base + one_up).to(dtype)


def outlier(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """The first number of each row is as large as all the others together."""
    contents = normal(shape, dtype, generator)
    contents[:, 0] = sqrt(shape[-1])
    return contents


def scaled(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Every row has a magnitude of its own, from where eps is all there is to where it is
    nothing, and in between one at which it is half. Squares stay within float32."""
    lowest, highest = (-4, 3) if dtype == torch.float16 else (-15, 15)
    powers = torch.linspace(lowest, highest, shape[0], dtype=torch.float64)
    powers[1] = -2.5
    magnitudes = 10 ** powers.to(generator.device)
    return (normal(shape, torch.float32, generator) * magnitudes[:, None]).to(dtype)


VALUES: dict[str, Callable[[Shape, torch.dtype, torch.Generator], torch.Tensor]] = {
    "shifted": shifted,
    "outlier": outlier,
    "scaled": scaled,
}
# The two terms of a sum have strides of their own where the first has any.
RESIDUAL_LAYOUTS = {"strided": "padded"}


def draw_rows(
    workload: Workload, generator: torch.Generator, layout: str | None = None
) -> torch.Tensor:
    """[rows, columns]"""
    fill = VALUES.get(workload.values)
    if fill is None:
        return draw(workload, generator, layout)
    contents = fill(workload.shape, getattr(torch, workload.dtype), generator)
    return LAYOUTS[layout or workload.layout](contents)


def draw_terms(workload: Workload, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and what is added to them. A shifted row in 16 bits gets half of its mean from each,
    so that the sum is exact: rounding it is right, and must not drown what is looked for."""
    x = draw_rows(workload, generator)
    layout = RESIDUAL_LAYOUTS.get(workload.layout, workload.layout)
    if workload.values == "shifted":
        half = SHIFT / 2 if x.dtype == torch.float32 else 0.5 / torch.finfo(x.dtype).eps
        x.sub_(half)
        return x, LAYOUTS[layout](torch.full(x.shape, half, dtype=x.dtype, device=x.device))
    return x, draw_rows(workload, generator, layout)


def draw_columns(workload: Workload, generator: torch.Generator) -> torch.Tensor:
    """A weight or a bias for every column. [columns]"""
    return normal(workload.shape[-1:], getattr(torch, workload.dtype), generator)


def on_cuda(*shapes: Shape) -> tuple[Workload, ...]:
    return tuple(
        named(shape, dtype, timed_on=("cuda",))
        for shape in shapes
        for dtype in ("float32", "bfloat16")
    )


TIMED_ON_CPU = (
    named((1024, 1024), "float32", timed_on=("cpu",)),
    named((4096, 1024), "float32", timed_on=("cpu",)),
    named((64, 131072), "float32", timed_on=("cpu",)),
    named((1024, 1024), "bfloat16", timed_on=("cpu",)),
)
CATCHING = (
    named((1, 1), "float32"),
    named((4097, 1), "bfloat16"),
    # In float32 a row of three that happen to be close would decide, and its luck.
    named((1000, 3), "bfloat16", "descending"),
    *(named((3, 1087), dtype, "ascending") for dtype in DTYPES),
    named((3, 4097), "float32"),
    named((2, 40001), "float32", "outlier"),
    named((2, 40001), "bfloat16", "outlier"),
    # Sixteen rows: how far off a mean comes out is a matter of luck, once in each.
    named((16, 1000), "float32", "shifted"),
    named((16, 1000), "float16", "shifted"),
    named((16, 1000), "bfloat16", "shifted", "padded"),
    *(named((8, 1000), dtype, "scaled") for dtype in DTYPES),
    named((3, 4097), "bfloat16", "constant"),
    named((3, 1000), "float16", "huge"),
    named((3, 1000), "float32", "tiny"),
    named((63, 63), "float32", "nonfinite", "transposed"),
    named((63, 63), "float16", "nonfinite"),
    named((63, 63), "bfloat16", "nonfinite"),
    *(named((7, 63), dtype, layout="strided") for dtype in DTYPES),
)
ROWS = (
    *on_cuda((8192, 8192), (32768, 1024), (1024, 131072), (64, 8192)),
    *TIMED_ON_CPU,
    *CATCHING,
)
SUMS = (*on_cuda((8192, 8192), (64, 8192)), *TIMED_ON_CPU, *CATCHING)
