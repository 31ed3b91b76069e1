"""A rung under compute-sanitizer: accesses out of bounds, and races in shared memory.

Runs the rung again in a process of its own (`replay`) and reads what the tool prints. Nothing that
is found here changes a judgement.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from warpbook.core.errors import Missing
from warpbook.kernels.rung import Rung
from warpbook.measure.launch import short_name
from warpbook.measure.rerun import BEGIN, FAILED, command, environment, last_line
from warpbook.measure.tools import find_tool, run_tool

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem

TOOLS = ("memcheck", "racecheck")
LIMIT_S = 300.0
LARGEST = 2**22  # elements; the tools slow a kernel down a hundredfold and more
PREFIX = "========="
OPTIONS = (
    "--show-backtrace=no",
    "--report-api-errors=no",
    "--destroy-on-device-error=kernel",
    "--launch-timeout=120",
    "--print-limit=1000",
)
# Each tensor in an allocation of its own, so that one step past its end is seen.
OWN = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}

SUMMARY = re.compile(r"(ERROR|RACECHECK) SUMMARY: (\d+)")
HAZARDS = r"(?: \[\d+ hazards?\])?$"
AT = re.compile(r"(?:^|access )at (?P<kernel>.+)\+0x[0-9a-f]+(?: in (?P<place>.+:\d+))?" + HAZARDS)
OLD_AT = re.compile(
    r"(?:^|access )at 0x[0-9a-f]+ in (?:(?P<place>.+?:\d+):)?(?P<kernel>.+?)" + HAZARDS
)
SIDE = re.compile(r"(?P<kind>\w+) access at ")
ADDRESS = re.compile(r"Address 0x[0-9a-f]+ (?P<state>is .+)$")
NEAR = re.compile(r"and is (?P<bytes>[\d,]+) bytes? (?P<side>before|after) ")
ASIDE = ("COMPUTE-SANITIZER", "Target application returned", "Program hit ", "LEAK SUMMARY")


@dataclass(frozen=True)
class Finding:
    """`what` went wrong in `kernel`, at `place` (file:line, or empty), first on `workload`;
    `times` counts the reports of it."""

    tool: str
    severity: str
    what: str
    kernel: str
    place: str
    workload: str
    times: int = 1


@dataclass(frozen=True)
class Sanitized:
    """`trouble` is what kept a tool from seeing all the workloads."""

    rung: str
    tools: tuple[str, ...]
    workloads: tuple[str, ...]
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]
    trouble: tuple[str, ...]

    @property
    def clean(self) -> bool:
        return not self.findings and not self.trouble


def require_tool() -> str:
    tool = find_tool("compute-sanitizer")
    if tool is None:
        raise Missing(
            "--sanitize needs compute-sanitizer, which is part of the CUDA toolkit: install it "
            "(on Ubuntu, the package cuda-sanitizer-13-0) and put it on the PATH"
        )
    return tool


def sanitize(problem: "Problem", rung: Rung, only: Sequence[str] | None) -> Sanitized:
    """Over the small workloads that exist to catch mistakes, or over those asked for."""
    tool = require_tool()
    asked = [w for w in problem.workloads if (w.name in only if only else not w.timed)]
    mine = [w for w in asked if not rung.why_not(w.dtype)]
    small = [w.name for w in mine if prod(w.shape) <= LARGEST]
    findings: list[Finding] = []
    trouble = [] if small else ["nothing was run: no workload is small and of its dtype"]
    for name in TOOLS if small else ():
        replay = command(problem, rung, small, "--exact")
        ran = run_tool([tool, f"--tool={name}", *OPTIONS, *replay], environment(**OWN), LIMIT_S)
        found, unsaid = read_output(name, ran.output)
        findings += found
        trouble += unsaid
        if ran.status is None:
            trouble.append(f"{name} was not done after {LIMIT_S:.0f} s")
    return Sanitized(
        rung=rung.name,
        tools=TOOLS,
        workloads=tuple(small),
        left_out=tuple(w.name for w in asked if w.name not in small),
        findings=tuple(findings),
        trouble=tuple(trouble),
    )


def read_output(tool: str, output: str) -> tuple[list[Finding], list[str]]:
    """Findings, alike ones together, and what the tool did not get to."""
    findings: list[Finding] = []
    trouble: list[str] = []
    workload, summary = "", False
    for record in records(output.splitlines()):
        head = record[0]
        if head.startswith(BEGIN):
            workload = head.removeprefix(BEGIN).strip()
        elif head.startswith(FAILED):
            trouble.append(f"{tool}: {head}")
        elif SUMMARY.match(head):
            summary = True
        elif head.startswith(("Internal Sanitizer Error", "Error: No attachable", "Error: Failed")):
            trouble.append(f"{tool}: {head}")
        elif not head.startswith((*ASIDE, "Error: process didn't")):
            findings.append(finding(tool, record, workload))
    if not summary:
        trouble.append(f"{tool} did not finish: {last_line(output)}")
    return together(findings), trouble


def records(lines: Iterable[str]) -> list[list[str]]:
    """The tool's paragraphs without their prefix, and between them the replay's own lines."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith((BEGIN, FAILED)):
            found.append([line])
        elif line.startswith(PREFIX):
            text = line.removeprefix(PREFIX)
            if text.startswith("     ") and found:
                found[-1].append(text.strip())
            elif text.strip():
                found.append([text.strip()])
    return found


def finding(tool: str, record: list[str], workload: str) -> Finding:
    severity, _, rest = record[0].partition(": ")
    if severity not in ("Error", "Warning"):
        severity, rest = "Error", record[0]
    kernel, place = next(filter(None, map(where, record)), ("", ""))
    what = race(record) if "Race reported" in rest else access(rest, record[1:])
    return Finding(tool, severity.lower(), what, kernel, place, workload)


def where(line: str) -> tuple[str, str] | None:
    """The kernel and the place that a line names."""
    match = AT.search(line) or OLD_AT.search(line)
    return (short_name(match["kernel"]), match["place"] or "") if match else None


def race(record: list[str]) -> str:
    """A write at one line and a read at another; there may be several of either."""
    sides = []
    for line in record:
        match, found = SIDE.search(line), where(line)
        if match and found:
            sides.append(f"a {match['kind'].lower()}" + (f" at {found[1]}" if found[1] else ""))
    return f"race between {' and '.join(sides)}"


def access(head: str, details: list[str]) -> str:
    """`Invalid __global__ read of size 4 bytes`, and how the address was wrong."""
    states = [match["state"] for line in details if (match := ADDRESS.search(line))]
    near = [match for line in details if (match := NEAR.search(line))]
    what = f"{head}: {states[0].removeprefix('is ')}" if states else head
    return f"{what}, {near[0]['bytes']} bytes {near[0]['side']} an allocation" if near else what


def together(findings: list[Finding]) -> list[Finding]:
    """One for each kernel, place and kind of mistake, on the first workload that shows it."""
    first: dict[tuple[str, str, str, str], Finding] = {}
    times: Counter[tuple[str, str, str, str]] = Counter()
    for one in findings:
        key = (one.severity, one.what.partition(", ")[0], one.kernel, one.place)
        first.setdefault(key, one)
        times[key] += 1
    return [replace(one, times=times[key]) for key, one in first.items()]
