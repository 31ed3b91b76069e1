"""Compile every launch of the Triton rungs of problems for sm_90, without a GPU.

A script, since it stands in for the GPU's driver in its whole process: the rungs are called as
ever, and each launch stops where it would load the finished cubin. Prints as JSON the
launches by problem and case, or how a problem failed.
"""

import importlib
import json
import sys
import traceback

import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.kernels.values import VALUES


class H200:
    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


def compile_only(self, *arguments, grid, warmup, **options):
    kernel = run(self, *arguments, grid=grid, warmup=True, **options)
    launches.append({"kernel": kernel.name, "is_elf": kernel.asm["cubin"][:4] == b"\x7fELF"})


def untouched(shape, dtype, generator):
    """No contents are needed, and memory that is never touched is never there."""
    return torch.empty(shape, dtype=dtype)


def worth_compiling(workloads):
    """All that are timed on a GPU, and a layout that is none of theirs. Of many that differ in
    their sizes alone, a few."""
    alike = {}
    for workload in workloads:
        if "cuda" in workload.timed_on or workload.layout == "strided":
            kind = (workload.dtype, workload.layout, tuple(workload.extra.items()))
            alike.setdefault(kind, []).append(workload)
    steps = {
        kind: max(1, len(found) // 3) if len(found) > 8 else 1 for kind, found in alike.items()
    }
    return [workload for kind, found in alike.items() for workload in found[:: steps[kind]]]


driver.set_active(H200())
run, JITFunction.run = JITFunction.run, compile_only
VALUES["normal"] = untouched


def launches_of(problem):
    global launches
    found = {}
    for rung in load_ladder(problem):
        if rung.language != "triton":
            continue
        module = importlib.import_module(f"warpbook.kernels.{problem.name}.rungs.{rung.name}")
        for workload in worth_compiling(problem.workloads):
            launches = found[f"{rung.name} {workload.name}"] = []
            getattr(module, problem.name)(*problem.inputs(workload, torch.Generator()))
    return found


report = {}
for name in sys.argv[1:]:
    try:
        report[name] = launches_of(load_problem(name))
    except Exception:
        report[name] = traceback.format_exc()
print(json.dumps(report))
