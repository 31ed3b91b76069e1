"""One hypothesis in full."""

import math

import pytest
from book_desk import FAST

from warpbook.book.browse import beliefs
from warpbook.book.browse.hypothesis import detail
from warpbook.core.errors import NotFound


def test_it_has_its_runs_history_findings_and_log(book, desk):
    claim, experiment = desk.tried("new", because="fewer reads")
    desk.results(experiment, *[FAST] * 4)
    book.findings.add("it is faster", [("supports", claim.name)])
    book.log.note("look again", claim.name)
    found = detail(book, claim.name)
    assert [run.name for run in found.summary.runs] == ["R-1", "R-2", "R-3", "R-4"]
    assert [point.runs for point in found.history][-4:] == [1, 2, 3, 4]
    assert found.history[-1].verdict == "supported"
    assert [(one.finding, one.type) for one in found.findings] == [("F-1", "supports")]
    assert found.events[0].text == "look again"
    assert found.environment["device"]
    assert found.again == f"warpbook rerun {experiment.name}"


def test_the_bar_rises_with_the_campaign(book, desk):
    desk.claim("one")
    alone = detail(book, "H-1").bar
    desk.claim("two")
    shared = detail(book, "H-1").bar
    assert (alone.hypotheses, shared.hypotheses) == (1, 2)
    assert math.exp(alone.log_support) == pytest.approx(20)
    assert math.exp(shared.log_refute) == pytest.approx(40)


def test_a_receipt_that_cannot_be_read_leaves_the_rest(book, desk):
    claim, experiment = desk.tried("new")
    desk.result(experiment)
    (book.folder / "runs" / "R-1" / "receipt.json").unlink()
    assert detail(book, claim.name).environment == {}


def test_one_that_is_not_there_is_told(book):
    with pytest.raises(NotFound, match="H-7"):
        detail(book, "H-7")


def test_histories_keep_the_last_points(book, desk):
    claim, experiment = desk.tried("new")
    desk.results(experiment, *[FAST] * 3)
    with book.reading() as session:
        whole = beliefs.history(session, claim.id)
        last = beliefs.histories(session, [claim.id], most=2)
    assert last == {claim.id: tuple(point.belief for point in whole[-2:])}
