"""`judge --why` and `judge --sanitize` as people read them."""

from collections import Counter

from rich.console import Console
from rich.table import Table

from warpbook.cli.screen import plain_table
from warpbook.core.units import UNKNOWN, multiple, percentage, size
from warpbook.measure.advice import STALLS
from warpbook.measure.launch import Launch
from warpbook.measure.sanitize import Sanitized
from warpbook.measure.why import Why

LONGEST_NAME = 36
MOST_FINDINGS = 10


def show_why(screen: Console, why: Why) -> None:
    screen.print(f"why {why.rung} takes its time on {why.workload}", style="bold")
    screen.print(launch_table(why.launches))
    if why.copies_us:
        screen.print(f"and copies or fills: {len(why.copies_us)}")
    for line in [moved_line(why), stall_line(why)]:
        screen.print(line)
    screen.print(f"try: {why.advice}")
    screen.print()


def launch_table(launches: tuple[Launch, ...]) -> Table:
    table = plain_table()
    table.add_column("kernel")
    table.add_column("grid", no_wrap=True)
    table.add_column("block", no_wrap=True)
    table.add_column("regis-\nters", justify="right")
    table.add_column("local\nmemory", justify="right", no_wrap=True)
    table.add_column("shared\nmemory", no_wrap=True)
    table.add_column("occu-\npancy", justify="right")
    table.add_column("limited by")
    for cells, times in Counter(map(launch_cells, launches)).items():
        table.add_row((f"{times} x " if times > 1 else "") + cells[0], *cells[1:])
    return table


def launch_cells(launch: Launch) -> tuple[str, ...]:
    name = launch.kernel
    return (
        name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}...",
        extent(launch.grid),
        extent(launch.block),
        str(launch.registers),
        UNKNOWN if launch.local_bytes is None else f"{launch.local_bytes} B",
        shared_cell(launch),
        percentage(launch.occupancy.fraction),
        launch.occupancy.limited_by if launch.occupancy.fraction < 1 else "nothing",
    )


def extent(counts: tuple[int, ...]) -> str:
    """Without the ones at the end: `8192`, `64x4`."""
    used = max((i for i, n in enumerate(counts) if n > 1), default=0) + 1
    return "x".join(map(str, counts[:used]))


def shared_cell(launch: Launch) -> str:
    total, static = launch.shared_bytes, launch.static_shared_bytes
    if not static or static == total:
        return f"{total} B"
    return f"{static}+{total - static} B"


def moved_line(why: Why) -> str:
    needed = why.needed
    if not why.counters:
        return (
            f"DRAM: {size(needed.bytes_read)} had to be read and {size(needed.bytes_written)} "
            f"written; what did move is not known: {why.uncounted}"
        )
    read = beside(sum(c.dram_read_bytes for c in why.counters), needed.bytes_read)
    written = beside(sum(c.dram_written_bytes for c in why.counters), needed.bytes_written)
    return f"DRAM: read {read}, wrote {written}"


def beside(moved: float, needed: int) -> str:
    ratio = f" ({multiple(moved / needed)})" if needed else ""
    return f"{size(moved)} where {size(needed)} had to move{ratio}"


def stall_line(why: Why) -> str:
    if why.stall is None:
        return "waits: not known without the counters" if not why.counters else "waits: none"
    cause = STALLS.get(why.stall, (why.stall.replace("_", " "), ""))[0]
    name = why.stall.replace("_", " ")
    return f"waits: most for {cause} ({name}), {percentage(why.stall_share)} of what its warps do"


def show_sanitized(screen: Console, found: Sanitized) -> None:
    over = f"{len(found.workloads)} workload{'s' if len(found.workloads) != 1 else ''}"
    clean = "nothing found" if found.clean else f"{len(found.findings)} found"
    screen.print(f"sanitized {found.rung}: ", end="", style="bold")
    screen.print(clean, end="", style="green" if found.clean else "red")
    screen.print(f"  ({' and '.join(found.tools)} over {over})")
    for one in found.findings[:MOST_FINDINGS]:
        place = f" at {one.place}" if one.place and one.place not in one.what else ""
        times = f", {one.times} times" if one.times > 1 else ""
        on = f" on {one.workload}" if one.workload else ""
        screen.print(f"{one.tool} {one.severity} in {one.kernel}{place}{on}: {one.what}{times}")
    if len(found.findings) > MOST_FINDINGS:
        screen.print(f"and {len(found.findings) - MOST_FINDINGS} more")
    for line in found.trouble:
        screen.print(line, style="red")
    if found.left_out:
        screen.print(f"left out, as too large or of another dtype: {', '.join(found.left_out)}")
    screen.print()
