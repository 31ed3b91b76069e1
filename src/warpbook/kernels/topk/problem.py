"""topk: the k largest or smallest numbers of each row, and their columns."""

from collections.abc import Callable
from dataclasses import replace

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels import checks
from warpbook.kernels.problem import Problem
from warpbook.kernels.values import SHORT_NAMES, draw

K = 64
BITS = {2: torch.int16, 4: torch.int32}


def inputs(workload: Workload, generator: torch.Generator) -> tuple[torch.Tensor, int, bool, bool]:
    """The values `ties` are halves between about -4 and 4, zeros of both signs among them. A
    workload without a k has the usual one, or all of its columns where they are fewer."""
    extra = workload.extra
    k = min(int(extra.get("k", K)), workload.shape[-1])
    ties = workload.values == "ties"
    x = draw(replace(workload, values="normal") if ties else workload, generator)
    if ties:
        x.mul_(2).round_().div_(2)
    return x, k, bool(extra.get("largest", 1)), bool(extra.get("sorted", 1))


def reference(
    x: torch.Tensor, k: int, largest: bool, sorted: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """In order even where none is asked for: the check puts the other side in order too. Every NaN
    is made the plain one first: on a GPU torch's sort takes one with its sign bit set for the least
    of all."""
    x = torch.where(x.isnan(), torch.nan, x)
    values, indices = torch.topk(x, k, dim=-1, largest=largest)
    return values, indices


def cost(workload: Workload) -> Cost:
    """One reading of the row; what the k are and where."""
    rows, columns = workload.shape
    itemsize = getattr(torch, workload.dtype).itemsize
    k = min(int(workload.extra.get("k", K)), columns)
    return Cost(rows * columns * itemsize, rows * k * (itemsize + 8))


def of(
    shape: tuple[int, int],
    k: int,
    dtype: str,
    values: str = "normal",
    layout: str = "contiguous",
    largest: bool = True,
    sorted: bool = True,
    timed_on: tuple[str, ...] = (),
) -> Workload:
    """Named by all that is not ordinary: `3x1000-k64-ties-smallest-fp32`."""
    parts = ["x".join(map(str, shape)), f"k{k}"]
    parts += [part for part in (values, layout) if part not in ("normal", "contiguous")]
    parts += [] if largest else ["smallest"]
    parts += [] if sorted else ["unsorted"]
    name = "-".join([*parts, SHORT_NAMES[dtype]])
    extra = {"k": k, "largest": int(largest), "sorted": int(sorted)}
    return Workload(name, shape, dtype, values, layout, timed_on, extra)


WORKLOADS = (
    of((1024, 131072), 64, "float32", timed_on=("cuda",)),
    of((1024, 131072), 64, "bfloat16", timed_on=("cuda",)),
    of((8192, 8192), 64, "float32", timed_on=("cuda",)),
    of((8192, 8192), 64, "bfloat16", timed_on=("cuda",)),
    of((64, 151936), 50, "float32", timed_on=("cuda",)),
    of((64, 151936), 50, "bfloat16", timed_on=("cuda",)),
    of((1, 262144), 64, "float32", timed_on=("cuda",)),
    of((8192, 64), 8, "float32", timed_on=("cuda",)),
    of((1024, 8192), 1, "float32", timed_on=("cuda",)),
    of((1024, 8192), 1024, "float32", timed_on=("cuda",)),
    of((128, 262144), 1024, "float32", timed_on=("cuda",)),
    of((64, 8192), 64, "float32", timed_on=("cpu",)),
    of((1024, 512), 8, "float32", timed_on=("cpu",)),
    of((1, 1), 1, "float32"),
    of((4097, 3), 2, "bfloat16"),
    of((3, 63), 63, "float16"),
    of((2, 4097), 50, "float32", "ascending"),
    of((1, 4097), 50, "float16", "ascending"),
    of((1, 4097), 50, "bfloat16", "ascending"),
    of((1, 4097), 50, "float32", "descending", largest=False),
    of((3, 1024), 1000, "float32", sorted=False),
    of((1, 1024), 1000, "float16", largest=False),
    of((1, 1024), 1000, "bfloat16", largest=False, sorted=False),
    of((3, 1000), 1, "float32"),
    of((3, 1000), 100, "bfloat16", "huge"),
    of((3, 1000), 300, "float32", "tiny"),
    of((3, 1000), 400, "float32", "ties", largest=False),
    of((3, 1000), 600, "float16", "ties"),
    of((3, 1000), 600, "bfloat16", "ties"),
    of((3, 1000), 64, "bfloat16", "constant"),
    of((3, 1000), 20, "float32", "nonfinite"),
    of((3, 1000), 20, "float16", "nonfinite"),
    of((3, 1000), 1000, "bfloat16", "nonfinite", largest=False),
    of((7, 63), 5, "float32", layout="strided"),
    of((7, 63), 5, "float16", layout="strided"),
    of((7, 63), 5, "bfloat16", layout="transposed"),
    of((3, 1000), 20, "bfloat16", layout="padded"),
)

Found = tuple[torch.Tensor, torch.Tensor]


def plain(x: torch.Tensor, k: int, largest: bool, sorted: bool = True) -> Found:
    values, indices = torch.topk(x, k, dim=-1, largest=largest)
    return values, indices


def by(x: torch.Tensor, keys: torch.Tensor, k: int, largest: bool) -> Found:
    """The numbers whose keys are first."""
    indices = torch.topk(keys, k, dim=-1, largest=largest).indices
    return x.gather(-1, indices), indices


def ordered_bits(x: torch.Tensor) -> torch.Tensor:
    """The bits as signed integers in the order of the numbers."""
    bits = x.contiguous().view(BITS[x.itemsize])
    return torch.where(bits < 0, bits ^ torch.iinfo(bits.dtype).max, bits)


def zeros(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return torch.zeros_like(values), indices


def all_nan(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return torch.full_like(values, torch.nan), indices


def float16_detour(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values.half().to(x.dtype), indices


def bfloat16_detour(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values.bfloat16().to(x.dtype), indices


def half_keys(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Compares by the upper half of the bits."""
    return by(x, ordered_bits(x) >> 4 * x.itemsize, k, largest)


def keys_of_positive_numbers(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Takes the bits for the order, which turns negative numbers around: -0.0 is the least."""
    return by(x, x.contiguous().view(BITS[x.itemsize]), k, largest)


def magnitudes(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    return by(x, x.abs(), k, largest)


def always_largest(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    return plain(x, k, True)


def smallest_for_largest(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    return plain(x, k, not largest)


def never_sorted(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """In the order of the columns."""
    indices = plain(x, k, largest)[1].sort(dim=-1).values
    return x.gather(-1, indices), indices


def reversed_order(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values.flip(-1), indices.flip(-1)


def one_place_for_ties(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Looks up where a value is, and finds the first of several equal ones each time."""
    values, indices = plain(x, k, largest)
    alike = values[..., :, None] == values[..., None, :]
    return values, indices.gather(-1, alike.int().argmax(-1))


def drops_ties(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Takes what is beyond the k-th number, and does not fill up with those equal to it."""
    values, indices = plain(x, k, largest)
    dropped = values == values[..., -1:]
    return values.masked_fill(dropped, 0), indices.masked_fill(dropped, 0)


def nan_is_least(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """As comparisons of floats have it, of which all with a NaN fail."""
    return by(x, x.nan_to_num(-torch.inf, torch.inf, -torch.inf), k, largest)


def nan_is_skipped(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    worst = -torch.inf if largest else torch.inf
    return by(x, x.nan_to_num(worst, torch.inf, -torch.inf), k, largest)


def assumes_finite(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values.nan_to_num(), indices


def loses_the_sign_of_zero(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values + 0, indices


def flushes_subnormals(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    least = torch.finfo(x.dtype).tiny if x.dtype == torch.float32 else 2**-8
    return torch.where(values.abs() < least, 0, values), indices


def dropped_tail(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Whole blocks of 64 columns only, as long as they are k columns."""
    kept = x.shape[-1] // 64 * 64
    return plain(x[:, :kept] if kept >= k else x, k, largest)


def best_of_each_part(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Cuts a row into k parts and takes the best of each: mostly right, and quick."""
    columns = torch.arange(x.shape[-1], device=x.device)
    parts = zip(x.tensor_split(k, dim=-1), columns.tensor_split(k), strict=True)
    indices = torch.cat([plain(part, 1, largest)[1] + at[0] for part, at in parts], dim=-1)
    best = x.gather(-1, indices)
    order = torch.topk(best, k, dim=-1, largest=largest).indices
    return best.gather(-1, order), indices.gather(-1, order)


def first_columns(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Assumes that the row is sorted."""
    indices = torch.arange(k, device=x.device).expand(len(x), k).contiguous()
    return x[:, :k].contiguous(), indices


def first_rows(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    values[(len(x) + 1) // 2 :] = 0
    return values, indices


def indices_of_another_row(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values, indices.roll(1, dims=0)


def one_index(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values, indices[:, :1].expand_as(indices).contiguous()


def off_by_one(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values, (indices + 1) % x.shape[-1]


def indices_from_one(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values, indices + 1


def narrow_indices(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    values, indices = plain(x, k, largest)
    return values, indices.int()


def one_short(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """The last of the k keeps what the buffer held."""
    values, indices = plain(x, k, largest)
    values[:, -1], indices[:, -1] = 0, 0
    return values, indices


def wrong_axis(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    indices = plain(x, k, largest)[1]
    return x.sort(dim=0, descending=largest).values.gather(-1, indices), indices


def ignores_strides(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    return plain(x.as_strided(x.shape, (x.shape[1], 1)), k, largest)


def assumes_unit_stride(x: torch.Tensor, k: int, largest: bool, sorted: bool) -> Found:
    """Minds how far apart rows are, not columns."""
    return plain(x.as_strided(x.shape, (x.stride(0), 1)), k, largest)


MUTANTS: dict[str, Callable[..., Found]] = {
    mutant.__name__: mutant
    for mutant in (
        zeros,
        all_nan,
        float16_detour,
        bfloat16_detour,
        half_keys,
        keys_of_positive_numbers,
        magnitudes,
        always_largest,
        smallest_for_largest,
        never_sorted,
        reversed_order,
        one_place_for_ties,
        drops_ties,
        nan_is_least,
        nan_is_skipped,
        assumes_finite,
        loses_the_sign_of_zero,
        flushes_subnormals,
        dropped_tail,
        best_of_each_part,
        first_columns,
        first_rows,
        indices_of_another_row,
        one_index,
        off_by_one,
        indices_from_one,
        narrow_indices,
        one_short,
        wrong_axis,
        ignores_strides,
        assumes_unit_stride,
    )
}

problem = Problem(
    name="topk",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=WORKLOADS,
    mutants=MUTANTS,
    ladder=("sort", "partial", "radix", "split"),
    peers=("torch_topk",),
    sizes=("rows", "columns"),
    moves="stream",
    check=checks.topk,
)
