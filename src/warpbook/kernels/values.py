"""Drawing a tensor by the names a workload gives its contents and its layout.

Knows nothing of what a problem does with the tensor.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import torch

from warpbook.core.workload import Workload

Shape: TypeAlias = tuple[int, ...]

SHORT_NAMES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}


def named(
    shape: Shape,
    dtype: str,
    values: str = "normal",
    layout: str = "contiguous",
    timed_on: tuple[str, ...] = (),
) -> Workload:
    """A workload whose name says all of it but what is ordinary: `4097-strided-bf16`."""
    parts = ["x".join(map(str, shape))]
    parts += [part for part in (values, layout) if part not in ("normal", "contiguous")]
    name = "-".join([*parts, SHORT_NAMES[dtype]])
    return Workload(name, shape, dtype, values, layout, timed_on)


def draw(workload: Workload, generator: torch.Generator, layout: str | None = None) -> torch.Tensor:
    """A tensor of the workload's shape and dtype, on the generator's device, in the workload's
    layout unless another is given."""
    dtype = getattr(torch, workload.dtype)
    fill = VALUES[workload.values]
    contents = fill(workload.shape, dtype, generator)
    return LAYOUTS[layout or workload.layout](contents)


def normal(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, device=generator.device, generator=generator)


def uniform(shape: Shape, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(shape, device=generator.device, generator=generator)


def huge(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Up to just under half of the largest finite number, so that a sum of two stays finite."""
    signed = 2 * uniform(shape, generator) - 1
    return (0.49 * torch.finfo(dtype).max * signed).to(dtype)


def large(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Past what exp takes in float32, 88.7: rows of large positive numbers, and rows of large
    negative ones that are all 0 after it. Each row spans more than 88.7 too."""
    magnitude = 200 + 40 * normal(shape, torch.float32, generator).abs()
    magnitude[1::2] *= -1
    return magnitude.to(dtype)


def tiny(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Up to the smallest normal number: nearly all of it is subnormal."""
    signed = 2 * uniform(shape, generator).double() - 1
    return (torch.finfo(dtype).tiny * signed).to(dtype)


def constant(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """One drawn number throughout."""
    return normal((1,), dtype, generator).expand(shape).contiguous()


def ascending(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Spread so that the largest few of a row outweigh the rest of it after exp: leaving out the
    end of a row then shows in every dtype, however long the row is."""
    return (4 * normal(shape, torch.float32, generator)).to(dtype).sort(dim=-1).values


def descending(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return ascending(shape, dtype, generator).flip(-1).contiguous()


def masked(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """-inf in three places of ten; then, in turn, a row that is all -inf, a row of which only the
    last number is finite, a row of which only the first is, and a row left as it is."""
    contents = normal(shape, dtype, generator)
    hidden = uniform(shape, generator) < 0.3
    hidden[0::4] = True
    hidden[1::4] = True
    hidden[1::4, -1] = False
    hidden[2::4] = True
    hidden[2::4, 0] = False
    return contents.masked_fill(hidden, -math.inf)


def nonfinite(shape: Shape, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """An infinity of either sign or a NaN in one place of two hundred each."""
    contents = normal(shape, dtype, generator)
    which = (uniform(shape, generator) * 200).int()
    for place, value in enumerate((math.nan, math.inf, -math.inf)):
        contents[which == place] = value
    return contents


VALUES: dict[str, Callable[[Shape, torch.dtype, torch.Generator], torch.Tensor]] = {
    "normal": normal,
    "huge": huge,
    "large": large,
    "tiny": tiny,
    "constant": constant,
    "ascending": ascending,
    "descending": descending,
    "masked": masked,
    "nonfinite": nonfinite,
}


def contiguous(contents: torch.Tensor) -> torch.Tensor:
    return contents


def transposed(contents: torch.Tensor) -> torch.Tensor:
    return contents.t().contiguous().t()


def padded(contents: torch.Tensor) -> torch.Tensor:
    """Rows apart by an odd number of columns, so that most of them start off any vector's
    alignment."""
    length = contents.shape[-1]
    return within(contents, length + 7 + length % 2, start=3, step=1)


def strided(contents: torch.Tensor) -> torch.Tensor:
    """Every second number of rows that are further apart still."""
    return within(contents, 2 * contents.shape[-1] + 5, start=1, step=2)


def within(contents: torch.Tensor, width: int, start: int, step: int) -> torch.Tensor:
    """A view of rows of `width` that holds `contents`, with NaN everywhere around them."""
    base = contents.new_full((*contents.shape[:-1], width), math.nan)
    view = base[..., start : start + step * contents.shape[-1] : step]
    return view.copy_(contents)


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": contiguous,
    "transposed": transposed,
    "padded": padded,
    "strided": strided,
}
