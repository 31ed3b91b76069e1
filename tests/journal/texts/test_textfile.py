"""Text files that people edit too: nothing is overwritten, nothing is left half written."""

import os
import resource
import subprocess
import sys
import threading
import time

import pytest

from warpbook.core.errors import BadInput, Missing, NotFound, Taken
from warpbook.journal.texts import exchange, textfile

EDITS = """
import sys
from pathlib import Path
from warpbook.journal.texts import textfile
path, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for n in range(times):
    textfile.edit(path, lambda text: text + f"{name} {n}\\n")
"""
VERSIONS = """
import sys
from pathlib import Path
from warpbook.journal.texts import textfile
path, n = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    n += 1
    textfile.edit(path, lambda text: f"{n % 10}\\n" * 500_000)
"""
HOLDS = """
import sys
from pathlib import Path
from warpbook.journal.texts import textfile
with textfile.held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def child(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, **pipes)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "2026-01-04.md"


def names(path):
    return sorted(entry.name for entry in path.parent.iterdir())


def kept(path):
    return [entry for entry in path.parent.iterdir() if textfile.is_kept(entry.name)]


def test_a_file_is_read_with_plain_line_ends(path):
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    found = textfile.read(path)
    assert found.content == "one\ntwo\nthree\n"
    assert len(found.sha256) == 64


def test_what_cannot_be_read_is_told_with_its_line(path, tmp_path):
    path.write_bytes(b"one\r\ntwo\n\xff\n")
    with pytest.raises(BadInput, match=rf"{path}:3: not UTF-8 .byte 0xff"):
        textfile.read(path)
    with pytest.raises(BadInput, match=rf"{path}:3: not UTF-8"):
        textfile.edit(path, lambda text: text + "more")
    assert path.read_bytes() == b"one\r\ntwo\n\xff\n"
    with pytest.raises(NotFound, match="no such file"):
        textfile.read(tmp_path / "none.md")
    with pytest.raises(BadInput, match="not a plain file"):
        textfile.read(tmp_path)


def test_a_file_of_50_mb_is_refused_and_stays(path):
    with open(path, "wb") as file:
        file.truncate(50_000_000)
    for act in (textfile.read, lambda path: textfile.edit(path, str.upper)):
        with pytest.raises(BadInput, match=r":1: 50.0 MB is more than the 10 MB"):
            act(path)
    assert path.stat().st_size == 50_000_000


def test_an_edit_cannot_make_a_file_too_large(path):
    path.write_text("small")
    with pytest.raises(BadInput, match="more than the 10 MB"):
        textfile.edit(path, lambda text: text * 3_000_000)
    assert path.read_text() == "small"


def test_a_file_that_is_not_there_is_made_with_its_folder(tmp_path):
    path = tmp_path / "journal" / "day.md"
    assert textfile.edit(path, lambda text: text + "first\n").content == "first\n"
    assert path.read_text() == "first\n"
    assert names(path) == ["day.md"]


def test_line_ends_and_the_mark_are_kept(path):
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    textfile.edit(path, lambda text: text + "three\n")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n"


def test_lines_that_stay_keep_their_own_ends(path):
    path.write_bytes(b"a\r\nb\nc\r\nd\r\n")
    textfile.edit(path, lambda text: text.replace("c", "new\nc2"))
    assert path.read_bytes() == b"a\r\nb\nnew\r\nc2\r\nd\r\n"


def test_mode_and_links_stay(path, tmp_path):
    path.write_text("one\n")
    path.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(path)
    textfile.edit(link, lambda text: text + "two\n")
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("one\ntwo\n", 0o640)


def test_what_changes_nothing_writes_nothing(path):
    path.write_bytes(b"one\r\n")
    before = path.stat()
    textfile.edit(path, lambda text: text)
    assert path.stat() == before


def test_text_that_is_no_utf8_is_refused(path):
    path.write_text("one\n")
    with pytest.raises(BadInput, match="no UTF-8; nothing was changed"):
        textfile.edit(path, lambda text: text + "\udcff")
    assert path.read_text() == "one\n"


def in_place(path, text):
    path.write_text(text)


def by_rename(path, text):
    path.with_name("editor.tmp").write_text(text)
    path.with_name("editor.tmp").rename(path)


@pytest.mark.parametrize("save", [in_place, by_rename])
def test_an_edit_by_hand_meanwhile_is_kept_and_added_to(path, save):
    path.write_text("one\n")
    calls = []

    def change(text):
        if not calls:
            save(path, "one, by hand\n")
        calls.append(text)
        return text + "added\n"

    assert textfile.edit(path, change).content == "one, by hand\nadded\n"
    assert calls == ["one\n", "one, by hand\n"]
    assert path.read_text() == "one, by hand\nadded\n"
    assert names(path) == [path.name]


@pytest.mark.parametrize("save", [in_place, by_rename])
def test_a_file_made_by_hand_meanwhile_is_kept_and_added_to(path, save):
    def change(text):
        if not text:
            save(path, "by hand\n")
        return text + "added\n"

    textfile.edit(path, change)
    assert path.read_text() == "by hand\nadded\n"


@pytest.fixture
def at_the_swap(monkeypatch):
    """Acts right before each swap, after the last look at the file."""

    def prepare(*acts):
        waiting, swapped = list(acts), exchange.swapped

        def swap(one, other):
            if waiting:
                waiting.pop(0)()
            return swapped(one, other)

        monkeypatch.setattr(exchange, "swapped", swap)

    return prepare


@pytest.mark.parametrize("save", [in_place, by_rename])
def test_an_edit_by_hand_at_the_last_moment_goes_back_to_its_place(path, save, at_the_swap):
    path.write_text("one\n")
    at_the_swap(lambda: save(path, "by hand\n"))
    textfile.edit(path, lambda text: text + "added\n")
    assert path.read_text() == "by hand\nadded\n"
    assert names(path) == [path.name]


@pytest.mark.parametrize("save", [in_place, by_rename])
def test_of_two_edits_by_hand_at_the_last_moment_none_is_lost(path, save, at_the_swap):
    path.write_text("one\n")
    at_the_swap(lambda: save(path, "by hand\n"), lambda: save(path, "and again\n"))
    with pytest.raises(Taken, match="wrote to it twice meanwhile"):
        textfile.edit(path, lambda text: text + "added\n")
    assert path.read_text() == "by hand\n"
    assert [one.read_text() for one in kept(path)] == ["and again\n"]


@pytest.mark.parametrize("saved", ["one\nadded\nby hand\n", "one\nby hand\n", None])
def test_who_saves_over_the_new_file_has_what_was_added_once(path, saved, monkeypatch):
    path.write_text("one\n")
    swapped = exchange.swapped

    def then_save(one, other):
        done = swapped(one, other)
        monkeypatch.setattr(exchange, "swapped", swapped)
        by_rename(path, saved) if saved else path.unlink()
        return done

    monkeypatch.setattr(exchange, "swapped", then_save)
    textfile.edit(path, lambda text: text + "added\n")
    lines = path.read_text().split("\n")
    assert lines.count("added") == 1
    assert lines.count("by hand") == bool(saved)


def test_a_file_system_without_a_swap_is_written_to_all_the_same(path, monkeypatch):
    monkeypatch.setattr(exchange, "swapped", lambda one, other: False)
    path.write_text("one\n")
    assert textfile.edit(path, lambda text: text + "two\n").content == path.read_text()
    assert names(path) == [path.name]


def test_a_file_taken_away_meanwhile_is_made_anew(path):
    path.write_text("one\n")

    def change(text):
        path.unlink(missing_ok=True)
        return text + "added\n"

    textfile.edit(path, change)
    assert path.read_text() == "added\n"


def test_who_never_stops_writing_is_not_overwritten(path):
    path.write_text("one\n")
    count = iter(range(1000))

    def change(text):
        path.write_text(f"by hand {next(count)}\n")
        return text + "added\n"

    with pytest.raises(Taken, match="another program goes on writing") as told:
        textfile.edit(path, change)
    (ours,) = kept(path)
    assert ours.name in str(told.value)
    assert ours.read_text().endswith("added\n")
    assert path.read_text() == f"by hand {next(count) - 1}\n"


def test_a_program_that_has_the_file_open_loses_nothing(path, monkeypatch):
    monkeypatch.setattr(textfile, "QUIET_S", 0.01)
    path.write_text("one\n")
    with open(path, "a") as file:
        with pytest.raises(Taken, match="another program goes on writing"):
            textfile.edit(path, lambda text: text + "added\n")
        file.write("two\n")
    assert path.read_text() == "one\ntwo\n"
    assert [one.read_text() for one in kept(path)] == ["one\nadded\n"]


def test_a_save_that_takes_its_time_is_waited_for(path, monkeypatch):
    monkeypatch.setattr(textfile, "QUIET_S", 60.0)
    path.write_text("one\n")
    opened, looked = threading.Event(), threading.Event()
    quiet = textfile.exchange.quiet
    monkeypatch.setattr(textfile.exchange, "quiet", lambda path: [quiet(path), looked.set()][0])

    def save():
        with open(path, "w") as file:  # empty from here on
            opened.set()
            looked.wait(60)
            file.write("by hand\n")

    saving = threading.Thread(target=save)
    saving.start()
    opened.wait()
    textfile.edit(path, lambda text: text + "added\n")
    saving.join()
    assert path.read_text() == "by hand\nadded\n"
    assert names(path) == [path.name]


def test_processes_that_edit_at_once_lose_nothing(path):
    both = [child(EDITS, path, name, 10) for name in "ab"]
    assert [one.wait() for one in both if one.communicate()] == [0, 0]
    wanted = [f"{name} {n}" for name in "ab" for n in range(10)]
    assert sorted(path.read_text().split("\n")[:-1]) == sorted(wanted)
    assert names(path) == [path.name]


def test_killed_while_writing_it_is_the_old_file_or_the_new_one(path):
    path.write_text("0\n" * 500_000)
    for round_ in range(8):
        writer = child(VERSIONS, path)
        writer.stdout.readline()
        time.sleep(0.004 + 0.003 * round_)
        writer.kill()
        writer.communicate()
        found = path.read_text()
        assert (len(found), found) == (1_000_000, found[:2] * 500_000)
    textfile.edit(path, lambda text: text + "after\n")
    assert names(path) == [path.name]


def leftover(path, name, text):
    path.with_name(f".{path.name}.{name}").write_text(text)


def test_what_a_killed_process_left_is_removed(path):
    path.write_text("old\n")
    digests = [textfile.sha256(text.encode())[:16] for text in ("old\n", "new\n")]
    leftover(path, "part", "ne")
    leftover(path, "-".join(digests) + ".new", "new\n")
    leftover(path, "lock", "")
    textfile.edit(path, lambda text: text + "more\n")
    assert names(path) == [path.name]


def test_an_edit_by_hand_that_a_killed_process_had_taken_out_is_kept(path):
    path.write_text("new\n")
    digests = [textfile.sha256(text.encode())[:16] for text in ("old\n", "new\n")]
    leftover(path, "-".join(digests) + ".new", "by hand\n")
    textfile.edit(path, lambda text: text + "more\n")
    assert [one.read_text() for one in kept(path)] == ["by hand\n"]


def test_a_file_that_an_editor_has_is_left_alone(path):
    path.write_text("one\n")
    editor = child(HOLDS, path)
    editor.stdout.readline()
    for act in (
        lambda: textfile.edit(path, lambda text: text + "two\n"),
        lambda: textfile.held(path).__enter__(),
    ):
        with pytest.raises(Taken, match=rf"open in an editor .warpbook day, process {editor.pid}"):
            act()
    editor.kill()
    editor.communicate()
    textfile.edit(path, lambda text: text + "two\n")
    assert path.read_text() == "one\ntwo\n"


def test_an_editor_that_has_closed_leaves_nothing(path):
    with textfile.held(path):
        path.write_text("typed\n")
    assert names(path) == [path.name]
    textfile.edit(path, lambda text: text + "two\n")


@pytest.fixture
def full_disk():
    """Files of this process may grow to 4 kB, as on a disk that is full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_changes_nothing(path):
    path.write_text("one\n")
    with pytest.raises(Missing, match=r"could not be written: .*; nothing was changed"):
        textfile.edit(path, lambda text: text + "x" * 10_000)
    lines = path.with_name("reviews.jsonl")
    textfile.append_line(lines, '{"n": 1}')
    with pytest.raises(Missing, match="could not be written"):
        textfile.append_line(lines, '{"n": "' + "x" * 10_000 + '"}')
    assert path.read_text() == "one\n"
    assert lines.read_text() == '{"n": 1}\n'
    assert names(path) == [path.name, lines.name]


