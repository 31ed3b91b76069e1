"""Reading what compute-sanitizer prints, and what it is given to run."""

from pathlib import Path

import pytest

from warpbook.core.cost import Cost
from warpbook.core.errors import Missing
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung
from warpbook.measure.sanitize import Finding, read_output, require_tool, sanitize

CLEAN = """========= COMPUTE-SANITIZER
warpbook replays 1-fp32
warpbook replays 4097-fp32
========= ERROR SUMMARY: 0 errors
"""
CLEAN_RACES = """========= COMPUTE-SANITIZER
warpbook replays 1-fp32
========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
"""
OUT_OF_BOUNDS = """========= COMPUTE-SANITIZER
warpbook replays 1-fp32
warpbook replays 63-fp16
========= Invalid __global__ read of size 4 bytes
=========     at add<float>(const float *, float *, long long)+0x70 in /home/me/mine.cu:6
=========     by thread (63,0,0) in block (0,0,0)
=========     Access to 0x7f5a2a0000fc is out of bounds
=========     Address 0x7f5a2a0000fc is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5a2a000000 of size 252 bytes
=========
========= Invalid __global__ read of size 4 bytes
=========     at add<float>(const float *, float *, long long)+0x70 in /home/me/mine.cu:6
=========     by thread (64,0,0) in block (0,0,0)
=========     Address 0x7f5a2a000100 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f5a2a000000 of size 252 bytes
=========
warpbook replays 4097-fp32
========= Invalid __shared__ write of size 2 bytes
=========     at row_sum+0x1f0
=========     by thread (0,0,0) in block (1,0,0)
=========     Address 0x1001 is misaligned
=========
========= Error: process didn't terminate successfully
========= Target application returned an error
========= ERROR SUMMARY: 3 errors
"""
RACE = """========= COMPUTE-SANITIZER
warpbook replays 3x1000-fp32
========= Error: Race reported between Write access at rows<float>(float *)+0x90 in mine.cu:13
=========     and Read access at rows<float>(float *)+0xa0 in mine.cu:14 [2048 hazards]
=========
========= Warning: Race reported between Read access at tail(float *)+0x150
=========     and Write access at tail(float *)+0x180 [4 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
"""
OLDER = """========= COMPUTE-SANITIZER
warpbook replays 63-fp32
========= Invalid __shared__ read of size 4 bytes
=========     at 0x578 in /home/me/mine.cu:120:multiply(Matrix, Matrix)
=========     by thread (0,2,0) in block (0,0,0)
=========     Address 0x4 is out of bounds
=========
========= ERROR SUMMARY: 1 error
"""


def test_a_clean_run_has_no_findings_and_no_trouble():
    assert read_output("memcheck", CLEAN) == ([], [])
    assert read_output("racecheck", CLEAN_RACES) == ([], [])


def test_alike_reports_are_one_finding_with_its_kernel_line_and_first_workload():
    (outside, misaligned), trouble = read_output("memcheck", OUT_OF_BOUNDS)
    assert trouble == []
    assert outside == Finding(
        tool="memcheck",
        severity="error",
        what="Invalid __global__ read of size 4 bytes: out of bounds, 1 bytes after an allocation",
        kernel="add<float>",
        place="/home/me/mine.cu:6",
        workload="63-fp16",
        times=2,
    )
    assert (misaligned.kernel, misaligned.place) == ("row_sum", "")
    assert (misaligned.workload, misaligned.times) == ("4097-fp32", 1)
    assert misaligned.what == "Invalid __shared__ write of size 2 bytes: misaligned"


def test_a_race_names_both_of_its_sides():
    (error, warning), trouble = read_output("racecheck", RACE)
    assert trouble == []
    assert error.severity == "error"
    assert error.what == "race between a write at mine.cu:13 and a read at mine.cu:14"
    assert (error.kernel, error.place) == ("rows<float>", "mine.cu:13")
    assert warning.severity == "warning"
    assert warning.what == "race between a read and a write"
    assert (warning.kernel, warning.place) == ("tail", "")


