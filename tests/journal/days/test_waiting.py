"""What is said of a day while an editor has its file waits, and is not lost."""

from contextlib import ExitStack
from datetime import date

import pytest

from warpbook.core.errors import BadInput
from warpbook.journal.days import days, plans, waiting
from warpbook.journal.texts import textfile

TODAY = date(2026, 1, 10)
PATH = "journal/2026-01-10.md"
HEADED = '<!-- waits: {"lines": 9} -->\n\nwords of mine'


@pytest.fixture
def editor(journal):
    """Has today's file until it is closed."""
    days.add(journal, TODAY, "words")
    with ExitStack() as opened:
        opened.enter_context(textfile.held(journal.path(PATH)))
        yield opened


def test_text_waits_in_order_and_is_added_once(journal, editor):
    for text in ("first", "second\n\nof two paragraphs", HEADED):
        assert days.add(journal, TODAY, text).waits
    assert journal.path(PATH).read_text() == "words\n"
    assert waiting.flush(journal) == []
    assert journal.path(PATH).read_text() == "words\n"
    editor.close()
    expected = f"words\n\nfirst\n\nsecond\n\nof two paragraphs\n\n{HEADED}\n"
    assert waiting.flush(journal) == waiting.flush(journal) == []
    assert journal.path(PATH).read_text() == expected
    assert not waiting.file_of(journal, TODAY).exists()


class Killed(BaseException):
    """What ends a process at once."""


def killed(*_):
    raise Killed


@pytest.mark.parametrize("at", ["before", "after"])
def test_killed_around_the_writing_it_is_added_once(journal, editor, monkeypatch, at):
    days.add(journal, TODAY, "later", minutes=5)
    editor.close()
    with monkeypatch.context() as patch:
        patch.setattr(*(textfile, "put") if at == "before" else (journal.index, "take_in"), killed)
        with pytest.raises(Killed):
            waiting.flush(journal)
    with textfile.held(journal.path(PATH)):
        days.add(journal, TODAY, "later", minutes=5)
    assert waiting.flush(journal) == []
    assert journal.path(PATH).read_text() == "---\nminutes: 10\n---\nwords\n\nlater\n\nlater\n"
    assert [*journal.path("journal", ".waiting").iterdir()] == []


def test_minutes_and_tracks_wait_too(journal, editor):
    added = days.add(journal, TODAY, "later", track="ml", minutes=20)
    assert added.path == "journal/.waiting/2026-01-10.md"
    days.add(journal, TODAY, "", minutes=10)
    editor.close()
    waiting.flush(journal)
    day = days.get(journal, TODAY)
    assert day.by_track == {"ml": 20, "journal": 10}
    assert day.body == "words\n\nlater\n"


def test_minutes_that_are_none_are_refused_at_once(journal, editor):
    with pytest.raises(BadInput, match="no number of minutes"):
        days.add(journal, TODAY, "later", minutes=-5)
    assert not waiting.file_of(journal, TODAY).exists()


def test_a_plan_that_is_done_waits(journal, editor):
    editor.close()
    days.add(journal, TODAY, "- [ ] plan")
    with textfile.held(journal.path(PATH)):
        assert days.settle(journal, plans.find(journal, "plan"), "done").waits
    waiting.flush(journal)
    assert plans.listed(journal) == []


def test_a_plan_that_is_settled_twice_meanwhile_is_settled_in_its_place(journal, editor):
    journal.path(PATH).write_text("- [ ] one\n- [ ] two\n")
    journal.index.refresh()
    plan = plans.find(journal, "one")
    for state in ("done", "done", "dropped"):
        assert days.settle(journal, plan, state).waits
    editor.close()
    assert waiting.flush(journal) == []
    assert journal.path(PATH).read_text() == "- [-] one\n- [ ] two\n"


def test_what_cannot_be_added_stays_and_is_told(journal, editor):
    days.add(journal, TODAY, "later", minutes=5)
    journal.path(PATH).write_text("---\nminutes: soon\n---\n")
    editor.close()
    (said,) = waiting.flush(journal)
    assert said.startswith("journal/.waiting/2026-01-10.md waits: journal/2026-01-10.md:2: minutes")
    assert "later" in waiting.file_of(journal, TODAY).read_text()


def test_a_file_that_waits_and_was_edited_stays(journal):
    path = waiting.file_of(journal, TODAY)
    path.parent.mkdir(parents=True)
    path.write_text("words of mine\n")
    (said,) = waiting.flush(journal)
    assert f"{path}:1: not as Warpbook left it" in said
    assert path.read_text() == "words of mine\n"
