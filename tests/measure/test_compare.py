"""Two rungs against each other, in real children."""

import pytest

from warpbook.core.comparison import Answer
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.measure import watch

HONEST = "import torch\ndef double(x, out=None):\n    return torch.mul(x, 2, out=out)"
THRICE = """
import torch

def double(x, out):
    for _ in range(8):
        torch.mul(x, 2, out=out)
"""


@pytest.fixture(autouse=True)
def busy_machine_is_fine(monkeypatch):
    monkeypatch.setattr(watch, "CROWDED", 2.0)


def test_a_rung_that_does_the_work_many_times_is_slower(judge, problem, candidate):
    a, b = candidate(HONEST, "once"), candidate(THRICE, "often")
    comparison = judge.compare(problem, a, b, "256x1024")
    assert comparison.answer is Answer.SLOWER
    assert comparison.low <= comparison.ratio <= comparison.high
    assert len(comparison.a_us) == len(comparison.b_us) >= 16
    assert comparison.notes == ()


def test_like_is_compared_with_like(judge, problem, candidate):
    returning = candidate("def double(x):\n    return x * 2", "returning")
    assert judge.compare(problem, candidate(HONEST, "either"), returning, "256x1024").notes == ()
    given = judge.compare(problem, candidate(THRICE, "given"), returning, "256x1024")
    assert given.notes == (
        "returning allocates its output inside the call; the other is given a buffer",
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def double(x, out):\n    out.zero_()", "over its budget"),
        ("def double(x, out):\n    raise ValueError('no')", "ValueError: no"),
        ("import nowhere\ndef double(x): ...", "crashed"),
    ],
)
def test_a_rung_that_is_not_correct_is_not_compared(judge, problem, candidate, source, said):
    with pytest.raises(NotCorrect, match=f"bad.*{said}"):
        judge.compare(problem, candidate(HONEST, "good"), candidate(source, "bad"), "256x1024")


def test_a_rung_without_a_time_here_is_not_compared(judge, problem, candidate):
    triton = candidate("import triton\ndef double(x, out): ...", "triton")
    with pytest.raises(BadInput, match="interpreter"):
        judge.compare(problem, triton, triton, "256x1024")