def test_create_refuses_what_is_there(path):
    textfile.create(path, "one\n")
    with pytest.raises(Taken, match="is there already"):
        textfile.create(path, "two\n")
    assert path.read_text() == "one\n"


def test_replace_keeps_both_where_the_file_has_changed(path):
    shown = textfile.create(path, "one\n")
    assert textfile.replace(path, shown.sha256, "two\n").content == "two\n"
    with pytest.raises(
        Taken, match=r"has changed since; what you wrote is kept as 2026-01-04.kept-"
    ):
        textfile.replace(path, shown.sha256, "three\n")
    assert path.read_text() == "two\n"
    assert [one.read_text() for one in kept(path)] == ["three\n"]


def test_what_is_kept_is_kept_once_however_often_it_is_tried(path):
    textfile.create(path, "one\n")
    for text in ("two\n", "two\n", "three\n"):
        with pytest.raises(Taken, match="is kept as"):
            textfile.replace(path, "0" * 64, text)
    assert sorted(one.read_text() for one in kept(path)) == ["three\n", "two\n"]


def test_lines_are_appended_and_a_torn_one_is_mended(tmp_path):
    path = tmp_path / "cards" / "reviews.jsonl"
    textfile.append_line(path, '{"n": 1}')
    with open(path, "a") as file:
        file.write('{"n": 2}')
    textfile.append_line(path, '{"n": 3}')
    with open(path, "a") as file:
        file.write('{"n":')
    textfile.append_line(path, '{"n": 4}')
    assert path.read_text().split("\n") == ['{"n": 1}', '{"n": 2}', '{"n": 3}', '{"n": 4}', ""]
    assert [one.read_text() for one in kept(path)] == ['{"n":']
    with pytest.raises(ValueError, match="one line"):
        textfile.append_line(path, "a\nb")


def test_a_folder_that_may_only_be_read_is_told(tmp_path):
    folder = tmp_path / "file"
    folder.write_text("no folder")
    with pytest.raises(Missing, match=r"could not be written: .*; nothing was changed"):
        textfile.edit(folder / "day.md", lambda text: "x")
    assert os.listdir(tmp_path) == ["file"]
