"""A row over a cluster of blocks

The kernel of layer_norm, told to add first: the sum is written while it is held, and never read
again. Rows that no block can hold, and few rows, are spread over several SMs. Rows of 8192 columns
were held before: nothing is expected there.
"""

from functools import cache

import torch

from warpbook.kernels import held_row
from warpbook.kernels.add_layer_norm.rungs import registers
from warpbook.kernels.held_row import Plan, launch, lie, processors

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.0

CODES = "qqqqqqqqqqqqf"
recalled = held_row.recalled


def plan(columns: int, dtype: torch.dtype, aligned: int, few: bool) -> Plan | None:
    return held_row.plan(columns, dtype, aligned, few, weights=3)  # the residual is the third


def prepared(chosen: Plan, dtype: torch.dtype, codes: str = CODES) -> held_row.Prepared:
    more = (bool(chosen.early), True)
    return held_row.prepared(__file__, "layer_norm", chosen, dtype, codes, *more)


@cache
def ready(columns: int, dtype: torch.dtype, aligned: int, few: bool) -> held_row.Prepared | None:
    chosen = plan(columns, dtype, aligned, few)
    return prepared(chosen, dtype) if chosen else None


def add_layer_norm(x, residual, weight, bias, eps, out=None):
    if out is None:
        out = tuple(torch.empty_like(x, memory_format=torch.contiguous_format) for _ in "yh")
    y, h = out
    x, residual = (t if t.stride(1) == 1 else t.contiguous() for t in (x, residual))
    rows, columns = x.shape
    aligned = lie([x, residual, y, h], [weight, bias])
    run = ready(columns, x.dtype, aligned, rows < processors(x.get_device()))
    if run is None:
        return registers.add_layer_norm(x, residual, weight, bias, eps, out)
    places = (t.data_ptr() for t in (x, residual, weight, bias, y, h))
    steps = (t.stride(0) for t in (x, residual, y, h))
    launch(run, x, *places, rows, columns, *steps, eps)
    return out
