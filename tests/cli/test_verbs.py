"""Each verb as its users see it: what it prints, where, and how it ends. What it says of times is
in `test_times.py`."""

import signal

import pytest

import warpbook as package
from warpbook.cli import watch
from warpbook.kernels.library import problem_names

pytestmark = pytest.mark.usefixtures("quick")

WRONG = """
    '''A factor short.'''


    def double(x):
        return x.clone()
"""


def test_judge_prints_a_table_on_stdout_and_ends_with_0(warpbook, double):
    ended = warpbook("judge", double, "--rung", "plain", "--workload", "63", "--device", "cpu")
    assert ended.returncode == 0
    assert "double plain: correct  (One multiplication.; returns a new tensor)" in ended.stdout
    assert "1 workload that exists to catch mistakes: all right" in ended.stdout


def test_judge_json_is_one_document_with_all_of_the_judgement(say, double):
    file = double.write("mine.py", WRONG)
    arguments = ("--workload", "63", "--workload", "1000", "--device", "cpu", "--json")
    document = say("judge", double, "--file", file, *arguments, status=1).document
    (judgement,) = document["judgements"]
    assert (document["problem"], document["device"]) == ("double", "cpu")
    assert judgement["status"] == "wrong"
    assert judgement["outcomes"][0]["workload"] == "63"
    assert all(outcome["device"] is None for outcome in judgement["outcomes"])
    assert judgement["environment"]["torch"]


def test_ladder_json_holds_what_the_table_shows(say, double):
    said = say("ladder", double, "--device", "cpu", "--workload", "63", "--json")
    (rung,) = said.document["rungs"]
    assert rung["rung"] == "plain"
    assert rung["title"] == "One multiplication."
    assert rung["judgement"]["status"] == "correct"


def test_compare_refuses_a_wrong_rung(say, double):
    file = double.write("wrong.py", "def double(x):\n    return x * float('nan')\n")
    said = say("compare", double, "plain", file, "--device", "cpu", status=1)
    assert said.out == ""
    assert "wrong is wrong on 1000" in said.err


def test_compare_says_to_programs_which_rung_is_disqualified_and_why(say, double):
    file = double.write("broken.py", "def double(x):\n    raise ValueError('no')\n")
    said = say("compare", double, file, "plain", "--device", "cpu", "--json", status=1)
    document = said.document
    assert document.pop("reason") in said.err
    assert document == {
        "disqualified": "broken",
        "arm": "a",
        "status": "crashed",
        "workload": "1000",
    }


def test_a_kept_judgement_no_longer_holds_when_the_rung_is_wrong_now(say, double, tmp_path):
    kept = tmp_path / "receipt.jsonl"
    arguments = ("--rung", "plain", "--workload", "63", "--device", "cpu", "--keep", kept)
    say("judge", double, *arguments)
    say("recheck", kept, status=2)
    double.with_ladder(plain=WRONG)
    (result,) = say("recheck", kept, "--trust", "--json", status=1).document
    assert result["holds"] is False
    assert "was correct, is wrong" in result["against"][0]
    assert "the rung plain has changed since" in result["notes"]


def test_a_shipped_rung_is_rechecked_without_trust_and_carried_source_is_not(say, double, tmp_path):
    shipped, carried = tmp_path / "shipped.jsonl", tmp_path / "carried.jsonl"
    small = ("--workload", "4097-fp32", "--device", "cpu", "--keep")
    say("judge", "vector_add", "--rung", "fused", *small, shipped)
    assert say("recheck", shipped).out == "judgement of vector_add fused: holds\n"
    file = double.write("mine.py", "def vector_add(a, b):\n    return a + b\n")
    say("judge", "vector_add", "--file", file, *small, carried)
    refused = say("recheck", carried, status=2)
    assert "carries the source of mine, which is run only with --trust" in refused.err
    file.unlink()
    say("recheck", carried, "--trust")


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
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    assert running.returncode == 0


def until(words, running):
    for line in running.stdout:
        if words in line:
            return
    pytest.fail(f"ended before it said {words!r}")


def test_a_save_that_changes_nothing_and_a_file_moved_away_are_no_change(tmp_path, monkeypatch):
    file, aside = tmp_path / "mine.py", tmp_path / "mine.py~"
    file.write_text("1")
    happens = [
        lambda: file.write_text("1"),
        lambda: file.replace(aside),
        lambda: aside.replace(file),
        lambda: file.write_text("2"),
    ]
    monkeypatch.setattr(watch.time, "sleep", lambda _: happens.pop(0)())
    watch.wait_for_change(file, watch.fingerprint(file))
    assert happens == []


def test_problems_lists_workloads_and_rungs(say):
    shown = say("problems").out
    listed = say("problems", "--json").document
    assert [problem["name"] for problem in listed] == problem_names()
    for problem in listed:
        assert problem["workloads"]
        assert all(rung["name"] in shown for rung in problem["rungs"])


def test_the_doctor_examines_one_cheat_by_name(say):
    (row,) = say("doctor", "--only", "zeros", "--device", "cpu", "--json").document
    assert (row["name"], row["beaten"]) == ("zeros", True)


def test_version(warpbook):
    assert warpbook("--version").stdout == f"{package.__version__}\n"
