"""Run every Triton rung of problems on their catching workloads, in Triton's interpreter.

A script, since Triton reads TRITON_INTERPRET when it is imported. Prints as JSON, for each problem,
what was wrong and which workloads take more programs than the interpreter gets through, or how it
failed.
"""

import importlib
import json
import os
import sys
import traceback

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton  # noqa: F401, what follows looks for it

from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.measure.check import Checker
from warpbook.measure.compiles import TooManyPrograms, limit_programs
from warpbook.measure.interpreter import mend_interpreter


def poisoned(y, workload):
    floating = y.is_floating_point()
    dtype = getattr(torch, workload.dtype)
    return torch.full(y.shape, torch.nan, dtype=dtype) if floating else torch.full_like(y, -1)


torch.set_num_threads(1)
np.seterr(all="ignore")  # NaN and infinities are among the inputs
limit_programs()
mend_interpreter()


def checked(problem):
    wrong, skipped, count = [], [], 0
    for rung in load_ladder(problem):
        if rung.language != "triton":
            continue
        module = importlib.import_module(f"warpbook.kernels.{problem.name}.rungs.{rung.name}")
        function = getattr(module, problem.name)
        for workload in problem.workloads:
            if workload.timed:
                continue
            case = f"{rung.name} {workload.name}"
            arguments = problem.inputs(workload, torch.Generator().manual_seed(7))
            buffers = [poisoned(y, workload) for y in problem.expected(arguments, torch.float32)]
            out = tuple(buffers) if len(buffers) > 1 else buffers[0]
            try:
                assert function(*arguments, out=out) is out
            except TooManyPrograms:
                skipped.append(case)
                continue
            count += 1
            fault = Checker(problem, workload).add(buffers, arguments)
            if fault:
                wrong.append(f"{case}: {fault}")
    return {"wrong": wrong, "skipped": skipped, "checked": count}


report = {}
for name in sys.argv[1:]:
    try:
        report[name] = checked(load_problem(name))
    except Exception:
        report[name] = traceback.format_exc()
print(json.dumps(report))
