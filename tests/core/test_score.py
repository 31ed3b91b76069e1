from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.score import gains, scores, workloads_of


def timing(us):
    return Timing(us, us, us, us, us, (us,))


def judged(rung, *outcomes):
    return Judgement("softmax", rung, "cuda", Status.CORRECT, "", outcomes, "abc")


def timed(us, workload="w"):
    return Outcome(workload, Status.CORRECT, device=timing(us), call=timing(us), limit=timing(50.0))


def test_a_rung_is_held_to_the_fastest_peer_that_has_a_time():
    crashed = Outcome("w", Status.CRASHED, "refuses")
    judgements = [
        judged("mine", timed(50.0)),
        judged("fused", timed(100.0)),
        judged("compiled", timed(75.0)),
        judged("liger", crashed),
    ]
    found = {s.rung: s for s in scores(judgements, "w", ("fused", "compiled", "liger"))}
    assert found["mine"].over_peer == 1.5
    assert found["fused"].over_peer == 0.75
    assert found["liger"].over_peer is None
    assert found["liger"].time_us is None
    assert found["fused"].outcome.of_limit == 0.5
    assert crashed.of_limit is None


def test_without_a_peer_there_is_nothing_to_be_faster_than():
    (score,) = scores([judged("mine", timed(50.0))], "w", ("fused",))
    assert score.over_peer is None


def test_only_rungs_with_an_outcome_on_the_workload_are_scored():
    judgements = [judged("a", timed(1.0, "v"), timed(2.0, "w")), judged("b", timed(1.0, "w"))]
    assert [s.rung for s in scores(judgements, "v", ())] == ["a"]
    assert workloads_of(judgements) == ["v", "w"]


def test_a_gain_is_over_the_nearest_rung_below_that_has_a_time():
    ladder = [("plain", 100.0, None), ("skipped", None, 2.0), ("fast", 25.0, 3.0)]
    plain, skipped, fast = gains(ladder)
    assert (plain.gain, skipped.gain) == (None, None)
    assert (fast.over, fast.gain, fast.expected) == ("plain", 4.0, 6.0)
