"""`judge --why` and `judge --sanitize` as people read them, and where they cannot work."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from warpbook.cli.closer import CloserLook
from warpbook.cli.screen import show_json
from warpbook.cli.why import extent, show_sanitized, show_why
from warpbook.core.cost import Cost
from warpbook.core.judgement import Judgement, Outcome, Status
from warpbook.kernels.rung import Rung
from warpbook.measure.counters import Counters
from warpbook.measure.launch import Launch
from warpbook.measure.occupancy import Occupancy
from warpbook.measure.sanitize import Finding, Sanitized
from warpbook.measure.why import Why

LAUNCH = Launch(
    kernel="softmax<float, 4>",
    grid=(8192, 1, 1),
    block=(256, 1, 1),
    registers=40,
    shared_bytes=4224,
    static_shared_bytes=128,
    local_bytes=0,
    device_us=140.0,
    occupancy=Occupancy(0.75, 6, "registers"),
)
COUNTERS = Counters("softmax", 140.0, 268e6, 230e6, 0.81, 0.0, {"long_scoreboard": 3.0, "wait": 1})
WHY = Why(
    rung="online",
    workload="8192x8192-fp32",
    launches=(LAUNCH,),
    copies_us=(),
    multiprocessors=132,
    needed=Cost(268_000_000, 268_000_000),
    counters=(COUNTERS,),
    uncounted="",
    stall="long_scoreboard",
    stall_share=0.75,
    advice="Hold a row.",
)
CLEAN = Sanitized("online", ("memcheck", "racecheck"), ("1x1-fp32", "3x5-fp32"), (), (), ())
FINDING = Finding(
    "memcheck",
    "error",
    "Invalid __global__ read of size 4 bytes: out of bounds",
    "softmax<float, 4>",
    "mine.cu:12",
    "3x5-fp32",
    7,
)


def printed(show, *arguments):
    stream = io.StringIO()
    show(Console(file=stream, width=100, markup=False, highlight=False), *arguments)
    return stream.getvalue()


def test_each_kernel_has_its_line_and_the_bytes_stand_beside_those_needed():
    text = printed(show_why, WHY)
    row = next(line for line in text.splitlines() if line.startswith("softmax<float, 4>"))
    assert " ".join(row.split()) == "softmax<float, 4> 8192 256 40 0 B 128+4096 B 75% registers"
    assert "read 268 MB where 268 MB had to move (1.00x)" in text
    assert "wrote 230 MB where 268 MB had to move (0.858x)" in text
    assert "most for data from memory (long scoreboard), 75% of what its warps do" in text
    assert text.rstrip().endswith("try: Hold a row.")
    assert max(map(len, text.splitlines())) <= 100


def test_alike_launches_share_a_line_and_what_is_not_known_is_a_dash():
    unknown = replace(LAUNCH, kernel="x" * 80, local_bytes=None, static_shared_bytes=None)
    text = printed(show_why, replace(WHY, launches=(unknown, unknown), copies_us=(1.0, 2.0)))
    assert "2 x xxx" in text
    assert " - " in text
    assert "4224 B" in text
    assert "and copies or fills: 2" in text
    assert max(map(len, text.splitlines())) <= 100


def test_without_counters_the_reason_is_shown_with_the_rest():
    text = printed(
        show_why, replace(WHY, counters=(), uncounted="ncu is not installed", stall=None)
    )
    assert "registers" in text
    assert "268 MB had to be read" in text
    assert "ncu is not installed" in text
    assert "not known without the counters" in text


@pytest.mark.parametrize(
    ("counts", "shown"), [((8192, 1, 1), "8192"), ((64, 1, 4), "64x1x4"), ((1, 1, 1), "1")]
)
def test_an_extent_leaves_out_the_ones_at_its_end(counts, shown):
    assert extent(counts) == shown


def test_a_finding_names_tool_kernel_line_and_workload():
    text = printed(show_sanitized, replace(CLEAN, findings=(FINDING,)))
    flat = " ".join(text.split())
    assert "sanitized online: 1 found (memcheck and racecheck over 2 workloads)" in flat
    assert (
        "memcheck error in softmax<float, 4> at mine.cu:12 on 3x5-fp32: "
        "Invalid __global__ read of size 4 bytes: out of bounds, 7 times"
    ) in flat


def test_nothing_found_is_said_and_so_is_what_was_left_out():
    assert "sanitized online: nothing found" in printed(show_sanitized, CLEAN)
    left = printed(show_sanitized, replace(CLEAN, left_out=("1x2^31-fp32",)))
    assert "left out, as too large or of another dtype: 1x2^31-fp32" in left
    cut = printed(show_sanitized, replace(CLEAN, trouble=("memcheck did not finish: killed",)))
    assert "nothing found" not in cut
    assert "memcheck did not finish: killed" in cut


def test_json_has_the_same_under_the_keys_that_were_asked_for(capsys):
    assert CloserLook(why=False, sanitize=False).document() == {}
    look = CloserLook(why=True, sanitize=True, explained=[WHY], sanitized=[CLEAN])
    show_json(look.document())
    document = json.loads(capsys.readouterr().out)
    (why,) = document["why"]
    assert why["launches"][0]["occupancy"]["limited_by"] == "registers"
    assert why["counters"][0]["stalls"]["long_scoreboard"] == 3.0
    assert why["advice"] == "Hold a row."
    assert document["sanitize"][0]["findings"] == []


def test_a_workload_that_is_not_explained_is_named_with_the_reason(capsys):
    rung = Rung("mine", Path("mine.py"), "", "", "torch", None, "aa")
    skipped = Outcome("2^40", Status.SKIPPED, "needs 9 GB")
    right = Outcome("3", Status.CORRECT)
    judgement = Judgement("double", "mine", "cuda", Status.CORRECT, "", (right, skipped), "aa")
    look = CloserLook(why=True, sanitize=False)
    look.at(None, rung, judgement, only=("2^40",), json=False)
    assert "mine is not explained on 2^40: needs 9 GB" in capsys.readouterr().err
    assert look.explained == []


@pytest.mark.parametrize("option", ["--why", "--sanitize"])
def test_on_a_cpu_nothing_is_judged_and_the_message_says_what_is_missing(say, option):
    arguments = ("--rung", "fused", option, "--device", "cpu")
    said = say("judge", "vector_add", *arguments, status=3)
    assert said.out == ""
    assert f"{option} needs an NVIDIA GPU: " in said.err


def test_without_a_gpu_nothing_is_judged_and_the_message_says_what_is_missing(warpbook):
    arguments = ("judge", "vector_add", "--rung", "fused", "--why")
    ended = warpbook(*arguments, environment={"CUDA_VISIBLE_DEVICES": ""})
    assert ended.returncode == 3
    assert ended.stdout == ""
    assert "--why needs an NVIDIA GPU: " in ended.stderr


def test_watching_is_for_judging_alone(say):
    arguments = ("--file", "mine.py", "--watch", "--why")
    said = say("judge", "vector_add", *arguments, status=2)
    assert "--watch goes with --file, and without --json, --why and --sanitize" in said.err


PAST_THE_END = """
// grid: cdiv(length, 256), block: 256, dtype: float32
extern "C" __global__ void
vector_add(const float* a, const float* b, float* c, long long length) {
    long long i = blockIdx.x * 256LL + threadIdx.x;
    float extra = i == 0 ? a[length] : 0;
    if (i < length) c[i] = a[i] + b[i] + (extra == 0.125f ? 1 : 0);
}
"""


@pytest.mark.gpu
def test_both_are_in_the_one_document(warpbook):
    arguments = ("--rung", "vectors", "--workload", "4097-fp32", "--why", "--sanitize", "--json")
    ended = warpbook("judge", "vector_add", *arguments)
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    (why,) = document["why"]
    (sanitized,) = document["sanitize"]
    assert (why["rung"], why["workload"]) == ("vectors", "4097-fp32")
    assert why["launches"][0]["kernel"] == "add"
    assert why["advice"]
    assert sanitized["workloads"] == ["4097-fp32"]
    assert sanitized["findings"] == sanitized["trouble"] == []


@pytest.mark.gpu
def test_a_finding_in_a_right_kernel_ends_with_1(warpbook, tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text(PAST_THE_END.lstrip())
    arguments = ("--file", file, "--workload", "1000-fp32", "--sanitize")
    ended = warpbook("judge", "vector_add", *arguments)
    assert "vector_add mine: correct" in ended.stdout
    assert "out of bounds" in " ".join(ended.stdout.split())
    assert ended.returncode == 1