def test_the_older_way_to_write_a_place_is_read_too():
    ((finding,), _) = read_output("memcheck", OLDER)
    assert (finding.kernel, finding.place) == ("multiply", "/home/me/mine.cu:120")


def test_what_the_candidate_prints_is_not_read():
    printed = CLEAN.replace(
        "warpbook replays 4097", "Invalid __global__ read\nwarpbook replays 4097"
    )
    assert read_output("memcheck", printed) == ([], [])


def test_a_tool_that_did_not_finish_is_no_clean_run():
    cut = OUT_OF_BOUNDS.partition("========= Error: process")[0]
    findings, trouble = read_output("memcheck", cut)
    assert len(findings) == 2
    assert trouble == ["memcheck did not finish: ========="]
    _, trouble = read_output("memcheck", "")
    assert trouble == ["memcheck did not finish: it said nothing"]


def test_a_workload_on_which_the_rung_failed_is_told():
    failed = CLEAN.replace(
        "========= ERROR", "warpbook failed on 4097-fp32: RuntimeError: no\n========= ERROR"
    )
    assert read_output("memcheck", failed) == (
        [],
        ["memcheck: warpbook failed on 4097-fp32: RuntimeError: no"],
    )


def test_the_tools_own_failure_is_not_a_finding():
    broken = "========= COMPUTE-SANITIZER\n========= Error: No attachable process found.\n"
    findings, trouble = read_output("memcheck", broken)
    assert findings == []
    assert trouble[0] == "memcheck: Error: No attachable process found."


PROBLEM = Problem(
    name="double",
    inputs=lambda workload, generator: (),
    reference=lambda x: x,
    cost=lambda workload: Cost(1, 1),
    workloads=(
        Workload("timed", (64,), timed_on=("cuda",)),
        Workload("63", (63,)),
        Workload("63-bf16", (63,), dtype="bfloat16"),
        Workload("2^31", (2**31,)),
    ),
    mutants={},
    folder=Path("/problems/double"),
)
RUNG = Rung("mine", Path("/mine.cu"), "", "", "cuda", None, "abc", dtypes=("float32",))
STAND_IN = """#!/bin/sh
echo "$PYTORCH_NO_CUDA_MEMORY_CACHING $*" >> {given}
echo "========= ERROR SUMMARY: 0 errors"
"""


@pytest.fixture
def given(tmp_path, monkeypatch):
    """A stand-in for the tool, which writes down what it was given and finds nothing."""
    given = tmp_path / "given"
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(STAND_IN.format(given=given))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    return given


def test_small_workloads_that_catch_mistakes_run_under_both_tools(given):
    found = sanitize(PROBLEM, RUNG, None)
    assert found.clean
    assert found.workloads == ("63",)
    assert found.left_out == ("63-bf16", "2^31")
    memcheck, racecheck = given.read_text().splitlines()
    assert "--tool=memcheck" in memcheck
    assert "--tool=racecheck" in racecheck
    for line in (memcheck, racecheck):
        assert line.startswith("1 ")
        assert line.endswith("/problems/double /mine.cu 63 --exact")


def test_workloads_that_are_asked_for_take_their_place(given):
    assert sanitize(PROBLEM, RUNG, ["timed"]).workloads == ("timed",)


def test_where_no_workload_is_left_nothing_is_called_clean(given):
    found = sanitize(PROBLEM, RUNG, ["2^31"])
    assert found.left_out == ("2^31",)
    assert found.trouble == ("nothing was run: no workload is small and of its dtype",)
    assert not found.clean
    assert not given.exists()


def test_without_the_tool_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr("warpbook.measure.sanitize.find_tool", lambda name: None)
    with pytest.raises(Missing, match="needs compute-sanitizer"):
        require_tool()
