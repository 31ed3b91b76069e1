"""Hypotheses in lists, and what a campaign has learned."""

import pytest
from book_desk import FAST, Desk

from warpbook.book.book import Book
from warpbook.book.browse import hypotheses, lessons
from warpbook.book.browse.hypotheses import Wanted
from warpbook.book.browse.lists import LONGEST
from warpbook.core.errors import BadInput

ELSEWHERE = {"device": "another"}


def listed(book, **wanted):
    return [one.name for one in hypotheses.listing(book, Wanted(**wanted)).lines]


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """H-1 is supported, H-2 refuted, H-3 open, H-4 withdrawn, H-5 stale and open again. F-1 rests
    on H-2."""
    book = Book.create(tmp_path_factory.mktemp("decided") / "book", author="ana")
    desk = Desk(book)
    for gain, change in ((FAST, "a"), (-FAST, "b")):
        _, experiment = desk.tried(change)
        desk.results(experiment, *[gain] * 4)
    desk.tried("c")
    desk.tried("d")
    book.hypotheses.withdraw("H-4")
    _, experiment = desk.tried("e")
    desk.results(experiment, *[FAST] * 4)
    desk.result(experiment, FAST, environment=ELSEWHERE)
    book.findings.add("a is slower", [("refutes", "H-2")])
    yield book
    book.close()


def test_each_status_has_its_own(decided):
    found = {status: listed(decided, status=status) for status in hypotheses.STATUSES}
    assert found == {
        "open": ["H-5", "H-3"],
        "supported": ["H-1"],
        "refuted": ["H-2"],
        "stale": ["H-5"],
        "withdrawn": ["H-4"],
        "all": ["H-5", "H-4", "H-3", "H-2", "H-1"],
    }
    counts = hypotheses.listing(decided, Wanted(status="refuted")).counts
    assert counts == {status: len(names) for status, names in found.items()}


def test_what_has_no_effect_comes_last_whichever_way(decided):
    assert (
        listed(decided, sort="-effect")[-2:]
        == listed(decided, sort="effect")[-2:]
        == ["H-4", "H-3"]
    )
    assert listed(decided, sort="effect")[0] == "H-2"
    assert listed(decided, sort="-runs")[-1] == "H-3"


def test_a_search_looks_in_claims_reasons_tags_and_names(book, desk):
    desk.claim("reads once", because="the roof is bandwidth", tags=["memory"])
    desk.claim("100% of it")
    for text in ("ONCE", "bandwidth", "memory", "h1", "H-1"):
        assert listed(book, search=text) == ["H-1"]
    assert listed(book, search="0%") == ["H-2"]
    assert listed(book, search="H-9") == []


def test_claims_come_in_pages(book, desk):
    for number in range(4):
        desk.claim(f"claim {number}")
    found = hypotheses.listing(book, Wanted(page=2, rows=3))
    assert found.total == 4
    assert [one.claim for one in found.lines] == ["claim 0"]


def test_a_line_has_its_history_what_it_needs_and_what_comes_next(book, desk):
    claim, experiment = desk.tried("new")
    desk.experiment(claim, change="newer")
    desk.result(experiment)
    (line,) = hypotheses.listing(book, Wanted("inbox")).lines
    assert line.next.experiment == experiment.name
    assert line.next.state == "queued"
    assert line.history[0] == pytest.approx(0.5)
    assert line.history[-1] == pytest.approx(line.belief)
    assert "more run" in line.needs


def test_long_claims_are_cut(book, desk):
    desk.claim("x" * 100_000)
    assert len(hypotheses.listing(book, Wanted()).lines[0].claim) == LONGEST


@pytest.mark.parametrize("wanted", [Wanted(status="odd"), Wanted(sort="colour")])
def test_an_order_or_status_that_is_none_is_refused(book, wanted):
    with pytest.raises(BadInput, match=r"no (order|status)"):
        hypotheses.listing(book, wanted)


def test_lessons_are_what_stands_what_is_ruled_out_and_what_to_measure_again(decided):
    found = lessons.lessons(decided, "inbox")
    parts = {name: getattr(found, name) for name in ("supported", "refuted", "stale")}
    told = {name: [one.line.name for one in part.lessons] for name, part in parts.items()}
    assert told == {"supported": ["H-1"], "refuted": ["H-2"], "stale": ["H-5"]}
    assert found.refuted.lessons[0].findings == ("F-1",)
    assert found.stale.lessons[0].again.startswith("warpbook rerun E-")
