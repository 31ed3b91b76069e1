"""A short version of the bar on the dashboard's memory; `make bench` has the hour."""

import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parents[2] / "bench" / "soak.py"


@pytest.mark.browser
@pytest.mark.usefixtures("browser")  # where there is none, this is skipped
def test_memory_stays_flat_while_the_book_changes():
    ended = subprocess.run(
        [sys.executable, SOAK, "--seconds", "8", "--tabs", "8", "--sent", "12", "--bar", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.count("growing by") == 3
