"""Wrong products that the checker must reject, each with one mistake that kernels make.

Knows nothing of how they are judged.
"""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple, TypeAlias

import torch
from torch.nn import functional


class Given(NamedTuple):
    """What a rung is given."""

    a: torch.Tensor
    b: torch.Tensor
    bias: torch.Tensor | None
    activation: int


Mutant: TypeAlias = Callable[[Given], torch.Tensor]


def activated(y: torch.Tensor, activation: int) -> torch.Tensor:
    """gelu is spelled out: torch's own, in float32 on a CPU, turns infinity into NaN."""
    if activation == 1:
        return functional.relu(y)
    if activation == 2:
        return 0.5 * y * (1 + torch.erf(y * sqrt(0.5)))
    if activation == 3:
        return functional.silu(y)
    return y


def plain(given: Given) -> torch.Tensor:
    return finished(given.a.float() @ given.b.float(), given)


def finished(y: torch.Tensor, given: Given) -> torch.Tensor:
    y = y if given.bias is None else y + given.bias.float()
    return activated(y, given.activation).to(given.a.dtype)


def zeros(given: Given) -> torch.Tensor:
    return torch.zeros_like(plain(given))


def all_nan(given: Given) -> torch.Tensor:
    return torch.full_like(plain(given), torch.nan)


def narrow_inputs(given: Given) -> torch.Tensor:
    """As a faster matrix unit takes them: with three bits after the point, as 8-bit floats have."""

    def cut(x: torch.Tensor) -> torch.Tensor:
        return (x.float().contiguous().view(torch.int32) >> 20 << 20).view(torch.float32)

    return finished(cut(given.a) @ cut(given.b), given)


def float16_detour(given: Given) -> torch.Tensor:
    return finished(given.a.half().float() @ given.b.half().float(), given)


def bfloat16_detour(given: Given) -> torch.Tensor:
    return finished(given.a.bfloat16().float() @ given.b.bfloat16().float(), given)


def in_narrow_sums(given: Given, length: int) -> torch.Tensor:
    """k in parts of this length, each summed in float32, and the parts added up in 16 bits."""
    total = given.a.new_zeros(len(given.a), given.b.shape[1])
    for part, rows in zip(
        torch.split(given.a, length, 1), torch.split(given.b, length), strict=True
    ):
        total += (part.float() @ rows.float()).to(total.dtype)
    return finished(total.float(), given)


def narrow_accumulator(given: Given) -> torch.Tensor:
    return in_narrow_sums(given, 1)


def narrow_parts(given: Given) -> torch.Tensor:
    return in_narrow_sums(given, 64)


def dropped_tail(given: Given) -> torch.Tensor:
    """Whole blocks of 64 along k only, as long as there is one."""
    k = len(given.b)
    kept = k // 64 * 64 or k - 1 or k
    return plain(given._replace(a=given.a[:, :kept], b=given.b[:kept]))


def first_half_of_k(given: Given) -> torch.Tensor:
    kept = (len(given.b) + 1) // 2
    return plain(given._replace(a=given.a[:, :kept], b=given.b[:kept]))


