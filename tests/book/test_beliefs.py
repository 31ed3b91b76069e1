"""The history of a hypothesis: a row where an evaluation left something new."""

from book_desk import FAST
from sqlalchemy import select

from warpbook.book.audit.check import check
from warpbook.book.tables import Belief


def history(book, hypothesis):
    with book.reading() as session:
        rows = select(Belief).where(Belief.hypothesis_id == hypothesis.id).order_by(Belief.id)
        return [*session.scalars(rows)]


def test_each_run_leaves_a_row_that_ends_where_the_hypothesis_is(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, 0.26, 0.25, 0.27)
    rows, now = history(book, claim), book.hypotheses.get(claim.name)
    assert [row.runs for row in rows][-4:] == [0, 1, 2, 3]
    last = rows[-1]
    assert (last.belief, last.estimate, last.low, last.high, last.verdict) == (
        now.belief, now.estimate, now.low, now.high, now.verdict,
    )  # fmt: skip
    assert last.cause.startswith("R-3 showed")
    assert [row.at for row in rows] == sorted(row.at for row in rows)


def test_what_is_evaluated_again_without_news_leaves_no_row(book, desk):
    claim, _ = desk.tried()
    before = len(history(book, claim))
    desk.claim("another one")
    assert len(history(book, claim)) == before


def test_a_verdict_that_falls_by_the_company_it_keeps_is_in_its_history(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST + 0.1, FAST - 0.1, FAST, FAST)
    for number in range(10):
        desk.claim(f"idle claim {number}")
    assert [row.verdict for row in history(book, claim)][-2:] == ["supported", "open"]


def test_a_check_does_not_ask_for_events_of_it(book, desk):
    claim, experiment = desk.tried()
    desk.result(experiment)
    assert history(book, claim)
    assert check(book.folder).problems == []
