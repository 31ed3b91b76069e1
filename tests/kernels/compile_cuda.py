"""Compile every kernel that the CUDA rungs of problems launch, for sm_90a and without a GPU.

A script, since it stands in for the GPU's driver in its whole process: the rungs are called as
ever, on memory that is never touched, and a launch is written down instead of made. Besides a
problem's workloads it goes through sizes of its own, for the kernels that only those need. Prints
as JSON the launches by problem, rung and case, or how a problem failed.
"""

import importlib
import json
import re
import struct
import subprocess
import sys
import tempfile
import traceback
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import torch
import triton

from warpbook.kernels import cuda, tensor_map
from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.kernels.values import VALUES

CUOBJDUMP = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
MULTIPROCESSORS = 132
ROWS = (1, 300)
COLUMNS = (1, 7, 32, 130, 512, 1000, 2048, 5000, 16384, 50257, 65536, 131072, 262144, 300_001)
PRODUCTS = ((1, 130, 7), (8, 1000, 512), (130, 32, 2048), (512, 300, 1000), (2048, 2048, 64))


class Launch(cuda.Kernel):
    """A kernel that only takes note of how it is launched."""

    def __init__(self, symbol, cubin):
        self.facts = dissected(symbol, cubin)
        self.layout = None
        self.cluster = 1

    def takes(self, codes):
        self.codes = codes
        return super().takes(codes)

    def in_clusters(self, size):
        self.cluster = size
        return self

    def clusters_at_once(self, threads, shared, cluster):
        return MULTIPROCESSORS // self.in_clusters(cluster).cluster

    def allow(self, shared, device):
        pass

    def ready(self, threads, shared=0):
        return lambda device, blocks, *values: self.run(
            device, (blocks, 1, 1, threads, 1, 1, shared), *values
        )

    def run(self, device, shape, *values):
        given = [struct.calcsize(code) for code in re.findall(r"\d*[a-z]", self.codes)]
        launches.append(self.facts | {"shape": shape, "cluster": self.cluster, "given": given})


@cache
def dissected(symbol, cubin):
    """What the cubin says of its kernel: a frame is local memory, where spilled registers go."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [CUOBJDUMP, "-elf", file.name]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parameters = re.findall(r"Ordinal : (0x\w+).*Size    : (0x\w+)", listing)
    return {
        "kernel": plain_name(symbol),
        "symbol": symbol,
        "frame": int(number_after(rf"{re.escape(symbol)}\(\w+\)\s+frame size:", listing), 0),
        "threads": int(
            number_after(r"EIATTR_MAX_THREADS\s+Format:.*\s+Value:", listing) or "1024", 0
        ),
        "takes": [int(size, 0) for _, size in sorted(parameters, key=lambda p: int(p[0], 0))],
    }


def plain_name(symbol):
    """`_Z3addIfEv...` is `add`, which has 3 letters."""
    length, rest = re.match(r"_Z(\d+)(.*)", symbol).groups()
    return rest[: int(length)]


def number_after(pattern, listing):
    found = re.search(pattern + r"\s+(\w+)", listing)
    return found and found[1]


def untouched(shape, dtype, generator):
    """No contents are needed, and memory that is never touched is never there."""
    return torch.empty(shape, dtype=dtype)


def cases(problem):
    """The workloads, and the problem's first one in other sizes and every dtype that it is for."""
    yield from (w for w in problem.workloads if "cpu" not in w.timed_on)
    first = problem.workloads[0]
    shapes = {
        1: [(n,) for n in COLUMNS],
        2: [(r, c) for c in COLUMNS for r in ROWS],
        3: PRODUCTS,
    }
    for shape in shapes[len(first.shape)]:
        for dtype in dict.fromkeys(workload.dtype for workload in problem.workloads):
            yield replace(first, name=f"{shape} {dtype}", shape=shape, dtype=dtype)


cuda.Kernel = Launch
cuda.architecture = lambda: "sm_90a"
torch._C._cuda_getDevice = lambda: torch.empty(0).get_device()
torch._C._cuda_getCurrentRawStream = lambda _: 0
torch.cuda.is_current_stream_capturing = lambda: False
torch.cuda.get_device_properties = lambda *_: SimpleNamespace(multi_processor_count=MULTIPROCESSORS)
tensor_map.encoded = lambda *_: bytes(tensor_map.BYTES)
VALUES.update(dict.fromkeys(VALUES, untouched))


def launches_of(problem):
    global launches
    found = {}
    for rung in load_ladder(problem):
        if rung.language != "cuda":
            continue
        module = importlib.import_module(f"warpbook.kernels.{problem.name}.rungs.{rung.name}")
        launched = found[rung.name] = {}
        for case in cases(problem):
            launches = launched[case.name] = []
            getattr(module, problem.name)(*problem.inputs(case, torch.Generator()))
    return found


report = {}
for name in sys.argv[1:]:
    try:
        report[name] = launches_of(load_problem(name))
    except Exception:
        report[name] = traceback.format_exc()
print(json.dumps(report))
