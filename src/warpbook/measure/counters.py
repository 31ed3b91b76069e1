"""What the GPU's counters saw of each kernel, through NVIDIA's `ncu`: bytes to and from DRAM, and
what its warps waited for.

Knows how to call `ncu` and how to read its table; not what the figures mean for a rung.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warpbook.measure.launch import base_name
from warpbook.measure.tools import find_tool, run_tool

LIMIT_S = 180.0
STALLS = (
    "barrier",
    "branch_resolving",
    "dispatch_stall",
    "drain",
    "imc_miss",
    "lg_throttle",
    "long_scoreboard",
    "math_pipe_throttle",
    "membar",
    "mio_throttle",
    "misc",
    "no_instruction",
    "not_selected",
    "selected",
    "short_scoreboard",
    "sleeping",
    "tex_throttle",
    "wait",
)
HOPPER_STALLS = ("gmma",)
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
DRAM_PERCENT = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
TIME = "gpu__time_duration.sum"
LOCAL_SECTORS = (
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
)
SECTOR_BYTES = 32
PREFIX, SUFFIX = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
UNITS = {f"{prefix}byte": scale for prefix, scale in SCALES.items()} | {
    f"{prefix}{unit}": scale
    for unit in ("second", "s")
    for prefix, scale in (("n", 1e-3), ("u", 1.0), ("m", 1e3), ("", 1e6))
}
NO_TOOL = (
    "ncu is not installed; it is part of the CUDA toolkit (Nsight Compute): put it on the PATH"
)
NO_PERMISSION = (
    "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): run as root, in a container "
    "with CAP_SYS_ADMIN, or have the driver loaded with NVreg_RestrictProfilingToAdminUsers=0"
)
BUSY = "another program holds the GPU's counters (often DCGM): stop it while this one reads them"


class Unreadable(Exception):
    """The counters cannot be read here; says why and what to do."""


@dataclass(frozen=True)
class Counters:
    """Of one launch. `local_bytes` went through local memory, where spilled registers live.
    `stalls` are the warps that waited for each reason, on average, whenever one issued."""

    kernel: str
    device_us: float
    dram_read_bytes: float
    dram_written_bytes: float
    dram_fraction: float
    local_bytes: float
    stalls: Mapping[str, float]


def count(target: Sequence[str], environment: Mapping[str, str], hopper: bool) -> list[Counters]:
    """The counters of every kernel that `target` launches while its profiler is on."""
    tool = find_tool("ncu")
    if tool is None:
        raise Unreadable(NO_TOOL)
    ran = run_tool([tool, *options(hopper), *target], environment, LIMIT_S)
    found = read_table(ran.output)
    if found:
        return found
    raise Unreadable(complaint(ran.output, ran.status))


def options(hopper: bool) -> list[str]:
    """The caches are flushed before each pass over a kernel, and the clocks left as they are."""
    stalls = STALLS + (HOPPER_STALLS if hopper else ())
    metrics = [READ, WRITTEN, DRAM_PERCENT, TIME, *LOCAL_SECTORS]
    metrics += [f"{PREFIX}{stall}{SUFFIX}" for stall in stalls]
    return [
        "--profile-from-start=off",
        "--clock-control=none",
        "--cache-control=all",
        "--csv",
        "--page=raw",
        "--print-units=base",
        f"--metrics={','.join(metrics)}",
    ]


def read_table(output: str) -> list[Counters]:
    """The table that `--csv --page raw` prints: names, then units, then a line a launch."""
    lines = output.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    if start is None:
        return []
    names, *rows = csv.reader(line for line in lines[start:] if line.startswith('"'))
    whole = [row for row in rows if len(row) == len(names)]
    return [
        read_launch(dict(zip(names, zip(whole[0], cells, strict=True), strict=True)))
        for cells in whole[1:]
    ]


def read_launch(cells: Mapping[str, tuple[str, str]]) -> Counters:
    stalls = {
        name.removeprefix(PREFIX).removesuffix(SUFFIX): number(cells, name)
        for name in cells
        if name.startswith(PREFIX) and name.endswith(SUFFIX)
    }
    return Counters(
        kernel=base_name(cells["Kernel Name"][1]),
        device_us=number(cells, TIME),
        dram_read_bytes=number(cells, READ),
        dram_written_bytes=number(cells, WRITTEN),
        dram_fraction=number(cells, DRAM_PERCENT) / 100,
        local_bytes=SECTOR_BYTES * sum(number(cells, name) for name in LOCAL_SECTORS),
        stalls=stalls,
    )


def number(cells: Mapping[str, tuple[str, str]], name: str) -> float:
    """In bytes or microseconds where the unit is one of those; 0 for what was not counted."""
    unit, text = cells.get(name, ("", ""))
    try:
        return float(text.replace(",", "")) * UNITS.get(unit, 1.0)
    except ValueError:
        return 0.0


def complaint(output: str, status: int | None) -> str:
    if "ERR_NVGPUCTRPERM" in output:
        return NO_PERMISSION
    if "driver resource was unavailable" in output:
        return BUSY
    if status is None:
        return f"ncu was not done after {LIMIT_S:.0f} s"
    return f"ncu read nothing: {last_words(output.splitlines())}"


def last_words(lines: Iterable[str]) -> str:
    told = [line.strip() for line in lines if line.strip()]
    errors = [line for line in told if line.startswith("==ERROR==")]
    return (errors or told or ["it said nothing"])[-1].removeprefix("==ERROR==").strip()
