"""Reading what `ncu --csv --page raw` prints, and what it says when it cannot."""

import pytest

from warpbook.measure.counters import (
    BUSY,
    NO_PERMISSION,
    complaint,
    options,
    read_table,
)

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
NAMES = [
    *("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream"),
    *("Block Size", "Grid Size", "Device", "CC"),
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__time_duration.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    STALL.format("barrier"),
    STALL.format("long_scoreboard"),
    STALL.format("selected"),
]
UNITS = [""] * 11 + ["byte", "byte", "%", "ns", "sector", "sector", "inst", "inst", "inst"]
LAUNCH = ["9204", "python3.12", "127.0.0.1"]
PLACE = ["1", "7", "(256, 1, 1)", "(8192, 1, 1)", "0", "9.0"]


def table(*rows):
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)


OUTPUT = "\n".join(
    [
        "==PROF== Connected to process 9204 (/usr/bin/python3.12)",
        "warpbook replays 8192x8192-fp32",
        '==PROF== Profiling "softmax" - 0: 0%....50%....100% - 4 passes',
        "==PROF== Disconnected from process 9204",
        table(
            NAMES,
            UNITS,
            [
                *("0", *LAUNCH, "void softmax<float, (int)4>(const float *, float *)", *PLACE),
                *("268,441,600", "236,978,176", "83.5", "132,480", "0", "0"),
                *("0.25", "11.5", "1"),
            ],
            [
                *("1", *LAUNCH, "scale", *PLACE),
                *("1024", "2,048", "n/a", "1,500", "10", "6", "0", "", "1"),
            ],
        ),
        "",
    ]
)


def test_each_launch_has_its_bytes_its_time_and_its_stalls():
    softmax, scale = read_table(OUTPUT)
    assert softmax.kernel == "softmax"
    assert (softmax.dram_read_bytes, softmax.dram_written_bytes) == (268441600, 236978176)
    assert softmax.dram_fraction == pytest.approx(0.835)
    assert softmax.device_us == pytest.approx(132.48)
    assert softmax.stalls == {"barrier": 0.25, "long_scoreboard": 11.5, "selected": 1.0}
    assert (softmax.local_bytes, scale.local_bytes) == (0, 16 * 32)


def test_what_was_not_counted_is_0():
    _, scale = read_table(OUTPUT)
    assert scale.dram_fraction == 0
    assert scale.stalls["long_scoreboard"] == 0


def test_units_are_those_of_the_second_line():
    larger = OUTPUT.replace('"byte","byte"', '"Mbyte","Kbyte"').replace('"ns"', '"usecond"')
    softmax, _ = read_table(larger)
    assert softmax.dram_read_bytes == pytest.approx(268441600e6)
    assert softmax.dram_written_bytes == pytest.approx(236978176e3)
    assert softmax.device_us == pytest.approx(132480)


def test_no_table_and_an_empty_one_are_no_counters():
    assert read_table("==WARNING== No kernels were profiled.\n") == []
    assert read_table(table(NAMES)) == []
    assert read_table(table(NAMES, UNITS)) == []


DENIED = """==PROF== Connected to process 77 (/usr/bin/python3.12)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance \
Counters on the target device 0. For instructions see https://developer.nvidia.com/ERR_NVGPUCTRPERM
==PROF== Disconnected from process 77
"""
HELD = """==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no \
other tool (like DCGM) is concurrently collecting profiling data.
"""
UNKNOWN_METRIC = """==ERROR== Failed to find metric dram__bytes_red.sum
==ERROR== Failed to profile "add" in process 77
==PROF== Trying to shutdown target application
"""


@pytest.mark.parametrize(
    ("output", "status", "reason"),
    [
        (DENIED, 1, NO_PERMISSION),
        (HELD, 9, BUSY),
        (UNKNOWN_METRIC, 1, 'ncu read nothing: Failed to profile "add" in process 77'),
        ("", 1, "ncu read nothing: it said nothing"),
        ("", None, "ncu was not done after 180 s"),
    ],
)
def test_why_there_are_none_is_said_with_what_to_do(output, status, reason):
    assert complaint(output, status) == reason


def test_clocks_are_left_alone_and_caches_are_flushed():
    asked = options(hopper=True)
    assert "--clock-control=none" in asked
    assert "--cache-control=all" in asked
    assert "--profile-from-start=off" in asked
    assert any("stalled_gmma_" in option for option in asked)
    assert not any("stalled_gmma_" in option for option in options(hopper=False))
