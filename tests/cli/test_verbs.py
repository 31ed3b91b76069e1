"""Each verb as its users see it: what it prints, where, and how it ends."""

import json
import signal
import time

import pytest

import warpbook as package
from warpbook.kernels.library import problem_names
from warpbook.measure.receipts import read

WRONG = """
    '''A factor short.'''


    def double(x):
        return x.clone()
"""
SLOW = """
    '''Three copies on the way.'''


    def double(x):
        for _ in range(3):
            x = x.clone()
        return x * 2
"""


def test_judge_prints_a_table_on_stdout_and_ends_with_0(warpbook, double):
    ended = warpbook("judge", double, "--rung", "plain", "--workload", "63", "--device", "cpu")
    assert ended.returncode == 0
    assert "double plain: correct  (One multiplication.; returns a new tensor)" in ended.stdout
    assert "1 workload that exists to catch mistakes: all right" in ended.stdout


def test_judge_json_is_one_document_with_all_of_the_judgement(warpbook, double):
    file = double.write("mine.py", WRONG)
    arguments = ("--workload", "63", "--workload", "1000", "--device", "cpu", "--json")
    ended = warpbook("judge", double, "--file", file, *arguments)
    assert ended.returncode == 1
    document = json.loads(ended.stdout)
    (judgement,) = document["judgements"]
    assert (document["problem"], document["device"]) == ("double", "cpu")
    assert judgement["status"] == "wrong"
    assert judgement["outcomes"][0]["workload"] == "63"
    assert all(outcome["device"] is None for outcome in judgement["outcomes"])
    assert judgement["environment"]["torch"]


def test_ladder_shows_every_rung_even_beside_a_wrong_one(warpbook, double):
    double.with_ladder(slow=SLOW, wrong=WRONG, plain=SLOW)
    ended = warpbook("ladder", double, "--device", "cpu")
    assert ended.returncode == 1
    lines = ended.stdout.splitlines()
    assert lines[0] == "double 1000 on cpu"
    assert [line.split()[0] for line in lines[3:6]] == ["slow", "wrong", "plain"]
    assert "none (wrong)" in lines[4]
    assert any(line.startswith("wrong: wrong on 63: ") for line in lines)
    assert max(map(len, lines)) <= 100


def test_ladder_json_holds_what_the_table_shows(warpbook, double):
    ended = warpbook("ladder", double, "--device", "cpu", "--workload", "63", "--json")
    assert ended.returncode == 0
    (rung,) = json.loads(ended.stdout)["rungs"]
    assert rung["rung"] == "plain"
    assert rung["title"] == "One multiplication."
    assert rung["judgement"]["status"] == "correct"


def test_compare_takes_a_name_and_a_file_and_answers_or_says_why_it_cannot(
    warpbook, double, tmp_path
):
    file = double.write("slow.py", SLOW)
    kept = tmp_path / "receipt.jsonl"
    ended = warpbook("compare", double, "plain", file, "--device", "cpu", "--keep", kept)
    if ended.returncode == 1:
        assert "nothing can be said here: other processes" in ended.stderr
        assert not kept.exists()
        return
    assert ended.returncode == 0
    (receipt,) = read(kept)
    comparison = receipt.comparison
    assert comparison.answer in ended.stdout.splitlines()[0].lower()
    assert (comparison.a, comparison.b, comparison.workload) == ("plain", "slow", "1000")
    assert [source.shipped for source in receipt.request.sources] == [True, False]


def test_compare_refuses_a_wrong_rung(warpbook, double):
    file = double.write("wrong.py", "def double(x):\n    return x * float('nan')\n")
    ended = warpbook("compare", double, "plain", file, "--device", "cpu")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "wrong is wrong on 1000" in ended.stderr


