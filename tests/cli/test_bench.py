"""`warpbook bench` as its users see it, on a small problem of their own."""

import pytest

from warpbook.measure.receipts import read

pytestmark = pytest.mark.usefixtures("quick")

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


# Loaded before anything is measured, after more time than the least budget.
LATE = """
    import time

    time.sleep(1)


    def double(x):
        return x * 2
"""


@pytest.fixture
def bench(say):
    def run(*arguments, status=0):
        return say("bench", *arguments, "--device", "cpu", status=status)

    return run


def with_peers(double, *peers, **rungs):
    """Some of the rungs are other people's work."""
    double.with_ladder(**rungs)
    file = double.path / "problem.py"
    file.write_text(file.read_text().replace("ladder=", f"peers={peers!r}, ladder="))
    (double.path / "rungs" / "cuda.cu").write_text("")
    return double


def test_rungs_stand_beside_the_limit_and_the_peers(bench, double, tmp_path):
    """A wrong peer among them, which is not our failure."""
    ours = {"plain": SLOW.replace("range(3)", "range(0)"), "cuda": CUDA}
    with_peers(double, "slow", "wrong", slow=SLOW, wrong=WRONG, **ours)
    into = tmp_path / "kept"
    lines = bench(double, "--into", into).out.splitlines()
    assert lines[0] == "double 1000 on cpu"
    assert lines[1].startswith("limit: ")
    assert " by copy_1; floor: " in lines[1]
    rows = {line.split()[0]: line for line in lines[3:7]}
    assert rows["slow"].split()[-2] == "1.00x"
    assert "%" in rows["plain"]
    assert "skipped" in rows["cuda"]
    assert "cuda: skipped: CUDA C++ runs on an NVIDIA GPU, and this is a CPU" in lines
    assert any(line.startswith("wrong: wrong: error ") for line in lines)
    assert max(map(len, lines)) <= 100
    kept = read(into / "double.jsonl")
    assert [receipt.judgement.rung for receipt in kept] == ["slow", "wrong", "plain", "cuda"]
    assert kept[2].judgement.outcomes[0].limit_by == "copy_1"
    assert kept[2].request.workloads == ("1000",)


def test_a_wrong_rung_of_our_own_ends_with_1_and_the_others_are_in_the_document(
    bench, double, tmp_path
):
    with_peers(double, "plain", plain=SLOW, wrong=WRONG)
    (problem,) = bench(double, "--into", tmp_path, "--json", status=1).document["problems"]
    assert problem["limits"]["1000"]["by"] == "copy_1"
    plain, wrong = problem["judgements"]
    assert plain["outcomes"][0]["device"]["median_us"] > 0
    assert plain["of_limit"]["1000"] > 0
    assert wrong["status"] == "wrong"
    assert wrong["outcomes"][0]["device"] is None


def test_what_does_not_fit_into_the_budget_is_said_and_nothing_is_kept(bench, double, tmp_path):
    with_peers(double, late=LATE)
    said = bench(double, "--into", tmp_path, "--budget", 1)
    assert "did not fit into the budget of 1 s" in said.out
    assert "nothing was measured, and nothing kept" in said.out
    assert not (tmp_path / "double.jsonl").exists()


def test_a_mistyped_problem_is_answered_at_once(bench, tmp_path):
    said = bench("sotfmax", "--into", tmp_path / "kept", status=2)
    assert "no problem 'sotfmax'" in said.err
    assert not (tmp_path / "kept").exists()
