"""The index follows the text files, whatever is done to them, and can be made again."""

import os
import shutil
import sqlite3
import threading

import pytest

from warpbook.book.book import Book
from warpbook.book.sqlite import connect
from warpbook.core.errors import BadInput, Missing
from warpbook.journal.index import Index, OtherTables
from warpbook.journal.journal import Journal
from warpbook.journal.texts import files

DAY = "journal/2026-01-04.md"
CARD = "Q: What is a warp?\nA: 32 threads.\n<!-- card:{} -->\n"


@pytest.fixture
def write(folder):
    def write(path, text):
        target = folder / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    return write


def keys(journal, kind, **asked):
    return [entry.key for entry in journal.index.entries(kind, **asked)]


def state(journal):
    """All there is in the index, however rows are numbered."""
    rows = journal.index.connection.execute(
        "SELECT e.path, e.line, e.kind, e.key, e.date, e.topic, e.state, e.title, e.document, "
        "t.title, t.body FROM journal_entries e JOIN journal_text t ON t.rowid = e.id"
    )
    return sorted(rows)


def test_files_are_taken_in_and_only_those_that_changed(journal, write):
    write(DAY, "# Day 1\n- [ ] tile it\n\n" + CARD.format("aaaa"))
    write("reading/memory.md", "# Memory\n## A title\n- address: https://example.org/x\n")
    write("cards/warps.md", CARD.format("bbbb"))
    write("journal/imported/log.md", "not a day")
    write("cards/.hidden.md", CARD.format("cccc"))
    write("cards/reviews.jsonl", "{}\n")
    found = journal.index.refresh()
    assert (found.parsed, found.problems) == (
        ["cards/warps.md", DAY, "reading/memory.md"],
        [],
    )
    assert keys(journal, "day") == ["2026-01-04"]
    assert keys(journal, "card") == ["bbbb", "aaaa"]
    assert len(keys(journal, "reading")) == len(keys(journal, "plan")) == 1
    write("cards/warps.md", CARD.format("dddd"))
    (journal.folder / DAY).unlink()
    again = journal.index.refresh()
    assert (again.parsed, again.removed) == (["cards/warps.md"], [DAY])
    assert (keys(journal, "card"), keys(journal, "day")) == (["dddd"], [])
    assert journal.index.refresh().parsed == []


def test_an_edit_that_leaves_no_other_stamp_is_seen(journal, write):
    """Of the same length, within the clock's step, in place: all stamps may then be the same."""
    path = write("cards/a.md", CARD.format("aaaa"))
    journal.index.refresh()
    path.write_bytes(CARD.format("bbbb").encode())
    stamp = files.stamp_of(path)
    journal.index.connection.execute(
        "UPDATE journal_files SET mtime_ns = ?, ctime_ns = ?, indexed_ns = ?",
        (stamp.mtime_ns, stamp.ctime_ns, stamp.mtime_ns + 1_000_000),
    )
    assert journal.index.refresh().parsed == ["cards/a.md"]
    assert keys(journal, "card") == ["bbbb"]


def test_a_file_that_cannot_be_used_is_a_problem_and_the_others_go_on(journal, write, folder):
    write("journal/2026-02-30.md", "no such day")
    write("journal/2026-01-05.md", b"one\n\xff\n")
    with open(write("journal/2026-01-06.md", ""), "wb") as file:
        file.truncate(50_000_000)
    os.mkfifo(folder / "journal" / "2026-01-07.md")
    (folder / "journal" / "2026-01-08.md").symlink_to("nowhere.md")
    write(os.fsdecode(b"journal/caf\xe9.md"), "x")
    write("journal/2026-01-09.md", "---\ntrack: [\n---\n# A day all the same\n")
    write("journal/2026-01-04.kept-20260105-120000.md", "# another version\n")
    found = journal.index.refresh().problems
    said = {problem.path.removeprefix("journal/"): problem for problem in found}
    assert said.keys() == {
        "2026-02-30.md",
        "2026-01-05.md",
        "2026-01-06.md",
        "2026-01-07.md",
        "2026-01-08.md",
        "2026-01-09.md",
        "2026-01-04.kept-20260105-120000.md",
        "caf\\udce9.md",
    }
    assert "is no date" in said["2026-02-30.md"].text
    assert (said["2026-01-05.md"].line, said["2026-01-09.md"].line) == (2, 3)
    assert "50.0 MB" in said["2026-01-06.md"].text
    assert keys(journal, "day") == ["2026-01-09"]
    assert {problem.path for problem in journal.index.problems()} == {p.path for p in found}


def test_two_cards_with_one_id_are_told_until_one_goes(journal, write):
    write("cards/a.md", CARD.format("aaaa"))
    write("cards/b.md", "\n" + CARD.format("aaaa"))
    found = journal.index.refresh().problems
    assert [str(problem) for problem in found] == [
        "cards/b.md:2: two cards with one id, aaaa; the other is cards/a.md:1"
    ]
    assert journal.index.problems() == found
    assert journal.index.one("card", "aaaa").path == "cards/a.md"
    write("cards/b.md", CARD.format("bbbb"))
    assert journal.index.refresh().problems == journal.index.problems() == []


