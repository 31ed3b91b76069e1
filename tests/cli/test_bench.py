"""`warpbook bench` as its users see it, on a small problem of their own."""

import json

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.measure import contest, watch
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
CUDA = """
    '''For a GPU.'''
    LANGUAGE = "cuda"


    def double(x): ...
"""


@pytest.fixture
def bench(monkeypatch):
    """In this process, where a crowded machine can be declared fit and eight rounds enough."""
    monkeypatch.setattr(watch, "CROWDED", 2.0)
    monkeypatch.setattr(contest, "MOST_ROUNDS", {"cpu": 8})

    def run(*arguments):
        return CliRunner().invoke(app, ["bench", *map(str, arguments), "--device", "cpu"])

    return run


def with_peer(double, **rungs):
    """The first of the rungs is other people's work."""
    double.with_ladder(**rungs)
    file = double.path / "problem.py"
    file.write_text(file.read_text().replace("ladder=", f"peers=({next(iter(rungs))!r},), ladder="))
    (double.path / "rungs" / "cuda.cu").write_text("")
    return double


def test_rungs_stand_beside_the_limit_and_the_peers(bench, double, tmp_path):
    with_peer(double, slow=SLOW, plain=SLOW.replace("range(3)", "range(0)"), cuda=CUDA)
    into = tmp_path / "kept"
    ended = bench(double, "--into", into)
    assert ended.exit_code == 0, ended.output
    lines = ended.stdout.splitlines()
    assert lines[0] == "double 1000 on cpu"
    assert lines[1].startswith("limit: ")
    assert " by copy_1; floor: " in lines[1]
    rows = {line.split()[0]: line for line in lines[3:6]}
    assert rows["slow"].split()[-2] == "1.00x"
    assert "%" in rows["plain"]
    assert "skipped" in rows["cuda"]
    assert "cuda: skipped: CUDA C++ runs on an NVIDIA GPU, and this is a CPU" in lines
    assert max(map(len, lines)) <= 100
    kept = read(into / "double.jsonl")
    assert [receipt.judgement.rung for receipt in kept] == ["slow", "plain", "cuda"]
    assert kept[1].judgement.outcomes[0].limit_by == "copy_1"
    assert kept[1].request.workloads == ("1000",)


def test_a_wrong_rung_of_our_own_ends_with_1_and_the_others_are_in_the_document(
    bench, double, tmp_path
):
    with_peer(double, plain=SLOW, wrong=WRONG)
    ended = bench(double, "--into", tmp_path, "--json")
    assert ended.exit_code == 1
    (problem,) = json.loads(ended.stdout)["problems"]
    assert problem["limits"]["1000"]["by"] == "copy_1"
    plain, wrong = problem["judgements"]
    assert plain["outcomes"][0]["device"]["median_us"] > 0
    assert plain["of_limit"]["1000"] > 0
    assert wrong["status"] == "wrong"
    assert wrong["outcomes"][0]["device"] is None


def test_what_does_not_fit_into_the_budget_is_said_and_nothing_is_kept(bench, double, tmp_path):
    with_peer(double, wrong=WRONG, plain=SLOW)
    ended = bench(double, "--into", tmp_path, "--budget", 1)
    assert ended.exit_code == 0
    assert "did not fit into the budget of 1 s" in ended.stdout
    assert "nothing was measured, and nothing kept" in ended.stdout
    assert not (tmp_path / "double.jsonl").exists()


def test_a_wrong_peer_is_not_our_failure(bench, double, tmp_path):
    with_peer(double, wrong=WRONG, plain=SLOW)
    ended = bench(double, "--into", tmp_path)
    assert ended.exit_code == 0, ended.output
    assert "wrong: wrong: error " in ended.stdout


def test_a_mistyped_problem_is_answered_at_once(warpbook, tmp_path):
    ended = warpbook("bench", "sotfmax", "--into", tmp_path / "kept")
    assert ended.returncode == 2
    assert "no problem 'sotfmax'" in ended.stderr
    assert not (tmp_path / "kept").exists()
