"""Ready-made checks for problems whose answer a plain error cannot judge.

Each takes the outputs, the arguments and the float64 answer, and says what is wrong, or None.
They know nothing of rounds: each call stands for itself.
"""

from collections.abc import Sequence

import torch

from warpbook.kernels.problem import Argument

# Per statistic the chance that an unbiased rounding is refused is under 2 exp(-Z * Z / 2), 3e-8.
Z = 6.0


def exact(
    outputs: Sequence[torch.Tensor],
    arguments: Sequence[Argument],
    expected: Sequence[torch.Tensor],
) -> str | None:
    """Every output is the answer rounded to its dtype, NaN where the answer is NaN."""
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs where {len(expected)} are expected"
    for index, (got, truth) in enumerate(zip(outputs, expected, strict=True)):
        if got.shape != truth.shape:
            return f"output {index} has shape {tuple(got.shape)}, not {tuple(truth.shape)}"
        wrong = ~same(got, truth.to(got.dtype))
        if bool(wrong.any()):
            return f"output {index}: {int(wrong.sum())} of {got.numel()} elements differ"
    return None


def topk(
    outputs: Sequence[torch.Tensor],
    arguments: Sequence[Argument],
    expected: Sequence[torch.Tensor],
) -> str | None:
    """Of (values, indices) over the last dimension of the first argument, of which there may be
    two more after k, `largest` and `sorted`: the values are the answer's, in its order if sorted;
    the indices are distinct and point at them. Which of several equal numbers an index points at
    is free."""
    values, indices = outputs
    x, _, largest, ordered, *_ = *arguments, True, True
    assert isinstance(x, torch.Tensor)
    in_order = values
    if not ordered:  # on a GPU torch's sort takes a NaN with its sign bit set for the least of all
        plain = torch.where(values.isnan(), torch.nan, values)
        in_order = plain.sort(dim=-1, descending=bool(largest)).values
    fault = exact([in_order], arguments, expected[:1])
    if fault:
        return f"values: {fault}"
    if indices.shape != values.shape or indices.dtype != torch.int64:
        return f"indices are {indices.dtype} of shape {tuple(indices.shape)}"
    if bool(((indices < 0) | (indices >= x.shape[-1])).any()):
        return "an index is out of range"
    by_column = indices.sort(dim=-1).values
    if bool((by_column[..., 1:] == by_column[..., :-1]).any()):
        return "an index occurs twice in a row"
    found = x.gather(-1, indices)
    if not bool(same(found, values).all()):
        return "an index points at another value"
    if bool(((found == 0) & (found.signbit() != values.signbit())).any()):
        return "a zero has the wrong sign"
    return None


def unbiased(
    outputs: Sequence[torch.Tensor],
    arguments: Sequence[Argument],
    expected: Sequence[torch.Tensor],
) -> str | None:
    """Of a stochastic rounding whose random numbers are an argument: each number is one of the
    answer's two neighbours in the output's dtype, and the errors average out.

    The average alone would let rounding to nearest and rounding toward zero through, so the errors
    are also weighed by the answer's place between its neighbours and by its sign.
    """
    (got,), (truth,) = outputs, expected
    if got.shape != truth.shape:
        return f"the output has shape {tuple(got.shape)}, not {tuple(truth.shape)}"
    y = got.double()
    if not torch.equal(y.isnan(), truth.isnan()):
        return "NaN is not exactly where the reference has it"
    low, high = neighbours(truth, got.dtype)
    strangers = ~((y == low) | (y == high) | truth.isnan())
    if bool(strangers.any()):
        return f"{int(strangers.sum())} of {y.numel()} numbers are no neighbour of the answer"
    between = (low < truth) & (truth < high) & low.isfinite() & high.isfinite()
    return lopsided(y[between], truth[between], low[between], high[between])


def lopsided(
    y: torch.Tensor, truth: torch.Tensor, low: torch.Tensor, high: torch.Tensor
) -> str | None:
    """`y` is `high` with the chance `up` if the rounding is unbiased, else `low`. A weighed sum of
    the errors, in steps between neighbours, then has mean 0 and a known variance, and Bernstein's
    inequality bounds it for any number of terms."""
    up = (truth - low) / (high - low)
    error = (y - truth) / (high - low)
    weighings = {
        "the errors lean one way": torch.ones_like(up),
        "the errors lean toward or away from zero": truth.sign(),
        "the errors depend on the distance to the neighbours": 2 * up - 1,
    }
    for fault, weight in weighings.items():
        total = float((weight * error).sum())
        deviation = float((weight.square() * up * (1 - up)).sum()) ** 0.5
        if abs(total) > Z * deviation + Z * Z / 3:
            return f"{fault}: {total:+.3g} steps in all, {deviation:.3g} expected by chance"
    return None


def neighbours(truth: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """The numbers of `dtype` just below and just above `truth`; itself twice where it is one."""
    rounded = truth.to(dtype)
    nearest = rounded.double()
    low = torch.where(nearest > truth, step(rounded, -1).double(), nearest)
    high = torch.where(nearest < truth, step(rounded, +1).double(), nearest)
    return low, high


def step(x: torch.Tensor, direction: int) -> torch.Tensor:
    """The next number of the same dtype up (+1) or down (-1): the bits of a float, read as a
    signed integer, count its magnitude."""
    integer = {1: torch.int8, 2: torch.int16, 4: torch.int32}[x.itemsize]
    bits = x.view(integer)
    moved = bits + torch.where(bits < 0, -direction, direction).to(integer)
    smallest = 1 if direction > 0 else torch.iinfo(integer).min + 1
    return torch.where(x.double() == 0, smallest, moved).to(integer).view(x.dtype)


def same(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Equal, or both NaN. Both have one dtype; float64 holds every smaller float."""
    if a.is_floating_point():
        a, b = a.double(), b.double()
    return (a == b) | (a.isnan() & b.isnan())
