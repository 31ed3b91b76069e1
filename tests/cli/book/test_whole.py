"""A book from its first line to a finding, by real measurements on this machine's CPU."""

# Twenty times apart, and waiting: whatever else runs here adds too little to hide it.
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
    double.with_ladder(slow=SLEEPING.format(ms=60))
    fast = double.write("fast.py", SLEEPING.format(ms=3))
    on = ("--on", double, "--device", "cpu", "--runs", "1", "--expect", "2x..40x")
    assert "slow" in say("try", fast, *on, "--because", "it waits less").out
    arms = ("--command", COMMAND.format(200), "--baseline", COMMAND.format(100))
    say("try", *arms, "--metric", "rate:higher", "--expect", "1.9x..2.1x", "--device", "none")
    ask("work", "--until-empty", WARPBOOK_BUSY_IS_FINE="yes")

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
    kernel = book.hypotheses.get("H-1")
    assert (kernel.runs, kernel.verdict) == (1, "open")
    assert 1 < kernel.estimate < 4  # 3.0 is twenty times as fast
    (run,) = book.runs.list(experiment="E-1")
    (measured,) = book.runs.receipt(run.name).metrics
    assert len(measured.change) == len(measured.baseline) >= 16
