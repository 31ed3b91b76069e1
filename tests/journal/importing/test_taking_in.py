"""Taking a log in: nothing is written over, nothing twice, and a kill leaves no gap."""

import json
import subprocess
import sys
from datetime import date

import pytest
from reading_logs import TODAY

from warpbook.core.errors import BadInput
from warpbook.journal.days import days
from warpbook.journal.importing import apply, logs
from warpbook.journal.importing.clues import Asked
from warpbook.journal.reading import shelf, shelf_list
from warpbook.journal.sharing import log_export
from warpbook.journal.sharing.log_export import Chosen
from warpbook.journal.texts import textfile

LOG = """\
## Jan 2, 2026 - Day 1 of CUDA
began

Q: What is a warp?
A: 32 threads.

## Jan 3, 2026 - Day 2 of CUDA
went on

# Memory
- [Banks](https://example.org/banks)
  - good
"""


@pytest.fixture
def take(journal, tmp_path):
    def run(text, name="log.md", **asked):
        (tmp_path / name).write_text(text)
        wanted = logs.asked_of(journal, Asked(TODAY, **asked), None)
        return logs.take_in(journal, logs.read(journal, tmp_path / name, wanted))

    return run


def content(journal, name):
    return textfile.read(journal.path("journal", f"{name}.md")).content


def test_a_day_that_is_there_is_added_to(journal, take):
    days.add(journal, date(2026, 1, 2), "already here", minutes=30)
    take(LOG)
    day = days.get(journal, date(2026, 1, 2))
    assert day.body.index("already here") < day.body.index("began")
    assert (day.tracks, day.minutes) == (("journal", "CUDA"), 30)


def test_two_entries_of_one_day_are_both_in_it(journal, take):
    take("## 2026-01-02 - Day 1 of CUDA\nam\n\n## 2026-01-02 - Day 2 of GPUs\npm\n")
    body = days.get(journal, date(2026, 1, 2)).body
    assert "am" in body
    assert "pm" in body


def test_twice_is_once_though_the_log_has_grown(journal, take):
    first = take(LOG)
    assert (first.days, first.reading, first.cards) == (2, 1, 1)
    journal.path("journal", "2026-01-03.md").write_text("rewritten by hand\n")
    again = take(LOG + "\n## Jan 4, 2026 - Day 3 of CUDA\nmore\n")
    assert (again.days, again.reading, again.cards, again.before) == (1, 0, 0, 4)
    assert content(journal, "2026-01-03") == "rewritten by hand\n"
    assert "more" in content(journal, "2026-01-04")


def test_the_log_is_kept_as_it_came_and_the_ledger_says_what_went_where(journal, take):
    take(LOG)
    [kept] = journal.path("journal", "imported").glob("*-log.md")
    assert kept.read_text() == LOG
    rows = journal.path("journal", "imported", "ledger.jsonl").read_text().splitlines()
    assert [(row["kind"], row["line"]) for row in map(json.loads, rows)] == [
        ("day", 1),
        ("day", 7),
        ("reading", 11),
        ("card", 4),
    ]
    assert [entry.key for entry in journal.index.entries("day")] == ["2026-01-02", "2026-01-03"]


def test_killed_between_the_text_and_the_ledger_nothing_is_doubled(journal, take):
    take(LOG)
    before = content(journal, "2026-01-03")
    ledger = journal.path("journal", "imported", "ledger.jsonl")
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:1]))
    done = take(LOG)
    assert (done.days, done.reading, done.notes, done.cards, done.there) == (0, 0, 0, 0, 3)
    assert content(journal, "2026-01-03") == before
    assert len(ledger.read_text().splitlines()) == 4


