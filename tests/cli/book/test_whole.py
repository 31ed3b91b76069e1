"""A book from its first line to a finding, by real measurements on this machine's CPU."""

# Times that hardly depend on what else runs here: few rounds tell them apart.
SLEEPING = """
    '''Waits for {ms} ms.'''

    import time


    def double(x):
        time.sleep({ms} / 1000)
        return x * 2
"""
# A rate that the clock's last digits make up: twice what the baseline has, give or take.
COMMAND = """echo "{{\\"rate\\": {}.$(date +%N | cut -c1-3)}}" """


def test_from_a_claim_to_a_finding(say, ask, book, double):
    double.with_ladder(slow=SLEEPING.format(ms=4))
    fast = double.write("fast.py", SLEEPING.format(ms=2))
    on = ("--on", double, "--device", "cpu", "--runs", "1", "--expect", "1.5x..3x")
    assert "slow" in say("try", fast, *on, "--because", "it waits less").out
    arms = ("--command", COMMAND.format(200), "--baseline", COMMAND.format(100))
    say("try", *arms, "--metric", "rate:higher", "--expect", "1.9x..2.1x", "--device", "none")
    ask("work", "--until-empty")

    assert book.queue.order() == []
    check_kernel(book)
    rate = book.hypotheses.summary("H-2")
    assert rate.hypothesis.verdict == "supported"
    assert rate.predictions[0].outcome == "hit"
    assert len(rate.runs) == 3

    say("finding", "add", "twice the rate", "--supports", "H-2")
    why = say("why", "F-1").out
    for name in ("F-1", "H-2", "E-2", *(run.name for run in rate.runs)):
        assert name in why
    assert "H-2 is supported" in say("log", "--kind", "verdict").out
    assert "nothing wrong" in say("check").out


def check_kernel(book):
    """Measured once; or, where others used nearly all of the CPU, given up and not counted."""
    kernel, runs = book.hypotheses.get("H-1"), book.runs.list(experiment="E-1")
    if {run.state for run in runs} == {"invalid"}:
        assert "the machine was not fit" in book.experiments.get("E-1").state_reason
        assert kernel.runs == 0
        return
    assert (kernel.runs, kernel.verdict) == (1, "open")
    assert 0.4 < kernel.estimate < 1.2  # 0.69 is twice as fast
    (measured,) = book.runs.receipt(runs[0].name).metrics
    assert len(measured.change) == len(measured.baseline) >= 16
