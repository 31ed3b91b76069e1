"""Short versions of the bars on crashes and on working together; `make bench` has the long ones."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"


def run(script, *arguments):
    return subprocess.run(
        [sys.executable, BENCH / script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_nothing_is_lost_or_counted_twice_through_kills():
    ended = run("kills.py", "--kills", "8")
    assert ended.returncode == 0, ended.stdout
    assert "8 kills" in ended.stdout


def test_workers_share_a_queue():
    ended = run("workers.py", "--workers", "3", "--experiments", "4", "--runs", "1")
    assert ended.returncode == 0, ended.stdout
    assert "3 workers, 4 runs" in ended.stdout
