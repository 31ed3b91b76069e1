"""Real shells, and what becomes of what they start."""

import resource
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import pytest

from warpbook.core.errors import Missing
from warpbook.measure.invocation import KEPT_BYTES, Tail, invoke


def alive(*seconds):
    """Whether a `sleep` of one of these lengths is still there."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if any(length.encode() in command for length in seconds):
                return True
    return False


def test_both_streams_are_echoed_and_only_stdout_is_read(capfd):
    ended = invoke("echo out; echo err >&2", 300)
    assert ended.stdout == "out\n"
    assert ended.whole
    assert ended.failure is None
    echoed = capfd.readouterr()
    assert echoed.out == ""
    assert sorted(echoed.err.splitlines()) == ["err", "out"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("exit 3", "ended with exit status 3"),
        ("kill -SEGV $$", "was ended by SIGSEGV"),
        ("no-such-command-of-warpbook", "ended with exit status 127"),
    ],
)
def test_how_a_command_fails_is_told(command, said):
    assert invoke(command, 300).failure == said


def test_when_its_time_is_up_all_that_it_started_is_ended(tmp_path):
    said = tmp_path / "said"
    ended = invoke(f"echo begun; touch {said}; setsid sleep 987.11 & sleep 987.12 | cat", 0.3)
    assert (ended.status, ended.failure) == (None, "ran out of time")
    assert ended.stdout == "begun\n" or not said.exists()
    assert not alive("987.11", "987.12")


def test_what_a_command_leaves_behind_is_ended_with_it():
    ended = invoke("setsid sh -c 'sleep 987.21; true' & (sleep 987.22 &); echo done", 300)
    assert ended.failure is None
    assert not alive("987.21", "987.22")


def test_a_command_dies_with_the_process_that_measures():
    program = """
        from warpbook.measure.invocation import invoke
        invoke("setsid sleep 987.31 & echo begun; sleep 987.32", 300)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stderr=subprocess.PIPE
    ) as process:
        assert process.stderr.readline() == b"begun\n"
        process.kill()
    deadline = time.monotonic() + 120
    while alive("987.31", "987.32") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive("987.31", "987.32")


def test_of_much_output_the_end_is_kept_and_no_more(capfd):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ended = invoke("head -c 100000000 /dev/zero | tr '\\0' '\\n'; echo last", 600)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB
    assert not ended.whole
    assert len(ended.stdout) == KEPT_BYTES
    assert ended.last == "last"
    assert ended.stdout.endswith("\nlast\n")


def test_the_end_of_the_output_is_shown_on_one_line_without_control_characters():
    ended = invoke(r"printf 'one\n\n\033[1mtwo\033[0m\r10%%\r20%%\n'", 300)
    assert ended.last == "one / ?[1mtwo?[0m / 10% / 20%"


def test_a_command_that_is_too_long_for_the_system_says_so():
    with pytest.raises(Missing, match="cannot be started"):
        invoke("true " + "x" * 10**7, 300)


def test_a_command_finds_its_input_empty_and_its_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    assert invoke("cat; echo $PYTHONPATH", 300).stdout == "/somewhere\n"


def test_a_tail_keeps_the_end():
    tail = Tail(4)
    for chunk in (b"ab", b"cdefghij", b"k"):
        tail.add(chunk)
    assert (tail.text, tail.total_bytes, tail.whole) == ("hijk", 11, False)
