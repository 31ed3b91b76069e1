import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.core.codec import decode, encode
from warpbook.core.comparison import Answer, Comparison
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.receipt import Receipt, Request, Source
from warpbook.core.roofs import Floor, Peaks, Roofs
from warpbook.measure.receipts import check_new, from_line, keep, read, to_line

REQUEST = Request("softmax", "aa", (Source("online", "bb"),), ("64x64",), "cpu", False, 60.0)
TIMING = Timing(2.0, 1.5, 2.5, 1.9, 2.1, (1.9, 2.0, 2.1))
ROOFS = Roofs("cpu", 1e10, 2e10, 1e10, {"fp32": 1e11}, 3.0, Peaks(5e10, {"fp32": 2e11}, 2**20))
JUDGEMENT = Judgement(
    problem="softmax",
    rung="online",
    device="cpu",
    status=Status.CORRECT,
    reason="",
    outcomes=(
        Outcome(
            "64x64",
            Status.CORRECT,
            error=1.25,
            budget=4.0,
            rounds=20,
            checked=9,
            device=TIMING,
            call=TIMING,
            floor=Floor(1.0, "memory"),
            fraction=0.5,
            notes=("a note",),
        ),
    ),
    source_sha256="bb",
    machine={"mean_clock_mhz": 1980, "events": ["none"]},
    environment={"device": "a CPU"},
)
COMPARISON = Comparison(
    problem="softmax",
    workload="64x64",
    device="cpu",
    a="eager",
    b="online",
    answer=Answer.CANNOT_TELL,
    ratio=1.01,
    low=0.98,
    high=1.04,
    noise=0.02,
    clock="call",
    a_us=(1.0, 2.0),
    b_us=(1.5, 2.5),
    a_sha256="aa",
    b_sha256="bb",
)
OF_JUDGEMENT = Receipt("2026-01-04T10:00:00+00:00", REQUEST, JUDGEMENT, None, ROOFS)
OF_COMPARISON = Receipt("2026-01-04T10:00:00+00:00", REQUEST, None, COMPARISON, None)


def test_receipts_come_back_from_a_file_as_they_went_in(tmp_path):
    path = tmp_path / "receipts.jsonl"
    keep([OF_JUDGEMENT, OF_COMPARISON], path)
    assert read(path) == [OF_JUDGEMENT, OF_COMPARISON]
    assert os.listdir(tmp_path) == ["receipts.jsonl"]


def test_each_line_says_what_it_is():
    record = json.loads(to_line(OF_COMPARISON))
    assert record["kind"] == "comparison"
    assert record["format"] == 1
    assert record["created"].startswith("2026-01-04")


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e12), min_size=1), st.text(), st.sampled_from(Status))
def test_any_judgement_survives_json(samples, reason, status):
    timing = Timing(samples[0], 0.1, 0.3, samples[-1], 1e300, tuple(samples))
    timed = {"device": timing, "call": timing} if status is Status.CORRECT else {}
    outcome = Outcome("w", status, reason=reason, **timed)
    judgement = replace(JUDGEMENT, status=status, reason=reason, outcomes=(outcome,))
    receipt = replace(OF_JUDGEMENT, judgement=judgement)
    assert from_line(to_line(receipt), "here") == receipt


def test_what_was_written_before_comparisons_had_a_floor_is_read():
    known = replace(COMPARISON, floor=Floor(1.0, "memory", {"memory": 1.0}))
    document = encode(known)
    assert decode(Comparison, document) == known
    del document["floor"]
    assert decode(Comparison, document) == COMPARISON


def test_a_float_that_is_not_finite_becomes_null():
    outcome = Outcome("w", Status.WRONG, error=math.inf, budget=math.nan)
    assert encode(outcome)["error"] is None
    assert decode(Outcome, encode(outcome)).error is None


def test_what_the_codec_does_not_know_is_refused_when_written():
    with pytest.raises(TypeError, match="object"):
        encode({"machine": object()})


def whole_then(line, tmp_path):
    path = tmp_path / "receipts.jsonl"
    path.write_text(to_line(OF_JUDGEMENT) + "\n" + line)
    return path


def changed(**changes):
    return json.dumps(json.loads(to_line(OF_JUDGEMENT)) | changes)


@pytest.mark.parametrize(
    "line",
    [
        to_line(OF_JUDGEMENT)[:-40],
        "not json",
        "[1, 2]",
        "{}",
        changed(format=99),
        changed(kind="comparison"),
        changed(created=12),
        changed(judgement=None),
        changed(surprise=1),
        changed(request={"problem": "softmax"}),
        changed(judgement=encode(JUDGEMENT) | {"status": "excellent"}),
    ],
)
def test_a_truncated_or_foreign_line_is_named_by_its_number(line, tmp_path):
    path = whole_then(line, tmp_path)
    with pytest.raises(BadInput, match=r"receipts\.jsonl:2: "):
        read(path)


def test_a_time_cannot_be_smuggled_into_a_wrong_outcome(tmp_path):
    record = json.loads(to_line(OF_JUDGEMENT))
    record["judgement"]["outcomes"][0]["status"] = "wrong"
    with pytest.raises(BadInput, match="cannot hold a time"):
        read(whole_then(json.dumps(record), tmp_path))


@pytest.mark.parametrize("contents", [b"", b"\n", b"\xff\xfe\x00"])
def test_a_file_without_receipts_is_refused(contents, tmp_path):
    path = tmp_path / "foreign"
    path.write_bytes(contents)
    with pytest.raises(BadInput, match="foreign"):
        read(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(BadInput, match=str(path)):
            read(path)


def test_a_receipt_is_never_kept_over_another(tmp_path):
    path = tmp_path / "receipts.jsonl"
    keep([OF_JUDGEMENT], path)
    with pytest.raises(BadInput, match="already there"):
        check_new(path)
    with pytest.raises(BadInput, match="no folder"):
        check_new(tmp_path / "none" / "receipts.jsonl")


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path):
    with pytest.raises(BadInput, match="cannot be written: No such file"):
        keep([OF_JUDGEMENT], tmp_path / "gone" / "receipts.jsonl")


KILLED = """
import os, signal, sys
from pathlib import Path
from warpbook.measure.receipts import keep, read
path = Path(sys.argv[1])
receipts = read(path)
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
keep(receipts * 3, path)
"""


def test_being_killed_while_keeping_leaves_the_earlier_file_whole(tmp_path):
    path = tmp_path / "receipts.jsonl"
    keep([OF_JUDGEMENT], path)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert read(path) == [OF_JUDGEMENT]


def test_an_interrupt_while_keeping_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        keep([OF_JUDGEMENT], tmp_path / "receipts.jsonl")
    assert os.listdir(tmp_path) == []
