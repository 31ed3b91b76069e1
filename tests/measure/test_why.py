"""The real tools on planted kernels: on an NVIDIA GPU, with ncu and compute-sanitizer."""

import textwrap

import pytest

from warpbook.core.judgement import Outcome, Status
from warpbook.kernels.rung import read_rung
from warpbook.kernels.shelf import load_problem, load_rung
from warpbook.measure.counters import BUSY, NO_PERMISSION, NO_TOOL
from warpbook.measure.rerun import NotReplayed, trace
from warpbook.measure.sanitize import sanitize
from warpbook.measure.tools import find_tool
from warpbook.measure.why import explain

pytestmark = pytest.mark.gpu

PROBLEM = """
import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem


def inputs(workload, generator):
    return [torch.randn(workload.shape, generator=generator, device=generator.device)]


problem = Problem(
    name="twofold",
    inputs=inputs,
    reference=lambda x: x * 2,
    cost=lambda workload: Cost(4 * workload.shape[0], 4 * workload.shape[0]),
    workloads=(
        Workload("2^26", (2**26,), timed_on=("cuda",)),
        Workload("1", (1,)),
        Workload("63", (63,)),
        Workload("1000", (1000,)),
    ),
    mutants={"zeros": torch.zeros_like},
    sizes=("length",),
)
"""
SIZE = 4 * 2**26
EACH = "// grid: cdiv(length, 256), block: 256, dtype: float32\n"
RESIDENT = "// grid: 264, block: 1024, dtype: float32\n"
SIGNATURE = "(const float* x, float* y, long long length)"
FINE = f"""{EACH}
extern "C" __global__ void twofold{SIGNATURE} {{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < length) y[i] = 2 * x[i];
}}
"""
TWICE = f"""{RESIDENT}
extern "C" __global__ void twofold{SIGNATURE} {{
    long long start = blockIdx.x * 1024LL + threadIdx.x, step = gridDim.x * 1024LL;
    float sum = 0;
    for (long long i = start; i < length; i += step) sum += x[i];
    for (long long i = start; i < length; i += step) y[i] = sum == 0.125f ? sum : 2 * x[i];
}}
"""
SPILLING = f"""// grid: cdiv(length, 65536), block: 1024, dtype: float32
extern "C" __global__ void __launch_bounds__(1024, 2) twofold{SIGNATURE} {{
    long long start = blockIdx.x * 65536LL + threadIdx.x;
    float held[64];
    #pragma unroll
    for (int k = 0; k < 64; ++k) held[k] = start + 1024 * k < length ? x[start + 1024 * k] : 0;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 64; ++k) if (start + 1024 * k < length) y[start + 1024 * k] = 2 * held[k];
}}
"""
OUTSIDE = f"""{EACH}
extern "C" __global__ void twofold{SIGNATURE} {{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    float extra = length == 63 && i == 0 ? x[length] : 0;
    if (i < length) y[i] = 2 * x[i] + (extra == 0.125f ? 1 : 0);
}}
"""
RACING = f"""{EACH}
extern "C" __global__ void twofold{SIGNATURE} {{
    __shared__ float held[256];
    long long i = blockIdx.x * 256LL + threadIdx.x;
    held[threadIdx.x] = i < length ? 2 * x[i] : 0;
    if (i < length) y[i] = held[threadIdx.x] + held[threadIdx.x ^ 32] * 0;
}}
"""
TRITON = """
import torch
import triton
import triton.language as tl

@triton.jit
def scale(x, y, length, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + index, 2 * tl.load(x + index, index < length), index < length)

def twofold(x, out=None):
    out = torch.empty_like(x) if out is None else out
    scale[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
"""
TWO_STEPS = """
def twofold(x):
    return (x + 1) * 2 - 2
"""
RAISING = """
def twofold(x):
    raise ValueError("not today")
"""


@pytest.fixture
def problem(tmp_path):
    folder = tmp_path / "twofold"
    folder.mkdir()
    (folder / "problem.py").write_text(PROBLEM)
    return load_problem(str(folder))


@pytest.fixture
def rung(tmp_path, problem):
    def write(source, name="mine.cu"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(source))
        return read_rung(path, problem.name, sizes=problem.sizes)

    return write


def explained(problem, rung, fraction=None):
    return explain(problem, rung, Outcome("2^26", Status.CORRECT, fraction=fraction))


def counted(problem, rung):
    why = explained(problem, rung)
    need_counters(why)
    return why


def need_counters(why):
    """Only where this machine does not give any may a test go without."""
    if why.uncounted in (NO_TOOL, NO_PERMISSION, BUSY):
        pytest.skip(why.uncounted)
    assert why.uncounted == ""


