"""Run the Triton rungs of matmul_bf16 in Triton's interpreter on what the workloads leave out.

A script, since Triton reads TRITON_INTERPRET when it is imported. Prints as JSON what was wrong.
"""

import json
import os

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton  # noqa: F401, what follows looks for it

from warpbook.core.workload import Workload
from warpbook.kernels.matmul_bf16 import tiles
from warpbook.kernels.matmul_bf16.problem import LAYOUTS_OF
from warpbook.kernels.matmul_bf16.rungs import blocked, grouped, persistent
from warpbook.kernels.matmul_bf16.tiles import Plan, Tile
from warpbook.kernels.shelf import load_problem
from warpbook.measure.check import Checker
from warpbook.measure.interpreter import mend_interpreter

torch.set_num_threads(1)
np.seterr(all="ignore")
mend_interpreter()
tiles.INTERPRETED_SMS = 7  # so that a program has several tiles
PROBLEM = load_problem("matmul_bf16")
wrong, checked = [], 0


def case(shape, layout, index):
    """In turn every activation, with and without a bias, in both dtypes."""
    extra = {"bias": index % 2, "activation": index // 2 % 4}
    dtype = ("bfloat16", "float16")[index // 3 % 2]
    return Workload(f"{shape} {layout} {dtype} {extra}", shape, dtype, layout=layout, extra=extra)


def check(name, workload, function, spread=1):
    """Into columns that are `spread` apart, between which nothing may be written."""
    global checked
    arguments = PROBLEM.inputs(workload, torch.Generator().manual_seed(7))
    (m, n, _), dtype = workload.shape, getattr(torch, workload.dtype)
    room = torch.full((m, n * spread), torch.nan, dtype=dtype)
    out = room[:, ::spread]
    function(*arguments, out)
    checked += 1
    fault = Checker(PROBLEM, workload).add([out], arguments)
    if spread > 1 and not bool(room[:, 1::spread].isnan().all()):
        fault = "it wrote between the columns"
    if fault:
        wrong.append(f"{name} {workload.name}: {fault}")


def in_parts(parts, swapped):
    """In small tiles."""
    plan = Plan(Tile(16, 32, 16, 4, 2, 1.0, 0.0), parts, 1.0)

    def run(a, b, bias, activation, out):
        given = (b.t(), a.t(), out.t()) if swapped else (a, b, out)
        persistent.carry_out(plan, *given, bias, activation, swapped)

    return run


SHAPES = ((17, 40, 33), (70, 24, 40), (1, 70, 65), (130, 1, 8), (0, 5, 7), (5, 0, 7), (5, 7, 0))
FIRST = {"contiguous": len(SHAPES), "nt": 2}
for rung in (blocked, grouped, persistent):
    for index, layout in enumerate(LAYOUTS_OF):
        for at, shape in enumerate(SHAPES[: FIRST.get(layout, 1)]):
            workload = case(shape, layout, index + 3 * at)
            check(rung.__name__, workload, rung.matmul_bf16, spread=1 + at % 2)
for index, layout in enumerate(LAYOUTS_OF):
    for parts in (1, 3):
        check(f"{parts} parts", case((33, 48, 72), layout, index + parts), in_parts(parts, False))
        check(f"{parts} parts, swapped", case((24, 40, 72), layout, index), in_parts(parts, True))
tickets = int(persistent.kept_tickets(torch.device("cpu"), 0).abs().sum())
print(json.dumps({"wrong": wrong, "checked": checked, "tickets": tickets}))
