"""One search over journal and book."""

import sqlite3
from pathlib import Path

import pytest

from warpbook.book.book import Book
from warpbook.core.errors import BadInput
from warpbook.journal.journal import Journal
from warpbook.journal.search import KINDS, find

# A book with one hypothesis, experiment and finding: all say what is faster.
BOOK = Path(__file__).parents[1] / "book" / "schemas" / "0003.sql"
DAY = """# Fast holiday
Fought with shared memory.

tomorrow: see what is faster, padding or swizzling
The padded tile is faster: 1.5x over the naive one.

Q: Why is a padded tile faster?
A: No two threads of a warp ask one bank for two words.

Q: Is it faster on reads?
"""


@pytest.fixture
def full(folder):
    for path in folder.glob("book.db*"):
        path.unlink()
    connection = sqlite3.connect(folder / "book.db")
    connection.executescript(BOOK.read_text())
    connection.close()
    book = Book.open(folder, "ana")
    book.log.note("nothing got faster, said the profiler")
    book.close()
    with Journal.open(folder) as journal:
        journal.edit("journal/2026-01-04.md", lambda text: DAY)
        reading = "# Memory\n## Tiles\n- address: https://example.org/x\n\nFaster with each page.\n"
        journal.edit("reading/memory.md", lambda text: reading)
        yield journal


def test_everything_is_found_with_its_place(full):
    hits = {hit.kind: hit for hit in (*find(full, "fast"), *find(full, "1.5x over"))}
    assert hits.keys() == set(KINDS)
    card = hits["card"]
    assert (card.path, card.line, card.date) == ("journal/2026-01-04.md", 7, "2026-01-04")
    assert card.title == "Why is a padded tile faster?"
    keys = [hits[kind].key for kind in ("hypothesis", "finding", "experiment")]
    assert keys == ["H-1", "F-1", "E-1"]
    assert {hits[kind].date for kind in ("hypothesis", "finding", "experiment")} == {"2026-11-15"}
    assert "shared memory. tomorrow: see what is faster" in find(full, "tomorrow")[0].snippet


def test_what_matches_best_comes_first_and_limits_hold(full):
    hits = find(full, "faster")
    assert [hit.rank for hit in hits] == sorted(hit.rank for hit in hits)
    assert find(full, "faster", limit=2) == hits[:2]
    assert {hit.kind for hit in find(full, "faster", ["card", "note"])} == {"card", "note"}


def test_what_is_nowhere_is_not_found(full):
    assert find(full, "faster robbery") == []


@pytest.mark.parametrize("typed", ["AND", 'a"b', "NEAR(", "title:bank", "-bank", "\ud800 bank"])
def test_nothing_that_people_type_breaks_it(full, typed):
    assert isinstance(find(full, typed), list)


def test_what_has_no_word_is_told(full):
    with pytest.raises(BadInput, match="no word to look for"):
        find(full, '*"" !')


def test_a_kind_that_is_none_is_told(full):
    with pytest.raises(BadInput, match="there is no kind 'dog'; there are day, reading"):
        find(full, "bank", ["dog"])
    for kind in KINDS:
        assert all(hit.kind == kind for hit in find(full, "bank", [kind]))


def test_what_the_book_says_is_followed(full):
    connection = full.index.connection
    connection.execute("UPDATE findings SET statement = 'it swizzles'")
    connection.execute("UPDATE hypotheses SET because = 'it writes less'")
    assert [hit.key for hit in find(full, "swizzles")] == ["F-1"]
    assert {hit.key for hit in find(full, "writes less")} == {"H-1", "E-1"}
    assert find(full, "reads less") == []
    assert "F-1" not in {hit.key for hit in find(full, "faster")}


def test_a_long_text_has_the_words_around_its_first_place(full):
    full.edit("journal/2026-01-05.md", lambda text: "word " * 20_000 + "a <bank> conflict " * 9)
    (hit,) = find(full, "bank con", ["day"], around=("[", "]"))
    assert hit.snippet.startswith("…")
    assert "word a <[bank]> conflict a <bank>" in hit.snippet
    assert len(hit.snippet) < 150


def test_what_was_found_can_be_marked(full):
    (hit,) = find(full, "shared mem", ["day"], around=("[", "]"))
    assert "Fought with [shared] [memory]." in hit.snippet
