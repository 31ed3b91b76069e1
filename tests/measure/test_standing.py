"""Marks on disk: what is kept, what is skipped, and which of them count."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.receipt import Receipt, Request, Source
from warpbook.kernels.library import find_rung, read_outline
from warpbook.measure import receipts, standing

HERE = {"device": "NVIDIA H200", "uuid": "GPU-1"}


@pytest.fixture(autouse=True)
def data_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def outline(double):
    rung = "def double(x):\n    return x * 2\n"
    double.with_ladder(slow='"""Slow"""\n' + rung, fast='"""Fast\n\nBecause.\n"""\n' + rung)
    return read_outline(str(double))


def judged(outline, rung, us, own=False, workload="1000", environment=HERE):
    timing = Timing(us, us, us, us, us, (us,))
    timed = {"device": timing, "call": timing}
    outcome = Outcome(workload, Status.CORRECT, error=1.0, fraction=0.5, **timed)
    sha256 = "own" if own else find_rung(outline, rung).sha256
    return Judgement(
        outline.name, rung, "cuda", Status.CORRECT, "", (outcome,), sha256, environment=environment
    )


def test_what_was_judged_is_what_a_file_of_ones_own_is_held_against(outline):
    for rung, us in (("slow", 900.0), ("fast", 50.0), ("slow", 300.0)):
        assert standing.record(outline, judged(outline, rung, us), own=False) is None
    mine = judged(outline, "mine", 100.0, own=True)
    ((found,), warnings) = standing.standings(outline, mine)
    assert warnings == []
    assert [(mark.rung, mark.us) for mark in found.faster_than] == [("slow", 300.0)]
    assert (found.next_rung, found.title, found.idea) == ("fast", "Fast", "Because.")


def test_a_file_called_like_a_rung_is_not_taken_for_it(outline):
    standing.record(outline, judged(outline, "fast", 50.0), own=False)
    namesake = judged(outline, "fast", 10.0, own=True)
    standing.record(outline, namesake, own=True)
    ((found,), _) = standing.standings(outline, namesake)
    assert [(mark.rung, mark.us) for mark in found.faster_than] == [("fast", 50.0)]


def test_marks_of_a_rung_that_has_changed_or_of_another_device_do_not_count(outline, double):
    standing.record(outline, judged(outline, "fast", 50.0), own=False)
    elsewhere = judged(outline, "slow", 900.0, environment={"device": "B200"})
    standing.record(outline, elsewhere, own=False)
    (double.path / "rungs" / "fast.py").write_text("def double(x):\n    return x + x\n")
    ((found,), _) = standing.standings(outline, judged(outline, "mine", 100.0, own=True))
    assert found.marks == ()
    assert found.unmeasured == ("slow", "fast")


def test_a_rung_that_cannot_be_read_costs_no_judgement(outline, double):
    standing.record(outline, judged(outline, "slow", 900.0), own=False)
    (double.path / "rungs" / "fast.py").write_text("def double(x:\n")
    ((found,), _) = standing.standings(outline, judged(outline, "mine", 100.0, own=True))
    assert [mark.rung for mark in found.faster_than] == ["slow"]
    assert found.unmeasured == ("fast",)


def test_problems_of_one_name_in_two_folders_are_kept_apart(outline, tmp_path):
    other = replace(outline, folder=tmp_path / "elsewhere")
    assert standing.path_of(outline, "NVIDIA H200") != standing.path_of(other, "NVIDIA H200")
    built_in = standing.path_of(read_outline("softmax"), "NVIDIA H200")
    assert built_in.parts[-2:] == ("nvidia-h200", "softmax.jsonl")


def test_bad_lines_are_skipped_with_a_warning_and_stay_where_they_are(outline):
    standing.record(outline, judged(outline, "slow", 900.0), own=False)
    path = standing.path_of(outline, "NVIDIA H200")
    whole = path.read_text()
    foreign = json.dumps({"format": 2})
    absurd = json.dumps(json.loads(whole) | {"us": None})
    bad = f"not json\n{foreign}\n[]\n{absurd}\n\n" + whole[: len(whole) // 2]
    path.write_text(whole + bad)
    standing.record(outline, judged(outline, "fast", 50.0), own=False)
    marks, warnings = standing.read(path)
    assert [mark.rung for mark in marks] == ["slow", "fast"]
    places = [warning.removeprefix(f"{path}:").split(":")[0] for warning in warnings]
    assert places == ["2", "3", "4", "5", "7"]
    assert path.read_text().startswith(whole + bad + "\n")


APPEND = """
import sys
from pathlib import Path
from warpbook.measure.standing import append
for number in range(100):
    append(Path(sys.argv[1]), f"{sys.argv[2]} {number} " + "x" * 20_000 + "\\n")
