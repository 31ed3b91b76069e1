"""A row over a cluster of blocks

A row that no block can hold is held by a cluster: up to eight blocks on neighbouring SMs. Each warp
takes squares of distances from a number near its mean, sends mean and squares to every block of the
row, and they are brought together as if taken from the row's mean: one exchange for both. A row of
131072 columns is then read once, where it was read twice. While a row is at work the next ones are
on their way to shared memory, and weights and biases stay in registers from row to row. Few rows
are spread over several SMs each. Rows of 8192 columns were held before: nothing is expected there.
"""

from functools import cache

import torch

from warpbook.kernels import held_row
from warpbook.kernels.held_row import Plan, launch, lie, processors
from warpbook.kernels.layer_norm.rungs import vectors

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.0

CODES = "qqqqqqqqqqqqf"
recalled = held_row.recalled


def plan(columns: int, dtype: torch.dtype, aligned: int, few: bool) -> Plan | None:
    return held_row.plan(columns, dtype, aligned, few, weights=2)


def prepared(chosen: Plan, dtype: torch.dtype, codes: str = CODES) -> held_row.Prepared:
    more = (bool(chosen.early), False)
    return held_row.prepared(__file__, "layer_norm", chosen, dtype, codes, *more)


@cache
def ready(columns: int, dtype: torch.dtype, aligned: int, few: bool) -> held_row.Prepared | None:
    chosen = plan(columns, dtype, aligned, few)
    return prepared(chosen, dtype) if chosen else None


def layer_norm(x, weight, bias, eps, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    aligned = lie([x, out], [weight, bias])
    run = ready(columns, x.dtype, aligned, rows < processors(x.get_device()))
    if run is None:
        return vectors.layer_norm(x, weight, bias, eps, out)
    places = (t.data_ptr() for t in (x, x, weight, bias, out, out))
    steps = (t.stride(0) for t in (x, x, out, out))
    launch(run, x, *places, rows, columns, *steps, eps)
    return out
