"""Mistakes that any norm can make around its statistics, and those of a sum with its norm.

A norm is a function of rows and of what comes after them: weight, perhaps bias, eps. Knows nothing
of the statistics themselves; their mistakes are with each problem.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import torch

Norm: TypeAlias = Callable[..., torch.Tensor]
Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]
AddNorm: TypeAlias = Callable[..., Pair]


def around(plain: Norm) -> dict[str, Norm]:
    """Mistakes with a norm that is right, `plain`, inside."""
    mistakes = (
        zeros,
        all_nan,
        float16_detour,
        bfloat16_detour,
        dropped_tail_in_output,
        first_rows,
        off_by_one,
        assumes_finite,
        ignores_strides,
        assumes_unit_stride,
        weight_forgotten,
        weight_off_by_one,
        weight_plus_one,
    )
    return {mistake.__name__: partial(mistake, plain) for mistake in mistakes}


def zeros(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return torch.zeros_like(plain(x, *rest))


def all_nan(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return torch.full_like(plain(x, *rest), torch.nan)


def float16_detour(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return plain(x.half(), *rest).to(x.dtype)


def bfloat16_detour(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return plain(x.bfloat16(), *rest).to(x.dtype)


def dropped_tail_in_output(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Whole blocks of 64 columns only; the rest keeps what the buffer held."""
    answer = plain(x, *rest)
    answer[:, x.shape[-1] // 64 * 64 :] = 0
    return answer


def first_rows(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    answer = plain(x, *rest)
    answer[(len(x) + 1) // 2 :] = 0
    return answer


def off_by_one(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return plain(x.roll(1, dims=-1), *rest)


def assumes_finite(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Answers 0 where the answer is NaN."""
    return torch.nan_to_num(plain(x, *rest))


def ignores_strides(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return plain(x.as_strided(x.shape, (x.shape[1], 1)), *rest)


def assumes_unit_stride(plain: Norm, x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Minds how far apart rows are, not columns."""
    return plain(x.as_strided(x.shape, (x.stride(0), 1)), *rest)


def weight_forgotten(
    plain: Norm, x: torch.Tensor, weight: torch.Tensor, *rest: Any
) -> torch.Tensor:
    return plain(x, torch.ones_like(weight), *rest)


def weight_off_by_one(
    plain: Norm, x: torch.Tensor, weight: torch.Tensor, *rest: Any
) -> torch.Tensor:
    return plain(x, weight.roll(1), *rest)


def weight_plus_one(plain: Norm, x: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    """As in models that store a weight as its distance from 1."""
    return plain(x, weight + 1, *rest)


def short_sum(terms: torch.Tensor) -> torch.Tensor:
    """Kept in bfloat16, column by column."""
    total = torch.zeros(len(terms), dtype=torch.bfloat16, device=terms.device)
    for column in terms.bfloat16().unbind(-1):
        total += column
    return total[:, None].float()


def kept_columns(x: torch.Tensor) -> int:
    """Whole blocks of 64 columns only, as long as there is one."""
    columns = x.shape[-1]
    return columns // 64 * 64 or columns - 1 or columns


def of_sums(plain: Norm, mutants: Mapping[str, Norm]) -> dict[str, AddNorm]:
    """A norm's mistakes, made with a sum of two, and those that come with the sum."""
    taken = {name: partial(on_sum, mutant) for name, mutant in mutants.items()}
    mistakes = (
        residual_forgotten,
        residual_forgotten_in_norm,
        residual_forgotten_in_sum,
        residual_twice,
        sum_not_written,
        sum_of_first_rows,
        sum_normalised,
        outputs_swapped,
        float16_sum,
        bfloat16_sum,
        ignores_strides_of_both,
        strides_of_the_other,
    )
    unmade = {"ignores_strides", "assumes_unit_stride"}  # the sum is drawn in no strides
    own = {mistake.__name__: partial(mistake, plain) for mistake in mistakes}
    return {**{name: taken[name] for name in taken if name not in unmade}, **own}


def added(x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
    return (x.float() + residual.float()).to(x.dtype)


def on_sum(norm: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    h = added(x, residual)
    return norm(h, *rest), h


def residual_forgotten(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    return plain(x, *rest), x.clone()


def residual_forgotten_in_norm(
    plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any
) -> Pair:
    return plain(x, *rest), added(x, residual)


def residual_forgotten_in_sum(
    plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any
) -> Pair:
    return plain(added(x, residual), *rest), x.clone()


def residual_twice(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    return on_sum(plain, residual, residual, *rest)


def sum_not_written(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    y, h = on_sum(plain, x, residual, *rest)
    return y, torch.zeros_like(h)


def sum_of_first_rows(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    y, h = on_sum(plain, x, residual, *rest)
    h[(len(h) + 1) // 2 :] = 0
    return y, h


def sum_normalised(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    """The buffer of the sum is used again for the result."""
    y, _ = on_sum(plain, x, residual, *rest)
    return y, y.clone()


def outputs_swapped(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    y, h = on_sum(plain, x, residual, *rest)
    return h, y


def float16_sum(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    h = (x.half() + residual.half()).to(x.dtype)
    return plain(h, *rest), h


def bfloat16_sum(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    h = (x.bfloat16() + residual.bfloat16()).to(x.dtype)
    return plain(h, *rest), h


def ignores_strides_of_both(
    plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any
) -> Pair:
    flat = (x.shape[1], 1)
    return on_sum(plain, x.as_strided(x.shape, flat), residual.as_strided(x.shape, flat), *rest)


def strides_of_the_other(plain: Norm, x: torch.Tensor, residual: torch.Tensor, *rest: Any) -> Pair:
    """Finds the rows of x where those of the residual are."""
    return on_sum(plain, x.as_strided(x.shape, residual.stride()), residual, *rest)
