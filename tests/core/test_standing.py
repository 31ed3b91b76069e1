from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.roofs import Floor
from warpbook.core.standing import Mark, marks_of, stand


def timing(us):
    return Timing(us, us, us, 0.99 * us, 1.01 * us, (us,))


def mark(rung, us):
    return Mark("2026-01-04T10:00:00+00:00", "f", rung, False, "w", us, us, us, 0.5, 1.0, "aa")


def outcome(us):
    return Outcome(
        "w", Status.CORRECT, device=timing(us), floor=Floor(50.0, "memory"), fraction=50.0 / us
    )


LADDER = [mark("naive", 900.0), mark("best", 60.0), mark("better", 80.0), mark("plain", 200.0)]
PEERS = [mark("compiled", 110.0), mark("torch", 210.0)]


def names(marks):
    return [mark.rung for mark in marks]


def test_a_time_is_placed_among_the_rungs_slowest_first():
    standing = stand(outcome(100.0), LADDER, ("new",), PEERS, "torch", slack=0.03)
    assert names(standing.faster_than) == ["naive", "plain"]
    assert names(standing.slower_than) == ["better", "best"]
    assert standing.level_with == ()
    assert standing.next_rung == "better"
    assert standing.unmeasured == ("new",)
    assert (standing.us, standing.of_floor) == (100.0, 0.5)
    assert standing.torch.rung == "torch"
    assert standing.peers == {"compiled": 1.1, "torch": 2.1}


def test_times_whose_intervals_meet_within_the_slack_are_level():
    standing = stand(outcome(203.0), LADDER, (), [], "torch", slack=0.0)
    assert names(standing.level_with) == []
    standing = stand(outcome(203.0), LADDER, (), [], "torch", slack=0.03)
    assert names(standing.level_with) == ["plain"]
    assert names(standing.faster_than) == ["naive"]
    assert standing.next_rung == "better"
    assert standing.torch is None


def test_nothing_is_above_the_fastest():
    assert stand(outcome(10.0), LADDER, (), [], "torch", slack=0.03).next_rung is None


def test_only_what_was_timed_leaves_a_mark():
    untimed = Outcome("small", Status.CORRECT, error=1.0)
    judgement = Judgement(
        "f", "mine", "cpu", Status.CORRECT, "", (untimed, outcome(100.0)), "bb", environment={}
    )
    (kept,) = marks_of(judgement, "2026-01-04T10:00:00+00:00", own=True)
    assert (kept.rung, kept.workload, kept.us, kept.of_floor) == ("mine", "w", 100.0, 0.5)
    assert (kept.low_us, kept.high_us, kept.sha256, kept.own) == (99.0, 101.0, "bb", True)
