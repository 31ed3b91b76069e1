"""From one book into another, and what came that way is seen before it runs."""

import os
import pty
import select
import subprocess
import sys
from dataclasses import replace

import pytest
from book_desk import make_plan

from warpbook.book.book import Book
from warpbook.core.run import Arm

SOURCE = "def double(x):\n    return x  # \x1b[2J\n"


@pytest.fixture
def exported(say, desk, book, tmp_path):
    """A book with a decided claim and one that waits, in a file; another book is in use."""
    _, experiment = desk.tried()
    desk.results(experiment, 0.26, 0.27, 0.25)
    arm = Arm("mine.py", "ab" * 32, rung="mine", command="sh evil.sh", text=SOURCE)
    desk.experiment(desk.claim("waits"), plan=replace(make_plan(), change=arm))
    said = say("export", tmp_path / "all.warpbook")
    assert "2 experiments" in said.words
    return tmp_path / "all.warpbook"


@pytest.fixture
def other(tmp_path):
    made = Book.create(tmp_path / "other", author="ben")
    yield made
    made.close()


def test_what_is_imported_is_held_until_it_was_seen_in_full(say, exported, other):
    into = ("--book", other.folder)
    said = say("import", exported, *into)
    assert "2 experiments" in said.words
    assert "held until you have seen what they run: E-2" in said.words
    assert other.experiments.get("E-2").state == "held"
    assert other.hypotheses.get("H-1").verdict == "supported"

    said = say("release", "E-2", *into)
    assert "sh evil.sh" in said.out
    assert r"return x  # \x1b[2J" in said.out
    assert "\x1b" not in said.out
    line = said.out.strip().splitlines()[-1]
    digits = line.split("--seen ")[1]
    assert other.experiments.get("E-2").state == "held"

    refused = say("release", "E-2", "--seen", "0" * len(digits), *into, status=2)
    assert "look at all of it" in refused.err
    assert say("release", "E-2", "--json", *into).document["seen"] == digits
    assert "E-2 is released and queued" in say("release", "E-2", "--seen", digits, *into).words
    assert "is not held" in say("release", "E-2", *into, status=2).err
    assert "nothing wrong" in say("check", *into).words


@pytest.mark.parametrize(("answer", "state"), [("n\n", "held"), ("y\n", "queued")])
def test_on_a_terminal_it_is_asked(say, exported, other, answer, state):
    say("import", exported, "--book", other.folder)
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "warpbook", "release", "E-2", "--book", str(other.folder)]
    started = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown = b""
    while b"[y/N]" not in shown:
        assert select.select([screen], [], [], 120)[0], shown
        shown += os.read(screen, 4096)
    assert b"sh evil.sh" in shown
    os.write(screen, answer.encode())
    assert started.wait(120) == (0 if state == "queued" else 1)
    os.close(screen)
    assert other.experiments.get("E-2").state == state


def test_a_key_stops_an_export_and_says_where(say, desk, tmp_path):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    desk.claim(f"with {key}")
    target = tmp_path / "all.warpbook"
    said = say("export", target, status=2)
    assert "look like keys" in said.err
    assert "H-1" in said.err
    assert key not in said.err
    assert not target.exists()
    say("export", target, "--allow-keys")
    assert "is there already" in say("export", target, "--allow-keys", status=2).err


def test_a_file_that_is_no_export_is_refused(say, tmp_path):
    for name, contents in (("empty", b""), ("text", b"hello"), ("zip", b"PK\x03\x04 cut off")):
        (tmp_path / name).write_bytes(contents)
        assert name in say("import", tmp_path / name, status=2).err
    assert "no such file" in say("import", tmp_path / "none", status=2).err


def test_the_verb_may_be_named_and_each_noun_tells_its_verbs(say, exported, other):
    assert "book" in say("export", "--help").words
    assert "2 experiments" in say("import", "book", exported, "--book", other.folder).words


def test_a_backup_holds_the_whole_book(say, desk, tmp_path):
    desk.tried()
    say("backup", tmp_path / "kept.tar.gz")
    again = tmp_path / "again"
    again.mkdir()
    subprocess.run(["tar", "xzf", tmp_path / "kept.tar.gz", "-C", again], check=True)
    assert "nothing wrong" in say("check", "--book", again).words
    assert "is there already" in say("backup", tmp_path / "kept.tar.gz", status=2).err


def test_why_walks_down_to_the_samples(say, desk):
    _, experiment = desk.tried(because="fewer bytes")
    desk.results(experiment, 0.26, 0.27, 0.25)
    say("finding", "add", "it pays", "--supports", "H-1")
    said = say("why", "F-1")
    for words in (
        *("F-1 it pays", "from 3 runs", "supports H-1 new is faster", "because fewer bytes"),
        *("evidence", "predicted 1.22x..1.35x: hit", "R-2 1.31x in time_s", "quoted"),
        *("time_s of the baseline in s: 10.0 10.0", "receipt.json"),
    ):
        assert words in said.words, words
    samples = say("why", "f1", "--json").document["below"][0]["below"][0]["below"][0]["metrics"]
    assert len(samples[0]["change"]) == 8
    assert "valid, for evidence" in say("why", "R-1").words
    assert "is no claim" in say("why", "P-1", status=2).err


def test_the_graph_has_it_all(say, desk):
    desk.tried()
    assert "1 hypothesis" in say("graph").words
    found = say("graph", "--json", "--campaign", "inbox").document
    assert {"from": "E-1", "type": "tests", "to": "H-1"} in found["edges"]