def test_killed_on_the_way_the_same_again_finishes(journal, take, tmp_path):
    (tmp_path / "log.md").write_text(LOG)
    program = (
        "import os, sys\nfrom datetime import date\nfrom pathlib import Path\n"
        "from warpbook.journal.importing import apply, logs\n"
        "from warpbook.journal.importing.clues import Asked\n"
        "from warpbook.journal.journal import Journal\n"
        "journal = Journal.open(Path(sys.argv[1]))\n"
        "wanted = logs.asked_of(journal, Asked(date(2026, 1, 10)), None)\n"
        "log = logs.read(journal, Path(sys.argv[2]), wanted)\n"
        "stop = lambda line: os._exit(9) if line.startswith('day 2') else None\n"
        "logs.take_in(journal, log, stop)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, journal.folder, tmp_path / "log.md"])
    assert ended.returncode == 9
    assert not journal.path("journal", "2026-01-03.md").exists()
    journal.index.refresh()
    done = take(LOG)
    assert (done.days, done.before, done.reading, done.cards) == (1, 1, 1, 1)
    assert content(journal, "2026-01-02").count("began") == 1


def test_notes_of_reading_that_is_there_are_added_once(journal, take):
    item = shelf.add(journal, shelf.New("Banks", "https://example.org/banks", "smem"))
    assert take(LOG).notes == 1
    assert shelf.get(journal, item.id).notes.count("good") == 1
    assert take(LOG.replace("went on", "went far")).notes == 0


def test_a_day_whose_front_matter_is_broken_is_left_and_the_rest_goes_on(journal, take):
    days.add(journal, date(2026, 1, 2), "x")
    path = journal.path("journal", "2026-01-02.md")
    path.write_text("---\ntrack: [\n---\nx\n")
    done = take(LOG)
    assert done.days == 1
    assert "2026-01-02.md:" in done.failed[0]
    path.write_text("x\n")
    assert take(LOG).days == 1


def test_a_day_that_an_editor_has_open_waits_for_the_next_import(journal, take):
    with textfile.held(journal.path("journal", "2026-01-03.md")):
        done = take(LOG)
    assert (done.days, len(done.failed)) == (1, 1)
    assert take(LOG).days == 1


def test_an_export_goes_into_a_book_that_has_days_of_its_own(journal, take, tmp_path):
    take(LOG)
    days.add(journal, date(2026, 1, 2), "", minutes=45)
    log_export.export(journal, tmp_path / "out.md", Chosen())
    for name in ("journal/2026-01-02.md", "reading/memory.md", "cards/proposed.md"):
        journal.path(name).unlink()
    journal.path("journal", "2026-01-03.md").write_text("another\n")
    journal.path("journal", "imported", "ledger.jsonl").unlink()
    journal.index.refresh()
    done = take((tmp_path / "out.md").read_text(), "back.md")
    assert (done.days, done.reading, done.cards) == (2, 1, 1)
    assert days.get(journal, date(2026, 1, 2)).minutes == 45
    joined = days.get(journal, date(2026, 1, 3))
    assert joined.body.startswith("another")
    assert "went on" in joined.body
    assert joined.tracks == ("CUDA",)


@pytest.mark.parametrize("after", ["", "\nmy own words\n"])
def test_an_entry_that_grew_gets_its_new_lines_alone(journal, take, after):
    take("## Jan 4, 2026\nread\n")
    path = journal.path("journal", "2026-01-04.md")
    path.write_text(path.read_text() + after)
    done = take("## Jan 4, 2026\nread\nand wrote\n\n- more\n")
    assert done.days == 1
    body = days.get(journal, date(2026, 1, 4)).body
    assert body == f"## Jan 4, 2026\nread\nand wrote\n\n- more\n{after}"


def test_another_entry_under_the_same_heading_stands_below(journal, take):
    take("## Jan 4, 2026\nread\n")
    take("## Jan 4, 2026\nwrote\n")
    body = days.get(journal, date(2026, 1, 4)).body
    assert body == "## Jan 4, 2026\nread\n\n## Jan 4, 2026\nwrote\n"


def test_a_log_that_grew_adds_the_new_note_alone(journal, take):
    take(LOG)
    take(LOG + "- https://example.org/banks\n  - twice as good\n")
    [item] = shelf_list.listed(journal)
    said = [line for line in item.notes.split("\n") if line.startswith("- ")]
    assert said == ["- good", "- twice as good"]


def test_an_export_of_a_part(journal, take, tmp_path):
    take(LOG)
    counts = log_export.export(journal, tmp_path / "part.md", Chosen("CUDA", since="2026-01-03"))
    assert (counts.days, counts.reading, counts.cards) == (1, 0, 0)
    counts = log_export.export(journal, tmp_path / "day.md", Chosen(since="2026-01-10"))
    assert (counts.days, counts.reading) == (0, 1)


def test_an_export_that_was_cut_short_is_told_and_what_is_whole_is_taken(journal, take, tmp_path):
    take(LOG)
    log_export.export(journal, tmp_path / "out.md", Chosen())
    text = (tmp_path / "out.md").read_text()
    (tmp_path / "cut.md").write_text(text[: text.index("went on")])
    log = logs.read(journal, tmp_path / "cut.md", logs.asked_of(journal, Asked(TODAY), None))
    assert [part.name for part in log.found.parts] == ["2026-01-02"]
    assert "cut short" in str(log.found.problems[0])
    assert [text for _, text, _ in log.found.left] == [
        "<!-- warpbook:day 2026-01-03 -->",
        "---",
        "track: CUDA",
        "---",
        "## Jan 3, 2026 - Day 2 of CUDA",
    ]


def test_an_export_names_no_file_outside_the_book(journal, take):
    text = (
        "---\nwarpbook-log: 1\n---\n<!-- warpbook:cards ..%2F..%2Fevil head -->\nx\n"
        "<!-- warpbook:end -->\n<!-- warpbook:day 2031-01-01 -->\nx\n<!-- warpbook:end -->\n"
    )
    done = take(text)
    assert (done.days, done.cards) == (0, 0)
    assert not journal.folder.parent.joinpath("evil.md").exists()


def test_a_later_format_is_refused(take):
    with pytest.raises(BadInput, match="version 2"):
        take("---\nwarpbook-log: 2\n---\n")


def test_contains_looks_at_whole_lines():
    assert apply.contains("a\nb \nc", "b\nc\n")
    assert not apply.contains("## January 4th\n", "## January 4")