def test_compare_says_to_programs_which_rung_is_disqualified_and_why(warpbook, double):
    file = double.write("broken.py", "def double(x):\n    raise ValueError('no')\n")
    ended = warpbook("compare", double, file, "plain", "--device", "cpu", "--json")
    assert ended.returncode == 1
    document = json.loads(ended.stdout)
    assert document.pop("reason") in ended.stderr
    assert document == {
        "disqualified": "broken",
        "arm": "a",
        "status": "crashed",
        "workload": "1000",
    }


def test_a_kept_judgement_no_longer_holds_when_the_rung_is_wrong_now(warpbook, double, tmp_path):
    kept = tmp_path / "receipt.jsonl"
    arguments = ("--rung", "plain", "--workload", "63", "--device", "cpu", "--keep", kept)
    assert warpbook("judge", double, *arguments).returncode == 0
    assert warpbook("recheck", kept).returncode == 2
    double.with_ladder(plain=WRONG)
    broken = warpbook("recheck", kept, "--trust", "--json")
    assert broken.returncode == 1
    (result,) = json.loads(broken.stdout)
    assert result["holds"] is False
    assert "was correct, is wrong" in result["against"][0]
    assert "the rung plain has changed since" in result["notes"]


def test_a_shipped_rung_is_rechecked_without_trust_and_carried_source_is_not(
    warpbook, double, tmp_path
):
    shipped, carried = tmp_path / "shipped.jsonl", tmp_path / "carried.jsonl"
    small = ("--workload", "4097-fp32", "--device", "cpu", "--keep")
    assert warpbook("judge", "vector_add", "--rung", "fused", *small, shipped).returncode == 0
    held = warpbook("recheck", shipped)
    assert (held.returncode, held.stdout) == (0, "judgement of vector_add fused: holds\n")
    file = double.write("mine.py", "def vector_add(a, b):\n    return a + b\n")
    assert warpbook("judge", "vector_add", "--file", file, *small, carried).returncode == 0
    refused = warpbook("recheck", carried)
    assert refused.returncode == 2
    assert "carries the source of mine, which is run only with --trust" in refused.stderr
    file.unlink()
    assert warpbook("recheck", carried, "--trust").returncode == 0


def test_watch_judges_each_save_and_ends_with_0(warpbook, double):
    file = double.write("mine.py", WRONG)
    running = warpbook.start("judge", double, "--file", file, "--workload", "63", "--watch")
    until("double mine: wrong", running)
    until("watching", running)
    file.write_text("def double(x:\n")
    until("syntax error", running)
    until("watching", running)
    replacement = double.write("mine.py.new", "def double(x):\n    return x * 2\n")
    replacement.replace(file)
    until("double mine: correct", running)
    until("watching", running)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=60)
    assert "double mine" not in output
    assert running.returncode == 0


def until(words, running):
    for line in running.stdout:
        if words in line:
            return
    pytest.fail(f"ended before it said {words!r}")


def test_problems_lists_workloads_and_rungs(warpbook):
    shown = warpbook("problems")
    assert shown.returncode == 0
    listed = json.loads(warpbook("problems", "--json").stdout)
    assert [problem["name"] for problem in listed] == problem_names()
    for problem in listed:
        assert problem["workloads"]
        assert all(rung["name"] in shown.stdout for rung in problem["rungs"])


def test_roofs_shows_what_was_measured_beside_theory(warpbook):
    ended = warpbook("roofs", "--device", "cpu", "--json")
    assert ended.returncode == 0
    roofs = json.loads(ended.stdout)
    assert 0 < roofs["copy_bytes_per_s"] < roofs["peaks"]["bytes_per_s"]
    shown = warpbook("roofs", "--device", "cpu")
    assert shown.stdout.splitlines()[1].split() == ["roof", "measured", "at", "most", "reached"]


def test_the_doctor_examines_one_cheat_by_name(warpbook):
    ended = warpbook("doctor", "--only", "zeros", "--device", "cpu", "--json")
    assert ended.returncode == 0
    (row,) = json.loads(ended.stdout)
    assert (row["name"], row["beaten"]) == ("zeros", True)


def test_version(warpbook):
    assert warpbook("--version").stdout == f"{package.__version__}\n"
