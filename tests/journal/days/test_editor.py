"""The person's editor has the file; whatever it does, the file is what it left."""

import sys
from datetime import date
from textwrap import dedent

import pytest

from warpbook.core.errors import BadInput, Missing
from warpbook.journal.days import days, editor
from warpbook.journal.texts import textfile

TODAY = date(2026, 1, 10)
PATH = "journal/2026-01-10.md"


@pytest.fixture
def editing(tmp_path, monkeypatch):
    """Makes a shell script the editor; `$1` is the file."""

    def make(script):
        path = tmp_path / "ed"
        path.write_text("#!/bin/sh\n" + dedent(script))
        path.chmod(0o755)
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", str(path))

    return make


def test_a_new_day_has_its_plans_when_the_editor_opens(journal, editing):
    journal.edit("journal/2026-01-09.md", lambda _: "tomorrow: plan\n")
    editing('test "$(cat "$1")" = "- [ ] plan" && echo words >> "$1"')
    done = editor.open_day(journal, TODAY)
    assert (done.changed, done.kept) == (True, True)
    assert journal.path(PATH).read_text() == "- [ ] plan\nwords\n"
    assert journal.index.one("day", "2026-01-10").document["entries"] == 1


def test_a_new_day_that_is_left_untouched_is_removed_again(journal, editing):
    journal.edit("journal/2026-01-09.md", lambda _: "tomorrow: plan\n")
    editing("true")
    assert not editor.open_day(journal, TODAY).kept
    assert not journal.path(PATH).exists()
    assert journal.index.one("day", "2026-01-10") is None


def test_what_was_said_before_the_editor_had_the_new_file_stays(journal, editing, monkeypatch):
    editing("true")
    held = textfile.held

    def later(path):
        days.add(journal, TODAY, "words")
        return held(path)

    monkeypatch.setattr(textfile, "held", later)
    assert editor.open_day(journal, TODAY).kept
    assert journal.path(PATH).read_text() == "words\n"


def test_an_empty_day_that_was_saved_is_kept(journal, editing):
    editing(': > "$1"')
    assert editor.open_day(journal, TODAY).kept
    assert journal.path(PATH).read_text() == ""


def test_an_editor_that_fails_loses_nothing(journal, editing):
    days.add(journal, TODAY, "words")
    editing('echo half >> "$1"; exit 7')
    with pytest.raises(BadInput, match=f"ended with 7; {PATH} is as the editor left it"):
        editor.open_day(journal, TODAY)
    assert journal.path(PATH).read_text() == "words\nhalf\n"
    assert journal.index.one("day", "2026-01-10").body == "words\nhalf\n"


def test_an_editor_that_a_signal_ended_is_told_as_that(journal, editing):
    editing('echo half >> "$1"; kill -9 $$')
    with pytest.raises(BadInput, match=f"was ended by SIGKILL; {PATH} is as the editor left it"):
        editor.open_day(journal, TODAY)
    assert journal.path(PATH).read_text() == "half\n"


def test_an_editor_that_fails_and_took_the_file_away_loses_nothing(journal, editing):
    days.add(journal, TODAY, "words")
    editing('rm "$1"; exit 1')
    with pytest.raises(BadInput, match=f"it had removed {PATH}, which is there again"):
        editor.open_day(journal, TODAY)
    assert journal.path(PATH).read_text() == "words\n"
    assert journal.index.one("day", "2026-01-10").body == "words\n"


def test_a_day_that_was_removed_in_the_editor_is_gone(journal, editing):
    days.add(journal, TODAY, "words")
    editing('rm "$1"')
    done = editor.open_day(journal, TODAY)
    assert (done.changed, done.kept) == (True, False)
    assert journal.index.one("day", "2026-01-10") is None


def test_what_is_wrong_in_a_saved_file_is_told(journal, editing):
    editing("""printf -- '---\\ntrack: gpu\\nminutes: [1\\n---\\nwords\\n' > "$1" """)
    (said,) = editor.open_day(journal, TODAY).problems
    assert said.startswith(f"{PATH}:4: front matter that is not YAML")
    assert journal.path(PATH).read_text().endswith("words\n")


def test_a_file_that_was_saved_in_another_encoding_stays(journal, editing):
    editing("""printf 'caf\\351\\n' > "$1" """)
    (said,) = editor.open_day(journal, TODAY).problems
    assert said.startswith(f"{PATH}:1: not UTF-8 (byte 0xe9)")
    assert journal.path(PATH).read_bytes() == b"caf\xe9\n"


def test_an_editor_that_is_not_there_leaves_no_new_day(journal, monkeypatch):
    monkeypatch.setenv("VISUAL", "/no/such/editor --wait")
    with pytest.raises(Missing, match=r"no editor '/no/such/editor' here: set \$EDITOR"):
        editor.open_day(journal, TODAY)
    assert not journal.path(PATH).exists()


def test_without_any_editor_it_says_what_to_set(monkeypatch, tmp_path):
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match=r"set \$EDITOR, or editor = "):
        editor.command()


def test_the_settings_come_before_the_environment(monkeypatch):
    monkeypatch.setenv("EDITOR", "ed")
    assert editor.command("code --wait") == ["code", "--wait"]
    assert editor.command("") == ["ed"]
    with pytest.raises(BadInput, match="is no command"):
        editor.command("vi 'unclosed")


def test_what_is_said_meanwhile_is_added_when_it_closes(journal, editing):
    days.add(journal, TODAY, "words")
    command = f"{sys.executable} -m warpbook day --book {journal.folder} --date {TODAY}"
    editing(f"""
        {command} said meanwhile --minutes 5 2> {journal.folder}/said || exit 9
        echo typed >> "$1"
    """)
    editor.open_day(journal, TODAY)
    text = "---\nminutes: 5\n---\nwords\ntyped\n\nsaid meanwhile\n"
    assert journal.path(PATH).read_text() == text
    assert "waits in journal/.waiting/2026-01-10.md" in journal.path("said").read_text()


def test_a_proposal_is_taken_out_again_if_nothing_was_saved(journal, editing):
    days.add(journal, TODAY, "words")
    editing("true")
    editor.open_day(journal, TODAY, proposal="- a fact")
    assert journal.path(PATH).read_text() == "words\n"
    editing('sed "s/fact/fact of mine/" "$1" > "$1.x" && mv "$1.x" "$1"')
    editor.open_day(journal, TODAY, proposal="- a fact")
    assert journal.path(PATH).read_text() == "words\n\n- a fact of mine\n"


def test_a_day_in_the_future_is_not_opened(journal, editing):
    editing("touch /no/where")
    with pytest.raises(BadInput, match="in the future"):
        editor.open_day(journal, date(2026, 1, 11))