def test_made_again_it_is_the_same(journal, write):
    for number in range(1, 6):
        write(f"journal/2026-01-0{number}.md", f"# Day {number}\n5x over PyTorch\n")
    journal.index.refresh()
    write("journal/2026-01-03.md", "# Day 3, later\n")
    (journal.folder / "journal/2026-01-02.md").unlink()
    journal.index.refresh()
    followed = state(journal)
    journal.index.connection.execute("UPDATE journal_entries SET title = 'wrong', date = ''")
    journal.index.connection.execute("DELETE FROM journal_text")
    done = []
    assert len(journal.index.rebuild(lambda n, of: done.append((n, of))).parsed) == 4
    assert done == [(4, 4)]
    assert state(journal) == followed


def test_entries_are_filtered_ordered_and_paged(journal, write):
    for number in range(1, 7):
        box = "x" if number % 2 else " "
        write(f"journal/2026-01-0{number}.md", f"# The {number}th\n- [{box}] plan {number}\n")
    journal.index.refresh()
    assert keys(journal, "day", since="2026-01-02", until="2026-01-03") == [
        *("2026-01-02", "2026-01-03")
    ]
    assert keys(journal, "day", descending=True, limit=2, offset=1) == ["2026-01-05", "2026-01-04"]
    assert keys(journal, "day", search="4th") == ["2026-01-04"]
    assert keys(journal, "day", search="!!!") == keys(journal, "day", topic="none") == []
    assert [e.title for e in journal.index.entries("plan", state="open", order="title")] == [
        *("plan 2", "plan 4", "plan 6")
    ]
    assert len(keys(journal, "plan", state=("open", "done"))) == 6
    assert keys(journal, "plan", state=()) == []
    assert len(keys(journal, "day", search="plan", since="2026-01-05")) == 2
    assert journal.index.one("day", "2026-01-04").body == "# The 4th\n- [ ] plan 4\n"
    assert journal.index.one("day", "2020-01-01") is None


def test_other_settings_have_all_files_parsed_again(journal, write):
    write(DAY, "# Day 1\n")
    journal.index.refresh()
    assert keys(journal, "day", topic="journal") == ["2026-01-04"]
    (journal.folder / "warpbook.toml").write_text('[journal]\ntrack = "gpu"\n')
    with Journal.open(journal.folder) as again:
        assert again.index.refresh().parsed == [DAY]
        assert again.index.refresh().parsed == []
        assert keys(again, "day", topic="gpu") == ["2026-01-04"]


def test_an_edit_through_the_journal_is_in_the_index_at_once(journal):
    text = journal.edit(DAY, lambda text: text + "# Day 1\n")
    assert text.content == "# Day 1\n"
    assert keys(journal, "day") == ["2026-01-04"]
    assert journal.index.take_in("reading/feeds.toml") == []
    (journal.folder / DAY).unlink()
    journal.index.take_in(DAY)
    assert keys(journal, "day") == []


def test_the_stamp_differs_after_any_change(journal, write):
    stamps = [files.stamp(journal.folder)]
    for path, text in ((DAY, "a"), (DAY, "ab"), ("cards/reviews.jsonl", "{}\n")):
        write(path, text)
        stamps.append(files.stamp(journal.folder))
    (journal.folder / DAY).unlink()
    stamps.append(files.stamp(journal.folder))
    assert len({*stamps}) == 5
    assert files.stamp(journal.folder) == stamps[-1]


def test_many_files_are_taken_in_while_others_write_to_the_book(journal, write, monkeypatch):
    monkeypatch.setattr("warpbook.journal.index.BATCH", 3)
    for number in range(10, 30):
        write(f"journal/2026-01-{number}.md", f"# Day {number}\n")
    with Book.open(journal.folder).store.write("ana") as other:
        waiting = threading.Timer(0.05, other.session.commit)
        waiting.start()
        assert len(journal.index.refresh().parsed) == 20
        waiting.join()
    assert len(keys(journal, "day")) == 20


@pytest.fixture
def read_only(folder, monkeypatch):
    """A book whose file may only be read, also for those whom no mode stops."""

    def begin():
        uri = f"{(folder / 'book.db').as_uri()}?immutable=1"
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        monkeypatch.setattr(
            "warpbook.book.sqlite.connect",
            lambda path: sqlite3.connect(uri, uri=True, isolation_level=None),
        )
        return Journal.open(folder)

    return begin


def test_a_book_that_may_only_be_read_is_followed_in_memory(journal, write, read_only):
    write(DAY, "# Day 1\n")
    write("cards/a.md", CARD.format("aaaa"))
    journal.index.refresh()
    journal.index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal.close()
    before = (journal.folder / "book.db").read_bytes()
    with read_only() as reader:
        assert reader.index.refresh().parsed == []
        write(DAY, "# Day 1, again\n")
        write("journal/2026-01-05.md", "# Day 2\n")
        assert reader.index.refresh().parsed == [DAY, "journal/2026-01-05.md"]
        assert [entry.title for entry in reader.index.entries("day")] == ["Day 1, again", "Day 2"]
        assert keys(reader, "card", search="threads") == ["aaaa"]
        campaigns = reader.index.connection.execute("SELECT name FROM campaigns").fetchall()
        assert campaigns == [("inbox",)]
    with read_only() as reader, pytest.raises(Missing, match="can only be read"):
        reader.index.rebuild()
    assert (journal.folder / "book.db").read_bytes() == before


def test_a_book_of_other_tables_is_refused(folder, tmp_path):
    shutil.copy(folder / "book.db", tmp_path / "book.db")
    connection = connect(tmp_path / "book.db")
    connection.execute("UPDATE alembic_version SET version_num = '0002'")
    connection.close()
    (tmp_path / "warpbook.toml").touch()
    with pytest.raises(OtherTables, match="its tables are not those of this version"):
        Journal.open(tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        Index.open(tmp_path / "none", None)