"""


def test_lines_that_several_processes_append_at_once_stay_whole(tmp_path):
    path = tmp_path / "marks.jsonl"
    running = [
        subprocess.Popen([sys.executable, "-c", APPEND, str(path), str(name)]) for name in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    lines = path.read_text().splitlines()
    assert {line.rpartition(" ")[2] for line in lines} == {"x" * 20_000}
    assert {line.rpartition(" ")[0] for line in lines} == {
        f"{name} {number}" for name in range(4) for number in range(100)
    }


def test_a_store_that_cannot_be_written_is_told_and_nothing_more(outline, data_home):
    data_home.write_text("in the way")
    told = standing.record(outline, judged(outline, "slow", 900.0), own=False)
    assert "cannot be kept" in told


def test_receipts_of_a_checkout_stand_in_for_rungs_that_were_not_judged_here(tmp_path, monkeypatch):
    outline = read_outline("softmax")
    folder = tmp_path / "results" / "nvidia-h200"
    folder.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(standing, "CHECKOUT", tmp_path)
    kept = [receipt(outline, "passes", 900.0), receipt(outline, "fused", 300.0)]
    receipts.keep([*kept, receipt(outline, "fused", 1.0, warm=True)], folder / "a.jsonl")
    (folder / "b.jsonl").write_text("of another version\n")
    standing.record(outline, judged(outline, "passes", 800.0, workload="w"), own=False)
    mine = judged(outline, "mine", 100.0, own=True, workload="w")
    ((found,), _) = standing.standings(outline, mine)
    assert [(m.rung, m.us) for m in found.faster_than] == [("passes", 800.0), ("fused", 300.0)]
    assert found.torch.rung == "fused"
    assert found.peers["fused"] == 3.0


def receipt(outline, rung, us, warm=False):
    judgement = judged(outline, rung, us, workload="w")
    request = Request(
        "softmax", "aa", (Source(rung, judgement.source_sha256),), None, "cuda", warm, 60.0
    )
    return Receipt("2026-01-04T10:00:00+00:00", request, judgement, None, None)


def test_the_history_has_every_mark_of_a_file_and_the_latest_of_a_rung(outline):
    other = {"device": "B200"}
    for rung, us, own, where in (
        ("slow", 900.0, False, HERE),
        ("slow", 800.0, False, HERE),
        ("slow", 400.0, False, other),
        ("mine", 100.0, True, HERE),
        ("mine", 90.0, True, HERE),
    ):
        standing.record(outline, judged(outline, rung, us, own, environment=where), own)
    marks, _ = standing.history(outline, None)
    assert {(m.device, m.rung, m.us) for m in marks} == {
        ("NVIDIA H200", "slow", 800.0),
        ("B200", "slow", 400.0),
        ("NVIDIA H200", "mine", 100.0),
        ("NVIDIA H200", "mine", 90.0),
    }
    marks, _ = standing.history(None, "b200")
    assert [m.us for m in marks] == [400.0]
    with pytest.raises(BadInput, match=r"no marks of a device 'a100' here; there are: b200"):
        standing.history(outline, "a100")


def test_a_relative_data_home_is_not_one(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert str(standing.store()).startswith(os.path.expanduser("~"))
