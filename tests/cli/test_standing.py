"""Where a file of one's own stands, in words; and the list of how things stood."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from warpbook.cli.standing import sentence, show_marks
from warpbook.core.machine import cpu_name
from warpbook.core.standing import Mark, Standing
from warpbook.kernels.library import read_outline
from warpbook.measure import standing

HERE = {"device": "NVIDIA H200", "uuid": "GPU-1", "torch": "2.11", "driver": "580"}


def mark(rung, us, **changes):
    known = Mark(
        "2026-01-04T10:00:00+00:00", "softmax", rung, False, "w", us, us, us, 0.25, 1.0, "aa", HERE
    )
    return replace(known, **changes)


NAIVE, TORCH, BEST = mark("naive", 900.0), mark("fused", 210.0), mark("best", 60.0)
STANDING = Standing("w", 100.0, 0.71)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"faster_than": (NAIVE, TORCH), "slower_than": (BEST,), "title": "Hold the row"},
            "On w it is faster than 2 of the 3 rungs, 71% of the floor; "
            "the next rung is best (60.0 us), whose idea is: Hold the row. "
            "(The rungs' times are of 2026-01-04.)",
        ),
        (
            {"faster_than": (NAIVE,), "torch": TORCH, "peers": {"fused": 2.1}},
            "On w it is faster than the one rung, 2.10x torch (fused, 210 us), 71% of the floor; "
            "none is faster. (The rungs' times are of 2026-01-04.)",
        ),
        (
            {"faster_than": (NAIVE,), "level_with": (TORCH, BEST)},
            "On w it is faster than 1 of the 3 rungs, level with fused and best, 71% of the floor; "
            "none is faster. (The rungs' times are of 2026-01-04.)",
        ),
        (
            {"level_with": (NAIVE, TORCH, BEST)},
            "On w it is faster than none of the 3 rungs, level with naive, fused and best, 71% of "
            "the floor; none is faster. (The rungs' times are of 2026-01-04.)",
        ),
        (
            {"slower_than": (TORCH, BEST), "title": "One pass", "unmeasured": ("new",)},
            "On w it is slower than all 2 rungs, 71% of the floor; "
            "the next rung is fused (210 us), whose idea is: One pass. "
            "(The rungs' times are of 2026-01-04; no time yet: new.)",
        ),
        (
            {},
            "Where it stands on w is not known: no rung has a time on this device yet. "
            "`warpbook ladder softmax --workload w` gives them, `warpbook bench softmax` those of "
            "every workload.",
        ),
    ],
)
def test_the_sentence_says_what_it_rests_on(changes, said):
    assert sentence("softmax", replace(STANDING, **changes), HERE) == said


def test_times_of_another_day_another_gpu_or_other_software_are_told_as_such():
    older = mark("naive", 900.0, when="2026-01-02T10:00:00+00:00")
    other = mark("fused", 210.0, environment=HERE | {"uuid": "GPU-2", "torch": "2.9"})
    said = sentence("softmax", replace(STANDING, faster_than=(older, other)), HERE)
    assert said.endswith(
        "(The rungs' times are of 2026-01-02 to 2026-01-04 on another NVIDIA H200; "
        "torch was 2.9, is 2.11.)"
    )


def test_the_list_is_by_workload_and_tells_files_from_rungs():
    text = io.StringIO()
    marks = [mark("fused", 210.0), mark("mine", 100.0, own=True), mark("fused", 9.0, workload="v")]
    show_marks(Console(file=text, width=100), marks)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    assert lines[0] == "softmax w"
    assert lines[3].split("  ")[:2] == ["2026-01-04 10:00", "mine (file)"]
    assert "25%" in lines[3]
    assert lines[5] == "softmax v"


def test_standings_without_marks_say_how_to_get_some(say, double, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "nothing was timed yet; `warpbook ladder PROBLEM`" in say("standings", double).out
    missing = say("standings", double, "--device-name", "a100", status=2)
    assert "no marks of a device 'a100' here" in missing.err


def test_a_broken_store_warns_and_goes_on(say, double, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = standing.path_of(read_outline(str(double)), cpu_name())
    standing.append(path, standing.to_line(mark("plain", 9.0, problem="double", workload="1000")))
    standing.append(path, "not a mark\n")
    said = say("standings", double)
    assert f"{path}:2: skipped" in said.err
    assert "double 1000" in said.out
