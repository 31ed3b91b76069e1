"""Full-text search: whatever is typed is a query, and the index follows the book."""

import pytest
from sqlalchemy import select

from warpbook.book import search
from warpbook.book.tables import Experiment

ODD = (
    "AND", "new OR", "NEAR(", "title:new", "-new", "^new", "{a b}:c", "new\x00*", "\ud800",
    "a" * 100_000, "b " * 50_000, "' OR 1=1 --", "\u0301", "é́", "٣", "²", "new + old",
    "(((", 'c : "x',
)  # fmt: skip


@pytest.fixture
def found(book):
    def look(typed):
        with book.reading() as session:
            among = Experiment.id.in_(search.experiments(typed))
            return [*session.scalars(select(Experiment.id).where(among))]

    return look


def test_words_are_found_by_their_beginning_in_titles_arms_and_claims(desk, found):
    claim = desk.claim("the new one is faster, by time_s", because="it reads less (fast)")
    desk.experiment(claim, change="new", title="vectors")
    desk.experiment(desk.claim("unlike"), change="other", title="another")
    for typed in ("new", "NEW", "ne", "echo new", "vect small", "reads less", '"new"', "new)"):
        assert found(typed) == [1], typed
    assert found("time_s fas") == [1]
    assert found("old") == [1, 2]


def test_what_is_nowhere_finds_nothing(desk, found):
    desk.tried("new")
    for typed in ("", " ", "!!!", '"', '""', "*", "\x00", "slower", "new slower"):
        assert found(typed) == [], typed


def test_nothing_that_people_type_is_an_error(desk, found):
    desk.tried("new")
    for typed in ODD:
        assert found(typed) in ([], [1])


def test_claims_that_are_reworded_are_followed(book, desk, found):
    experiment = desk.experiment(desk.claim("wider loads"), change="new")
    assert found("wider") == [experiment.id]
    with book.writing() as write:
        write.session.connection().exec_driver_sql("UPDATE hypotheses SET claim = 'narrower'")
    assert found("wider") == []
    assert found("narrow") == [experiment.id]
