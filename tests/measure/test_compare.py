"""Two rungs against each other, in real children."""

import pytest

from warpbook.core import statistics
from warpbook.core.comparison import Answer
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.core.roofs import floor
from warpbook.kernels.rung import read_rung
from warpbook.measure import compare
from warpbook.measure.watch import Machine

HONEST = "import torch\ndef double(x, out=None):\n    return torch.mul(x, 2, out=out)"
OFTEN = """
import torch

def double(x, out):
    for _ in range(100):
        torch.mul(x, 2, out=out)
"""


@pytest.fixture(autouse=True)
def few_rounds(any_pace, monkeypatch):
    """The least that have an interval: the differences here are clear."""
    monkeypatch.setitem(statistics.BLOCKS, "cpu", (statistics.LEAST_BLOCKS,) * 2)


def test_a_rung_that_does_the_work_many_times_is_slower(judge, problem, candidate):
    a, b = candidate(HONEST, "once"), candidate(OFTEN, "often")
    comparison = judge.compare(problem, a, b, "256x1024")
    assert comparison.answer is Answer.SLOWER
    assert comparison.low <= comparison.ratio <= comparison.high
    assert len(comparison.a_us) == len(comparison.b_us) >= 16
    assert comparison.notes == ()
    assert comparison.floor == floor(problem.cost(problem.workload("256x1024")), judge.bench.roofs)


@pytest.mark.parametrize("lies", [1, 2])
def test_a_suspicion_is_looked_into_beside_a_child_without_a_candidate(
    judge, problem, candidate, monkeypatch, lies
):
    turns = []
    take_turns = compare.take_turns

    def counted(judge, arms, watch):
        turns.append([arm.player.beside for arm in arms])
        take_turns(judge, arms, watch)

    monkeypatch.setattr(compare, "take_turns", counted)
    monkeypatch.setattr(compare, "unaccounted", lambda *_: "took longer" * (len(turns) <= lies))
    a, b = candidate(HONEST, "once"), candidate(OFTEN, "often")
    with judge.match(problem, a, b, "256x1024") as match:
        if lies == 1:
            assert match.play().answer is Answer.SLOWER
        else:
            with pytest.raises(NotCorrect, match="once is suspect on 256x1024: took longer"):
                match.play()
        assert all(arm.rounds.way for arm in match.arms)
    assert turns[0] == [None, None]
    assert None not in turns[1]


def test_like_is_compared_with_like(judge, problem, candidate):
    returning = candidate("def double(x):\n    return x * 2", "returning")
    assert judge.compare(problem, candidate(HONEST, "either"), returning, "256x1024").notes == ()
    given = HONEST.replace("out=None", "out")
    given = judge.compare(problem, candidate(given, "given"), returning, "256x1024")
    assert given.notes == (
        "returning allocates its output inside the call; the other is given a buffer",
    )


@pytest.mark.parametrize(
    ("source", "said", "status"),
    [
        ("def double(x, out):\n    out.zero_()", "over its budget", "wrong"),
        ("def double(x, out):\n    raise ValueError('no')", "ValueError: no", "crashed"),
        ("import nowhere\ndef double(x): ...", "crashed", "crashed"),
    ],
)
def test_a_rung_that_is_not_correct_is_not_compared(
    judge, problem, candidate, source, said, status
):
    with pytest.raises(NotCorrect, match=f"bad.*{said}") as refused:
        judge.compare(problem, candidate(HONEST, "good"), candidate(source, "bad"), "256x1024")
    document = refused.value.document
    assert (document["disqualified"], document["arm"], document["status"]) == ("bad", "b", status)
    assert document["reason"] in str(refused.value)


def test_a_wrong_baseline_is_told_from_a_wrong_change_of_the_same_name(
    judge, problem, candidate, tmp_path
):
    wrong = candidate("def double(x, out):\n    out.zero_()", "mine")
    (tmp_path / "new").mkdir()
    right = tmp_path / "new" / "mine.py"
    right.write_text(HONEST)
    with pytest.raises(NotCorrect) as refused:
        judge.compare(problem, wrong, read_rung(right, "double"), "256x1024")
    assert refused.value.document["arm"] == "a"


def test_a_machine_that_is_not_fit_is_told_from_a_wrong_rung(
    judge, problem, candidate, monkeypatch
):
    monkeypatch.setattr(compare.Watch, "stop", lambda _: Machine("others use it", {}))
    honest = candidate(HONEST, "honest")
    with pytest.raises(NotCorrect, match="nothing can be said here: others use it") as refused:
        judge.compare(problem, honest, honest, "256x1024")
    assert list(refused.value.document) == ["invalid"]


def test_a_rung_without_a_time_here_is_not_compared(judge, problem, candidate):
    triton = candidate("import triton\ndef double(x, out): ...", "triton")
    with pytest.raises(BadInput, match="interpreter"):
        judge.compare(problem, triton, triton, "256x1024")
