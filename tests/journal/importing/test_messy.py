"""A log as people have them, with everything in it that a log may have: all of it is kept as it
says, taken in once, and comes back the same from an export."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from reading_logs import TODAY

from warpbook.journal.cards import proposals
from warpbook.journal.days import counters, days
from warpbook.journal.importing import logs
from warpbook.journal.importing.clues import Asked
from warpbook.journal.journal import Journal
from warpbook.journal.reading import shelf_list
from warpbook.journal.sharing import log_export
from warpbook.journal.sharing.log_export import Chosen

MESSY = Path(__file__).with_name("messy.md")
DATES = {
    "2025-12-09": (20, 154),
    "2025-12-10": (21, 153),
    "2025-12-11": (None, 152),
    "2025-12-13": (22, 150),
    "2025-12-14": (22, 149),
    "2026-01-02": (24, None),
    "2026-01-04": (26, None),
    "2026-01-05": (27, None),
    "2026-01-06": (28, None),
}


@pytest.fixture
def taken(journal):
    wanted = logs.asked_of(journal, Asked(TODAY), None)
    log = logs.read(journal, MESSY, wanted)
    return log, logs.take_in(journal, log)


def test_the_report_says_what_became_of_each_line(journal):
    found = logs.read(journal, MESSY, logs.asked_of(journal, Asked(TODAY), None)).found
    assert {str(day.date): (day.day, day.left) for day in found.days} == DATES
    assert found.tracks == {"CUDA": ["GPU programming"]}
    assert [str(p).rpartition("/")[2] for p in found.problems] == [
        "messy.md:32: February 30 is no date",
        "messy.md:35: 2030-12-20 is in the future (as written)",
    ]
    assert [(copy.line, copy.last, copy.kept) for copy in found.doubled] == [(70, 71, 47)]
    assert [claim for day in found.days for claim in day.claims] == [
        "310 GB/s",
        "5x over PyTorch",
        "90.7 percentile",
    ]
    unread = {n: text for one in found.left for n, text in enumerate(one.texts, one.line) if text}
    assert sorted(unread) == [
        *(1, 3, 32, 33, 35, 36, 44, 45, 46, 50, 51, 52, 54, 55, 56, 57, 59, 60, 61, 62),
        *(64, 65, 68, 72, 73, 80),
    ]
    assert unread[57] == "Nice! Which card is that?"
    assert [sign.line for sign in found.signs] == [38, 77, 79, 86]


def test_days_have_exactly_what_the_log_says(journal, taken):
    assert taken[1].days == 9
    said = {entry.key: entry.document for entry in journal.index.entries("day")}
    assert sorted(said) == sorted(DATES)
    assert {tuple(one["tracks"]) for one in said.values()} == {("CUDA",)}
    assert {key for key, one in said.items() if one["called"] == "GPU programming"} == {
        key for key in DATES if key > "2026"
    }
    twice = [days.get(journal, datetime(2025, 12, day).date()) for day in (13, 14)]
    assert [day.claimed[-1].day for day in twice] == [22, 22]
    shown = [
        counters.counters(
            journal.index.connection, journal.settings, d.date, d.tracks, d.claimed, d.called
        )
        for d in twice
    ]
    assert [one.day for [one] in shown] == [4, 5]
    empty = days.get(journal, datetime(2025, 12, 11).date())
    assert empty.body == "12/11/25 (T - 152)\n"
    assert "Slept early." in twice[0].body
    assert "A: 32" not in twice[0].body


def test_reading_cards_and_claims(journal, taken):
    items = {item.title: item for item in shelf_list.listed(journal)}
    assert sorted(items) == [
        "Bank conflicts",
        "Coalescing in pictures",
        "Programming Massively Parallel Processors, chapter 6",
        "arxiv.org/abs/1805.02867",
        "example.org/float",
        "siboehm.com/articles/22/CUDA-M…",
    ]
    coalescing = items["Coalescing in pictures"]
    assert (coalescing.topic, coalescing.added) == ("memory", "2025-12-09")
    assert coalescing.notes.strip() == "the one to start with\n\n- the second half drags"
    assert items["siboehm.com/articles/22/CUDA-M…"].cut
    assert items["Bank conflicts"].state == "done"
    [card] = proposals.list_all(journal)
    assert (card.question, card.topic) == ("How many threads are in a warp?", "CUDA")
    assert {one.state for one in journal.index.entries("claim")} == {"unverified"}


def texts(folder):
    places = [
        path for name in ("journal", "reading", "cards") for path in (folder / name).glob("*.md")
    ]
    return {str(path.relative_to(folder)): path.read_text() for path in places}


def test_again_changes_nothing_even_where_a_day_was_edited(journal, taken):
    path = journal.path("journal", "2025-12-10.md")
    path.write_text(path.read_text().replace("Tiled it.", "Tiled it, twice."))
    before = texts(journal.folder)
    done = logs.take_in(journal, taken[0])
    assert (done.days, done.reading, done.cards) == (0, 0, 0)
    assert texts(journal.folder) == before
    assert len([*journal.path("journal", "imported").glob("*-messy.md")]) == 1


def test_out_and_into_another_book(journal, taken, new_book, tmp_path):
    log_export.export(journal, tmp_path / "all.md", Chosen())
    other = shutil.copytree(new_book, tmp_path / "other")
    with Journal.open(other, now=journal.now) as there:
        log = logs.read(there, tmp_path / "all.md", logs.asked_of(there, Asked(TODAY), None))
        done = logs.take_in(there, log)
        assert (done.days, done.reading, done.cards) == (9, 6, 1)
        assert texts(there.folder) == texts(journal.folder)
        log_export.export(there, tmp_path / "again.md", Chosen())
        again = logs.take_in(there, log)
        assert (again.days, again.reading, again.cards) == (0, 0, 0)
    assert (tmp_path / "again.md").read_text() == (tmp_path / "all.md").read_text()
