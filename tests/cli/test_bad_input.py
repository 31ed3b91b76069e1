"""Every mistake ends in a clear line and the right exit status, and leaves nothing behind."""

import os
import signal
import time

import pytest

from warpbook.measure.receipts import read

pytestmark = pytest.mark.usefixtures("quick")

RIGHT = """
    def double(x):
        return x * 2
"""
ENDLESS = """
    from pathlib import Path

    def double(x):
        Path({started!r}).touch()
        while True:
            pass
"""


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (None, "no such file"),
        ("def double(x:\n    return x\n", "mine.py:1: syntax error"),
        ("def triple(x):\n    return 3 * x\n", "no function named 'double'"),
        ("\0", "null bytes"),
    ],
)
def test_a_file_that_cannot_be_a_rung_is_named_before_anything_starts(
    say, double, source, complaint, tmp_path
):
    file = tmp_path / "mine.py"
    if source is not None:
        file.write_text(source)
    said = say("judge", double, "--file", file, status=2)
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert complaint in said.err
    assert str(file) in said.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["judge", "softmacs", "--all"], "no problem 'softmacs'"),
        (["judge", "vector_add"], "its ladder is: passes"),
        (["judge", "vector_add", "--all", "--rung", "passes"], "with one of --rung"),
        (["judge", "vector_add", "--rung", "pases"], "no rung 'pases'"),
        (["judge", "vector_add", "--rung", "passes", "--watch"], "--watch goes with --file"),
        (["judge", "vector_add", "--all", "--device", "tpu"], "no device 'tpu'"),
        (["judge", "vector_add", "--all", "--keep", "/nowhere/r.jsonl"], "no folder /nowhere"),
        (["judge", "vector_add", "--all", "--limit", "-1"], "--limit"),
        (["ladder", "."], "a problem is a folder with a problem.py"),
        (["judge", "vector_add", "--file", "mine.cpp"], "whose name ends in .py or .cu"),
        (["judge", "vector_add", "--file", "mine.cu"], "mine.cu: no such file"),
        (["compare", "vector_add", "passes", "missing.py"], "no such file"),
        (
            ["compare", "vector_add", "passes", "fused", "--warm", "--device", "cpu"],
            "without --warm",
        ),
        (["recheck", "/nowhere/r.jsonl"], "no such file"),
        (["juggle"], "juggle"),
    ],
)
def test_a_mistyped_request_ends_with_2_and_says_what_there_is(say, arguments, complaint):
    said = say(*arguments, status=2)
    assert said.out == ""
    assert complaint in said.err
    assert "Traceback" not in said.err


def test_a_mistake_ends_a_process_with_2_and_one_line(warpbook):
    ended = warpbook("judge", "vector_add", "--rung", "pases")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1


def test_an_unknown_workload_is_answered_with_those_there_are(say, double):
    said = say("judge", double, "--all", "--workload", "64", status=2)
    assert "no workload '64'; it has: 1000, 63" in said.err


def test_debug_adds_the_traceback(say, double):
    assert "Traceback" in say("judge", double, "--rung", "none", "--debug", status=2).err


