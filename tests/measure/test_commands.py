"""Two commands in turns, in real shells."""

import math
import os
import subprocess
import sys
import tempfile

import pytest

from warpbook.core.effect import Better, Metric, Scale
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.measure.commands import compare_commands
from warpbook.measure.lock import lock_path, open_lock_file, try_lock

TIME = Metric("t", "ms")
SCORE = Metric("score", "points", Better.HIGHER, Scale.DIFFERENCE)
TWO = """echo '{"t": 2.0, "score": 1}'"""


def measured(baseline, change, *metrics, device="none", limit_s=300.0):
    return compare_commands([baseline, change], metrics or [TIME], 4, device, limit_s)


def test_the_commands_take_turns_in_blocks_and_each_sample_is_kept(tmp_path):
    count = f"echo x >> {tmp_path}/count; n=$(wc -l < {tmp_path}/count)"
    print_it = """printf '{"t": %s, "score": %s}' $n $((n * n))"""
    t, score = measured(
        f"{count}; {print_it}", f"{count}; {print_it}; echo a >> {tmp_path}/changes", TIME, SCORE
    )
    assert t.baseline == (1, 4, 5, 8, 9, 12, 13, 16)
    assert t.change == (2, 3, 6, 7, 10, 11, 14, 15)
    assert score.change == tuple(n * n for n in t.change)
    assert score.gain == pytest.approx(-2.0)  # (4 + 9 - 1 - 16) / 2 in every block
    assert score.error == pytest.approx(0.0, abs=1e-9)


def test_a_change_that_halves_a_time_gains_a_factor_of_two():
    (t,) = measured(TWO, """echo noise >&2; echo begun; echo '{"t": 1.0}'""")
    assert t.gain == pytest.approx(math.log(2))
    assert (t.metric, t.error) == (TIME, 0.0)


@pytest.mark.parametrize(
    ("baseline", "change", "limit_s", "arm", "status", "said"),
    [
        (TWO, "echo bad >&2; exit 3", 300, "change", "crashed", "3; it printed last: bad"),
        ("kill -ABRT $$", TWO, 300, "baseline", "crashed", "SIGABRT; it printed nothing"),
        ("sleep 600", TWO, 0.3, "baseline", "timed out", r"ran out of time \(0.3 s\)"),
    ],
)
def test_a_command_that_fails_is_disqualified(baseline, change, limit_s, arm, status, said):
    with pytest.raises(NotCorrect, match=f"the {arm}, block 1 of 4, .*{said}") as refused:
        measured(baseline, change, limit_s=limit_s)
    document = refused.value.document
    assert (document["disqualified"], document["status"]) == (arm, status)
    assert document["reason"] == str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("echo t=1", "printed no JSON object .*; it printed last: t=1"),
        ("true", "printed no JSON object .*; it printed nothing"),
        ("echo '{\"t\": 1}' >&2", "printed no JSON object .* to stdout"),
        ("echo '{\"ms\": 1}'", "there is no 't' in its JSON, which has: ms"),
        ("echo '{\"t\": NaN}'", "t is nan"),
        ("echo '{\"t\": 0}'", "t is 0, and a ratio needs"),
    ],
)
def test_output_of_no_use_says_which_command_and_what_it_printed(change, said):
    with pytest.raises(BadInput, match=f"the change, block 1 of 4.*{said}"):
        measured(TWO, change)


def test_what_goes_wrong_late_says_in_which_block(tmp_path):
    late = f"""echo x >> {tmp_path}/n; [ $(wc -l < {tmp_path}/n) -lt 5 ] && {TWO}; true"""
    with pytest.raises(BadInput, match="the change, block 3 of 4"):
        measured(TWO, late)


@pytest.mark.parametrize(
    ("commands", "metrics", "blocks", "said"),
    [
        (["", TWO], [TIME], 4, "the baseline is no command"),
        ([TWO, "a\0b"], [TIME], 4, "the change is no command"),
        ([TWO, TWO], [], 4, "at least one metric"),
        ([TWO, TWO], [TIME, TIME], 4, "the metric t is named twice"),
        ([TWO, TWO], [TIME], 3, "at least 4"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(commands, metrics, blocks, said):
    with pytest.raises(BadInput, match=said):
        compare_commands(commands, metrics, blocks, "none", 1.0)


def test_the_device_is_held_while_the_commands_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lock = lock_path("cpu")
    (t,) = measured(
        *[f"flock -n {lock} echo '{{\"t\": 1}}' || echo '{{\"t\": 2}}'"] * 2, device="cpu"
    )
    assert set(t.baseline + t.change) == {2.0}
    with os.fdopen(open_lock_file(lock)) as free:
        assert try_lock(free.fileno(), lock)


def test_torch_is_never_imported(tmp_path):
    program = f"""
import sys
from warpbook.core.effect import Metric
from warpbook.cli.main import app
from warpbook.measure.commands import compare_commands
compare_commands([{TWO!r}] * 2, [Metric("t")], 4, "cpu", 300.0)
assert "torch" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-c", program], check=True, timeout=600, env={"TMPDIR": str(tmp_path)}
    )
