"""Findings in lists, and one with what it is tied to."""

import pytest
from book_desk import FAST, Desk

from warpbook.book.book import Book
from warpbook.book.browse import findings
from warpbook.book.browse.findings import Wanted


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """F-1 is superseded by F-2, and F-3 withdrawn."""
    book = Book.create(tmp_path_factory.mktemp("known") / "book", author="ana")
    desk = Desk(book)
    claim, experiment = desk.tried("new")
    desk.results(experiment, *[FAST] * 4)
    book.findings.add("it is faster", [("supports", claim.name)], tags=["rows"])
    book.findings.add("by 30%", [("supports", experiment.name), ("supersedes", "F-1")])
    book.findings.add("in vain", [("supports", claim.name)])
    book.findings.withdraw("F-3")
    yield book
    book.close()


def listed(book, **wanted):
    return [one.name for one in findings.listing(book, Wanted(**wanted)).lines]


def test_each_status_has_its_own(known):
    found = {status: listed(known, status=status) for status in findings.STATUSES}
    assert found == {
        "active": ["F-2", "F-1"],
        "stale": ["F-1"],
        "withdrawn": ["F-3"],
        "all": ["F-3", "F-2", "F-1"],
    }
    counts = findings.listing(known, Wanted()).counts
    assert counts == {status: len(names) for status, names in found.items()}


def test_a_search_looks_in_statements_tags_and_names(known):
    assert listed(known, search="rows") == listed(known, search="f-1") == ["F-1"]
    assert listed(known, search="30%") == ["F-2"]
    assert listed(known, search="%") == ["F-2"]


def test_a_line_has_its_effect_and_links(known):
    line = findings.listing(known, Wanted("inbox")).lines[0]
    assert line.links == (("supports", "E-1"), ("supersedes", "F-1"))
    assert (line.runs, line.campaign) == (4, "inbox")
    assert line.gain == pytest.approx(FAST)


def test_a_finding_has_what_it_is_tied_to_both_ways(known):
    old, new = findings.detail(known, "F-1"), findings.detail(known, "F-2")
    assert [(tie.type, tie.name, tie.status) for tie in new.ties] == [
        ("supports", "E-1", "done"),
        ("supersedes", "F-1", "stale"),
    ]
    assert [(tie.type, tie.name) for tie in old.back] == [("supersedes", "F-2")]
    assert (old.runs_below, new.runs_below) == (4, 4)
    assert new.again == "warpbook rerun E-1"