def test_a_launch_is_described_without_counters(problem, rung):
    (launch,) = trace(problem, rung(FINE), "2^26").launches
    assert launch.kernel == "twofold"
    assert (launch.grid, launch.block) == ((2**18, 1, 1), (256, 1, 1))
    assert 0 < launch.registers <= 32
    assert (launch.local_bytes, launch.shared_bytes) == (0, 0)
    assert launch.occupancy.fraction == 1.0


def test_local_memory_and_what_the_kernel_declares_are_known_of_cuda(problem, rung):
    (spilling,) = trace(problem, rung(SPILLING), "2^26").launches
    assert spilling.local_bytes > 100
    (racing,) = trace(problem, rung(RACING, "racing.cu"), "2^26").launches
    assert (racing.static_shared_bytes, racing.shared_bytes) == (1024, 1024)


def test_a_triton_kernel_tells_its_local_memory_and_torchs_do_not(problem, rung):
    (scale,) = trace(problem, rung(TRITON, "mine.py"), "2^26").launches
    assert (scale.kernel, scale.local_bytes) == ("scale", 0)
    steps = trace(problem, rung(TWO_STEPS, "steps.py"), "2^26").launches
    assert len(steps) == 3
    assert all(step.local_bytes is None for step in steps)


def test_a_rung_that_fails_alone_is_told_with_its_error(problem, rung):
    with pytest.raises(NotReplayed, match=r"ValueError: not today \(mine.py:3\)"):
        trace(problem, rung(RAISING, "mine.py"), "2^26")


def test_the_counters_see_the_bytes_that_had_to_move(problem, rung):
    why = counted(problem, rung(FINE))
    (counters,) = why.counters
    assert counters.dram_read_bytes == pytest.approx(SIZE, rel=0.05)
    assert SIZE / 2 < counters.dram_written_bytes < 1.05 * SIZE
    assert 0.3 < counters.dram_fraction <= 1.0
    assert counters.local_bytes == 0
    assert counters.stalls["selected"] > 0
    assert why.stall in counters.stalls
    assert 0 < why.stall_share < 1


def test_a_second_reading_is_seen_and_named(problem, rung):
    why = counted(problem, rung(TWICE))
    assert why.counters[0].dram_read_bytes > 1.7 * SIZE
    assert "hold what was read" in why.advice


def test_spilled_registers_are_seen_and_named(problem, rung):
    why = counted(problem, rung(SPILLING))
    assert why.counters[0].local_bytes > 0
    assert "bytes a thread in local memory" in why.advice


def test_several_kernels_are_each_counted(problem, rung):
    why = counted(problem, rung(TWO_STEPS, "mine.py"))
    assert len(why.counters) == len(why.launches) == 3
    assert "fuse its kernels" in why.advice


@pytest.mark.parametrize("name", ["vectors", "scalars"])
def test_a_shipped_rung_moves_what_it_has_to(name):
    problem = load_problem("vector_add")
    workload = next(w for w in problem.workloads if "cuda" in w.timed_on)
    why = explain(problem, load_rung(problem, name), Outcome(workload.name, Status.CORRECT))
    assert why.launches[0].local_bytes == 0
    need_counters(why)
    needed = problem.cost(workload)
    assert why.counters[0].dram_read_bytes == pytest.approx(needed.bytes_read, rel=0.05)


needs_sanitizer = pytest.mark.skipif(
    find_tool("compute-sanitizer") is None, reason="compute-sanitizer is not installed"
)


@needs_sanitizer
def test_a_kernel_without_mistakes_is_clean(problem, rung):
    found = sanitize(problem, rung(FINE), None)
    assert (found.findings, found.trouble) == ((), ())
    assert found.workloads == ("1", "63", "1000")


@needs_sanitizer
def test_a_read_past_the_end_is_found_with_its_line_and_workload(problem, rung):
    found = sanitize(problem, rung(OUTSIDE), None)
    (finding,) = found.findings
    line = next(i for i, text in enumerate(OUTSIDE.splitlines(), 1) if "x[length]" in text)
    assert (finding.tool, finding.kernel, finding.workload) == ("memcheck", "twofold", "63")
    assert finding.place.endswith(f"mine.cu:{line}")
    assert "read of size 4 bytes" in finding.what
    assert found.trouble == ()


@needs_sanitizer
def test_a_race_is_found_with_both_of_its_lines(problem, rung):
    found = sanitize(problem, rung(RACING), ["1000"])
    assert {finding.tool for finding in found.findings} == {"racecheck"}
    lines = RACING.splitlines()
    write = next(i for i, text in enumerate(lines, 1) if "held[threadIdx.x] =" in text)
    assert f"a write at {found.findings[0].place}" in found.findings[0].what
    assert found.findings[0].place.endswith(f"mine.cu:{write}")


@needs_sanitizer
@pytest.mark.parametrize("name", ["vectors", "scalars"])
def test_shipped_rungs_are_clean(name):
    problem = load_problem("vector_add")
    found = sanitize(problem, load_rung(problem, name), None)
    assert (found.findings, found.trouble) == ((), ())
