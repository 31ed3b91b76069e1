"""The steps of a run as they are written and read."""

import os

import pytest

from warpbook.core.steps import LONGEST, VARIABLE, Steps, read, steps_here, without_steps


def test_every_change_of_step_is_one_line(tmp_path):
    write = Steps(tmp_path / "steps")
    for text in ("importing torch", "importing torch", "round 1", "importing torch"):
        write(text)
    found = read(tmp_path / "steps")
    assert [step.text for step in found] == ["importing torch", "round 1", "importing torch"]
    assert [step.at for step in found] == sorted(step.at for step in found)


def test_processes_append_to_one_file_found_by_their_environment(tmp_path, monkeypatch):
    Steps(tmp_path / "steps")("of the first")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "steps"))
    steps_here()("of the second")
    assert [step.text for step in read(tmp_path / "steps")] == ["of the first", "of the second"]
    assert VARIABLE not in without_steps(os.environ)


def test_what_a_command_holds_is_made_visible_and_short(tmp_path):
    write = Steps(tmp_path / "steps")
    write("\x1b[2Jgone\n\u202e")
    write("x" * 10_000)
    first, second = (step.text for step in read(tmp_path / "steps"))
    assert first == r"\x1b[2Jgone\n\u202e"
    assert len(second) == LONGEST


def test_outside_a_run_and_on_a_full_disk_nothing_happens(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    steps_here()("a step")
    Steps(tmp_path / "no folder" / "steps")("a step")
    assert list(tmp_path.iterdir()) == []


GOOD = b'{"at": "2026-01-04T10:00:00+00:00", "text": "good"}\n'


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[1]",
        b'{"at": 3, "text": "x"}',
        b'{"at": "2026-01-04T10:00:00", "text": "without a zone"}',
        b'{"at": "yesterday", "text": "x"}',
        b'{"at": "2026-01-04T10:00:00+00:00", "text": 7}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_of_a_damaged_file_the_rest_is_read(tmp_path, line):
    (tmp_path / "steps").write_bytes(GOOD + line + b"\n" + GOOD)
    assert [step.text for step in read(tmp_path / "steps")] == ["good", "good"]


@pytest.mark.parametrize("kind", ["missing", "pipe", "link", "folder"])
def test_what_is_no_plain_file_has_no_steps(tmp_path, kind):
    path = tmp_path / "steps"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        (tmp_path / "other").write_bytes(GOOD)
        path.symlink_to(tmp_path / "other")
    elif kind == "folder":
        path.mkdir()
    assert read(path) == []