def dropped_rows(given: Given) -> torch.Tensor:
    """Whole tiles of 16 rows only; the rest keeps what the buffer held."""
    y = plain(given)
    y[len(y) // 16 * 16 :] = 0
    return y


def dropped_columns(given: Given) -> torch.Tensor:
    y = plain(given)
    y[:, y.shape[1] // 16 * 16 :] = 0
    return y


def one_row_for_all(given: Given) -> torch.Tensor:
    return plain(given._replace(a=given.a[:1].expand_as(given.a)))


def one_column_for_all(given: Given) -> torch.Tensor:
    return plain(given._replace(b=given.b[:, :1].expand_as(given.b)))


def swapped_tiles(given: Given) -> torch.Tensor:
    """Two halves of the columns in each other's place."""
    return plain(given).roll(given.b.shape[1] // 2, 1)


def off_by_one(given: Given) -> torch.Tensor:
    return plain(given._replace(b=given.b.roll(1, 0)))


def no_bias(given: Given) -> torch.Tensor:
    return plain(given._replace(bias=None))


def bias_twice(given: Given) -> torch.Tensor:
    """As every part of a k that is cut in two would add it."""
    return plain(given if given.bias is None else given._replace(bias=2 * given.bias))


def bias_after_activation(given: Given) -> torch.Tensor:
    y = activated(given.a.float() @ given.b.float(), given.activation)
    return finished(y, given._replace(activation=0))


def bias_of_rows(given: Given) -> torch.Tensor:
    """Adds the bias along the rows, as if it had one number a row."""
    if given.bias is None:
        return plain(given)
    row = torch.arange(len(given.a), device=given.a.device) % len(given.bias)
    y = given.a.float() @ given.b.float() + given.bias.float()[row, None]
    return finished(y, given._replace(bias=None))


def ignores_stride_of_bias(given: Given) -> torch.Tensor:
    if given.bias is None:
        return plain(given)
    return plain(given._replace(bias=given.bias.as_strided(given.bias.shape, (1,))))


def no_activation(given: Given) -> torch.Tensor:
    return plain(given._replace(activation=0))


def relu_for_all(given: Given) -> torch.Tensor:
    return plain(given._replace(activation=min(given.activation, 1)))


def gelu_for_silu(given: Given) -> torch.Tensor:
    return plain(given._replace(activation=min(given.activation, 2)))


def activates_parts(given: Given) -> torch.Tensor:
    """Each half of k through the activation by itself, as a product cut along k must not."""
    half = len(given.b) // 2
    first = plain(given._replace(a=given.a[:, :half], b=given.b[:half], bias=None))
    second = plain(given._replace(a=given.a[:, half:], b=given.b[half:]))
    return (first.float() + second.float()).to(given.a.dtype)


def transposed_a(given: Given) -> torch.Tensor:
    """Takes A for stored column by column."""
    return plain(given._replace(a=given.a.as_strided(given.a.shape, (1, len(given.a)))))


def transposed_b(given: Given) -> torch.Tensor:
    return plain(given._replace(b=given.b.as_strided(given.b.shape, (1, len(given.b)))))


def ignores_strides(given: Given) -> torch.Tensor:
    """Takes both for stored row by row with nothing between."""
    a, b = (x.as_strided(x.shape, (x.shape[1], 1)) for x in (given.a, given.b))
    return plain(given._replace(a=a, b=b))


def assumes_unit_stride(given: Given) -> torch.Tensor:
    """Minds how far apart rows are, or columns, not both."""

    def packed(x: torch.Tensor) -> torch.Tensor:
        return x if 1 in x.stride() else x.as_strided(x.shape, (x.stride(0), 1))

    return plain(given._replace(a=packed(given.a), b=packed(given.b)))


def absolute(given: Given) -> torch.Tensor:
    return plain(given._replace(a=given.a.abs(), b=given.b.abs()))


def assumes_positive(given: Given) -> torch.Tensor:
    return plain(given).clamp(min=0)


def assumes_finite(given: Given) -> torch.Tensor:
    return torch.nan_to_num(plain(given))


def quiet_relu(given: Given) -> torch.Tensor:
    """A maximum that takes 0 for the larger of 0 and NaN."""
    y = plain(given)
    return y.masked_fill(y.isnan(), 0) if given.activation == 1 else y


def flushes_subnormals(given: Given) -> torch.Tensor:
    def flush(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x.abs() < torch.finfo(x.dtype).tiny, 0, x)

    return plain(given._replace(a=flush(given.a), b=flush(given.b)))


def called_as_a_rung(mutant: Mutant) -> Callable[..., torch.Tensor]:
    def call(
        a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None, activation: int = 0
    ) -> torch.Tensor:
        return mutant(Given(a, b, bias, activation))

    return call


MUTANTS: dict[str, Callable[..., torch.Tensor]] = {
    mutant.__name__: called_as_a_rung(mutant)
    for mutant in (
        zeros,
        all_nan,
        narrow_inputs,
        float16_detour,
        bfloat16_detour,
        narrow_accumulator,
        narrow_parts,
        dropped_tail,
        first_half_of_k,
        dropped_rows,
        dropped_columns,
        one_row_for_all,
        one_column_for_all,
        swapped_tiles,
        off_by_one,
        no_bias,
        bias_twice,
        bias_after_activation,
        bias_of_rows,
        ignores_stride_of_bias,
        no_activation,
        relu_for_all,
        gelu_for_silu,
        activates_parts,
        transposed_a,
        transposed_b,
        ignores_strides,
        assumes_unit_stride,
        absolute,
        assumes_positive,
        assumes_finite,
        quiet_relu,
        flushes_subnormals,
    )
}
