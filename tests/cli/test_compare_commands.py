"""`warpbook compare-commands`, as its users run it."""

import pytest

from warpbook.core.codec import decode
from warpbook.core.run import MetricSamples

BASELINE = """echo working; echo '{"latency": 2.0, "score": 70}'"""
CHANGE = """echo '{"latency": 1.6, "score": 69}'"""
METRICS = ("--metric", "latency:lower:ratio:ms", "--metric", "score:higher:difference:points")


@pytest.fixture
def compared(say):
    def run(*arguments, baseline=BASELINE, change=CHANGE, status=0):
        commands = ("--baseline", baseline, "--change", change, "--device", "none")
        return say("compare-commands", *commands, *arguments, status=status)

    return run


def test_people_read_a_sentence_and_a_table(compared):
    said = compared(*METRICS)
    lines = said.out.splitlines()
    assert lines[0].startswith("With the change latency is 1.25x better in this one run")
    assert lines[1].startswith("With the change score changes by -1 points")
    assert [line.split()[0] for line in lines[2:]] == ["command", "baseline", "change"]
    assert "working" in said.err


def test_programs_read_samples_and_where_they_were_taken(compared):
    document = compared(*METRICS, "--blocks", 5, "--json").document
    latency, score = (decode(MetricSamples, seen) for seen in document["metrics"])
    assert latency.baseline == (2.0,) * 10
    assert score.gain == -1.0
    assert document["order"] == "ABBA"
    assert document["environment"]["device"]


def test_a_command_that_crashes_ends_with_1_and_a_document(compared):
    said = compared("--metric", "latency", "--json", change="exit 9", status=1)
    document = said.document
    assert (document["disqualified"], document["status"]) == ("change", "crashed")
    assert document["reason"] in said.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--metric", "speed"), "no 'speed' in its JSON, which has: latency, score"),
        (("--metric", "latency:faster"), "write lower or higher"),
        (("--metric", "latency", "--blocks", "3"), "3 blocks are too few"),
        ((), "--metric"),
    ],
)
def test_mistakes_end_with_2_and_nothing_on_stdout(compared, arguments, complaint):
    said = compared(*arguments, "--json", status=2)
    assert said.out == ""
    assert complaint in said.err
    assert "Traceback" not in said.err


def test_killed_it_leaves_no_process_behind(warpbook):
    """The fixture looks for them."""
    sleep = "setsid sleep 600 & echo begun; sleep 600 | cat"
    commands = ("--baseline", sleep, "--change", CHANGE, "--device", "none")
    process = warpbook.start("compare-commands", *commands, "--metric", "latency")
    with process:
        assert any(line == "begun\n" for line in process.stdout)
        process.kill()
