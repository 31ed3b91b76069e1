"""A row over a cluster of blocks

A row that no block can hold is held by a cluster: up to eight blocks on neighbouring SMs, which
tell each other their largest and their sum through each other's shared memory. So a row of 131072
columns is read once and written once, a third less traffic than in parts. Each warp sends what it
has found to every block of its row, and waits for as many bytes as the others will send: one step
in place of a barrier. In 16 bits the next rows are on their way meanwhile. Few rows are spread over
several SMs each in the same way, and rows that start anywhere keep their 16-byte loads. Rows of
8192 columns were held before: nothing is expected there.
"""

from functools import cache

import torch

from warpbook.kernels import held_row
from warpbook.kernels.held_row import Plan, launch, lie, processors
from warpbook.kernels.softmax.rungs import vectors

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.0

CODES = "qqqqqq"
recalled = held_row.recalled


def plan(columns: int, dtype: torch.dtype, aligned: int, few: bool) -> Plan | None:
    return held_row.plan(columns, dtype, aligned, few)


def prepared(chosen: Plan, dtype: torch.dtype, codes: str = CODES) -> held_row.Prepared:
    return held_row.prepared(__file__, "softmax", chosen, dtype, codes)


@cache
def ready(columns: int, dtype: torch.dtype, aligned: int, few: bool) -> held_row.Prepared | None:
    chosen = plan(columns, dtype, aligned, few)
    return prepared(chosen, dtype) if chosen else None


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    run = ready(columns, x.dtype, lie([x, out]), rows < processors(x.get_device()))
    if run is None:
        return vectors.softmax(x, out)
    launch(run, x, x.data_ptr(), out.data_ptr(), rows, columns, x.stride(0), out.stride(0))
    return out
