"""A book from its first line to a finding, by real measurements on this machine's CPU."""

from warpbook.book.book import Book

SLOW = """
    def double(x):
        for _ in range(200):
            y = x * 2
        return y
"""
FAST = """
    '''One multiplication, once.'''


    def double(x):
        return x * 2
"""
WRONG = """
    def double(x):
        return x * 3
"""
# A rate that a clock of its own makes up: twice what the baseline has, give or take a percent.
COMMAND = """python3 -c 'import random; print("{{\\"rate\\": %f}}" % random.uniform({}))'"""


def test_from_a_claim_to_a_finding(warpbook, double, tmp_path):
    double.with_ladder(slow=SLOW)
    fast, wrong = double.write("fast.py", FAST), double.write("wrong.py", WRONG)
    home = tmp_path / "book"

    def ask(*arguments):
        ended = warpbook(*arguments, environment={"WARPBOOK": str(home)})
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    ask("init", home)
    on = ("--on", double, "--device", "cpu", "--runs", "1", "--expect", "20x..200x")
    assert "slow" in ask("try", fast, *on, "--because", "less work")
    ask("try", wrong, *on)
    arms = ("--command", COMMAND.format("198, 202"), "--baseline", COMMAND.format("99, 101"))
    ask("try", *arms, "--metric", "rate:higher", "--expect", "1.9x..2.1x", "--device", "none")
    ask("work", "--until-empty")

    book = Book.open(home)
    assert book.queue.order() == []
    kernel = book.hypotheses.get("H-1")
    assert (kernel.runs, kernel.verdict) == (1, "open")
    assert kernel.estimate > 2
    (run,) = book.runs.list(experiment="E-1")
    (measured,) = book.runs.receipt(run.name).metrics
    assert len(measured.change) == len(measured.baseline) >= 8
    assert book.experiments.get("E-2").state == "disqualified"
    assert book.hypotheses.get("H-2").runs == 0
    rate = book.hypotheses.summary("H-3")
    assert rate.hypothesis.verdict == "supported"
    assert rate.predictions[0].outcome == "hit"
    assert len(rate.runs) == 3
    book.close()

    ask("finding", "add", "twice the rate", "--supports", "H-3")
    why = ask("why", "F-1")
    for name in ("F-1", "H-3", "E-3", *(run.name for run in rate.runs)):
        assert name in why
    assert "H-3 is supported" in ask("log", "--kind", "verdict")
    assert "nothing wrong" in ask("check")