def test_a_gpu_that_is_not_there_ends_with_3(say, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    said = say("judge", "vector_add", "--all", "--device", "cuda", status=3)
    assert "no CUDA device" in said.err


def test_a_missing_package_ends_with_3_and_is_named(warpbook, double, tmp_path):
    broken = tmp_path / "broken" / "torch"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ModuleNotFoundError('no', name='torch')")
    path = f"{broken.parent}:{os.environ.get('PYTHONPATH', '')}"
    ended = warpbook("judge", double, "--all", environment={"PYTHONPATH": path})
    assert ended.returncode == 3
    assert "the Python package torch" in ended.stderr


BAD = {
    "shape": ("return x[1:] * 2", "wrong", "returned shape (62,), not (63,)"),
    "dtype": ("return (x * 2).double()", "wrong", "returned torch.float64, not torch.float32"),
    "device": ("return (x * 2).to('meta')", "wrong", "returned a tensor on meta, not cpu"),
    "value": ("return x * 2.1", "wrong", "over its budget"),
    "nothing": ("return None", "wrong", "returned a NoneType"),
    "raises": ("raise ValueError('not today')", "crashed", "ValueError: not today (raises.py:5)"),
    "hungry": ("return x.new_ones(25 * 10**9)", "crashed", "RuntimeError"),
    "segfault": ("ctypes.string_at(0)", "crashed", "killed by SIGSEGV"),
    "leaves": ("os._exit(0)", "crashed", "exited with 0"),
}
BODY = """
    import ctypes, os

    def double(x):
        {body}
"""


def test_each_way_to_fail_is_told_apart_and_spares_the_rung_after_it(say, double, tmp_path):
    ladder = {name: BODY.format(body=body) for name, (body, _, _) in BAD.items()}
    double.with_ladder(**ladder, right=RIGHT)
    kept = tmp_path / "receipts.jsonl"
    arguments = ("--all", "--workload", "63", "--device", "cpu", "--keep", kept)
    said = say("judge", double, *arguments, "--json", status=1)
    judged = {j["rung"]: (j["status"], j["reason"]) for j in said.document["judgements"]}
    assert judged.pop("right") == ("correct", "")
    assert judged.keys() == BAD.keys()
    for name, (_, status, reason) in BAD.items():
        assert judged[name][0] == status, name
        assert reason in judged[name][1], name
    assert [receipt.judgement.rung for receipt in read(kept)] == [*BAD, "right"]


def test_one_that_does_not_end_is_given_up_at_the_limit(say, double):
    """Alone under its limit: a rung that does end could be late on a busy machine."""
    double.with_ladder(endless=BODY.format(body="while True: pass"))
    arguments = ("--all", "--workload", "63", "--limit", "0.5", "--device", "cpu", "--json")
    (judged,) = say("judge", double, *arguments, status=1).document["judgements"]
    assert judged["status"] == "timed out"
    assert "no answer within the time limit" in judged["reason"]


def test_a_file_that_fails_is_explained_in_words_and_ends_with_1(say, double):
    file = double.write("mine.py", BODY.format(body="ctypes.string_at(0)"))
    said = say("judge", double, "--file", file, "--workload", "63", "--device", "cpu", status=1)
    assert "double mine: crashed" in said.out
    assert "crashed on 63: the process was killed by SIGSEGV" in said.out
    assert "Traceback" not in said.out + said.err


def test_ctrl_c_ends_with_130_and_keeps_what_was_finished(warpbook, say, double, tmp_path):
    started = tmp_path / "started"
    double.with_ladder(right=RIGHT, endless=ENDLESS.format(started=str(started)))
    kept = tmp_path / "receipts.jsonl"
    running = warpbook.start("judge", double, "--all", "--workload", "63", "--keep", kept)
    wait_for(started, running)
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert output.endswith("warpbook: interrupted\n")
    assert "Traceback" not in output
    assert [receipt.judgement.rung for receipt in read(kept)] == ["right"]
    assert warpbook.left_over() == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    say("judge", double, "--rung", "right", "--workload", "63")


def test_a_killed_judge_leaves_no_process_and_no_receipt(warpbook, double, tmp_path):
    started = tmp_path / "started"
    double.with_ladder(endless=ENDLESS.format(started=str(started)))
    kept = tmp_path / "receipts.jsonl"
    running = warpbook.start("judge", double, "--all", "--workload", "63", "--keep", kept)
    wait_for(started, running)
    running.kill()
    running.communicate(timeout=60)
    assert warpbook.left_over() == []
    assert not kept.exists()


def wait_for(path, running):
    while not path.exists():
        assert running.poll() is None, running.stdout.read()
        time.sleep(0.05)
