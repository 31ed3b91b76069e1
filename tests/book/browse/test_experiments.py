"""Experiments as pages list them: filtered, searched, sorted and paged by SQL."""

import hashlib
from dataclasses import replace

import pytest
from book_desk import FAST, Desk, make_plan

from warpbook.book.book import Book
from warpbook.book.browse import experiments, sides
from warpbook.book.browse.experiment import detail, newest, sources
from warpbook.book.browse.selection import SORTS, Wanted
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.errors import BadInput, NotFound
from warpbook.core.run import Arm, NamedFile, Plan, RunStatus
from warpbook.kernels.library import find_rung, read_outline

MINE = "def softmax(x, out):\n    out[:] = x.softmax(-1)\n"


def kernel_plan(change, sha256="", text=None):
    baseline = Arm("passes", "0" * 64, "passes")
    own = Arm(change, sha256 or hashlib.sha256(change.encode()).hexdigest(), change, text=text)
    return Plan("kernel", "8x8-fp32", "cpu", baseline, own, (KERNEL_TIME,), problem="softmax")


def shipped(name):
    return find_rung(read_outline("softmax"), name)


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """E-1 is done and fast, E-2 disqualified, E-3 waits, E-4 runs for another campaign. Tests that
    use it only read."""
    book = Book.create(tmp_path_factory.mktemp("four") / "book", author="ana")
    desk = Desk(book)
    book.campaigns.add("other")
    one = desk.experiment(desk.claim("wide loads win", tags=["memory"]), change="wide", runs=2)
    desk.results(one, FAST, FAST + 0.01)
    two = desk.experiment(desk.claim("b is faster"), change="bad")
    desk.results(two, 0.9)
    desk.ended(two, RunStatus.DISQUALIFIED)
    desk.experiment(desk.claim("c is faster", because="fewer copies"), change="cold")
    four = desk.experiment(desk.claim("d is faster", campaign="other"), change="dear")
    desk.results(four, 0.01)
    desk.start(four)
    yield book
    book.close()


def found(book, **wanted):
    return [line.name for line in experiments.listing(book, Wanted(**wanted)).lines]


def test_past_current_and_future_are_in_one_list_with_their_counts(four):
    listed = experiments.listing(four, Wanted())
    assert [line.name for line in listed.lines] == ["E-4", "E-3", "E-2", "E-1"]
    assert listed.counts == {"current": 1, "future": 1, "past": 2}
    assert listed.total == 4


def test_a_line_has_what_was_predicted_and_what_was_measured(four):
    line = experiments.listing(four, Wanted(search="E-1")).lines[0]
    (claim,) = line.claims
    assert (claim.name, claim.low, claim.high) == ("H-1", 0.2, 0.3)
    assert line.effect.gain == pytest.approx(FAST + 0.005)
    assert line.effect.low < line.effect.gain < line.effect.high
    assert (line.effect.runs, line.campaign, line.metric.name) == (2, "inbox", "time_s")


def test_runs_before_a_disqualified_one_are_no_effect(four):
    assert experiments.listing(four, Wanted(search="E-2")).lines[0].effect is None
    assert found(four, sort="-effect") == ["E-1", "E-4", "E-3", "E-2"]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"state": "past"}, ["E-2", "E-1"]),
        ({"state": "current"}, ["E-4"]),
        ({"state": "future"}, ["E-3"]),
        ({"state": "disqualified"}, ["E-2"]),
        ({"campaign": "other"}, ["E-4"]),
        ({"campaign": "C-2"}, ["E-4"]),
        ({"author": "ana"}, ["E-4", "E-3", "E-2", "E-1"]),
        ({"author": "nobody"}, []),
        ({"tag": "memory"}, ["E-1"]),
        ({"tag": "mem"}, []),
        ({"device": "cpu"}, []),
        ({"kind": "command", "state": "future"}, ["E-3"]),
        ({"search": "wid"}, ["E-1"]),
        ({"search": "copies"}, ["E-3"]),
        ({"search": "h-3"}, ["E-3"]),
        ({"search": "R-1"}, ["E-1"]),
        ({"search": "!!!"}, []),
        ({"search": "old", "state": "past", "tag": "memory"}, ["E-1"]),
        ({"search": "old", "sort": "id"}, ["E-1", "E-2", "E-3", "E-4"]),
        ({"search": "old", "sort": "title"}, ["E-2", "E-3", "E-4", "E-1"]),
        ({"page": 2}, []),
    ],
)
def test_filters_and_searches(four, wanted, names):
    assert found(four, **wanted) == names
    if "page" not in wanted:
        assert experiments.listing(four, Wanted(**wanted)).total == len(names)


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_has_all_experiments_both_ways(four, sort):
    up, down = found(four, sort=sort), found(four, sort=f"-{sort}")
    assert sorted(up) == sorted(down) == ["E-1", "E-2", "E-3", "E-4"]
    assert found(four, sort=sort, campaign="other") == ["E-4"]
    assert found(four, sort=sort, search="wide") == ["E-1"]


def test_orders_go_by_their_column(four):
    assert found(four, sort="title") == ["E-2", "E-3", "E-4", "E-1"]
    assert found(four, sort="state") == ["E-4", "E-3", "E-1", "E-2"]
    assert found(four, sort="-runs")[0] == "E-1"
    assert set(found(four, sort="-worth")[:2]) == {"E-3", "E-4"}


def test_what_is_no_state_order_or_campaign_is_refused(four):
    for wanted in ({"state": "lost"}, {"sort": "size"}, {"sort": "--id"}, {"campaign": "none"}):
        with pytest.raises(BadInput):
            found(four, **wanted)


def test_pages_follow_each_other(book, desk, monkeypatch):
    monkeypatch.setattr(experiments, "PAGE", 2)
    for number in range(5):
        desk.experiment(change=f"idea {number}")
    assert [found(book, page=page) for page in (1, 2, 3, 4)] == [
        ["E-5", "E-4"], ["E-3", "E-2"], ["E-1"], [],
    ]  # fmt: skip


def test_choices_are_what_the_book_has(four):
    known = experiments.choices(four)
    assert known.campaigns == ("other", "inbox")
    assert (known.authors, known.tags) == (("ana",), ("memory",))


def test_the_detail_has_its_reason_runs_and_what_is_tied_to_it(four):
    one = detail(four, "e1")
    assert [run.name for run in one.runs] == ["R-2", "R-1"]
    assert (one.spent_s, one.runs_total) == (10.0, 2)
    assert detail(four, "E-3").reasons == {"H-3": "fewer copies"}
    assert [run.counts for run in detail(four, "E-2").runs] == [False, False]
    last = newest(four, "E-1")
    assert (last.line.name, last.metric.name) == ("R-2", "time_s")
    assert last.paper.metrics[0].gain == pytest.approx(FAST + 0.01)
    assert newest(four, "E-3") is None


def test_an_id_that_is_not_there_is_not_found(four):
    for name in ("E-99", "E-999999999"):
        with pytest.raises(NotFound):
            detail(four, name)
    with pytest.raises(BadInput):
        detail(four, "<script>")


def test_a_run_whose_receipt_is_gone_or_damaged_says_so(book, desk):
    desk.result(desk.experiment())
    path = book.folder / "runs" / "R-1" / "receipt.json"
    path.write_text("{")
    assert "not a receipt" in newest(book, "E-1").paper.note
    path.unlink()
    assert "no receipt" in newest(book, "E-1").paper.note


def test_the_source_is_what_was_measured_or_says_why_it_is_not_there(book, desk):
    desk.experiment(plan=kernel_plan("rows.py", text=MINE))
    baseline, change = sources(book, "E-1")
    assert [(one.name, one.text) for one in change.texts] == [("rows.py", MINE)]
    assert baseline.texts[0].text is None
    assert "has changed since it was measured" in baseline.texts[0].note


def test_a_shipped_rung_is_shown_while_it_is_what_was_measured(book, desk):
    desk.experiment(plan=kernel_plan("fused", sha256=shipped("fused").sha256))
    _, change = sources(book, "E-1")
    assert change.texts[0].text == shipped("fused").path.read_text()


def test_files_that_a_command_names_are_shown_as_the_run_kept_them(book, desk):
    plan = make_plan("new")
    named = replace(plan.change, files=(NamedFile("bench.py", "ab" * 32),))
    made = desk.experiment(plan=replace(plan, change=named))
    assert "no run has kept" in sources(book, "E-1")[1].texts[0].note
    run = desk.start(made)
    kept = book.folder / "runs" / run.name / "sources" / "abab-bench.py"
    kept.parent.mkdir(parents=True)
    kept.write_text("print(1)")
    listed = [{"path": "bench.py", "sha256": "ab" * 32, "kept": "sources/abab-bench.py"}]
    desk.record(run, desk.receipt(run, capture={"sources": listed}))
    assert sources(book, "E-1")[1].texts[0].text == "print(1)"


def test_side_by_side_they_are_in_the_order_asked_for_and_differences_are_told(book, desk):
    desk.result(desk.experiment())
    desk.result(desk.experiment(change="elsewhere"), environment={"torch": "9.9"})
    found = sides.sides(book, ["E-2", "e1", "E-1"])
    assert [side.line.name for side in found] == ["E-2", "E-1"]
    assert sides.differing(found) == {"torch"}
    assert [side.spent_s for side in found] == [5.0, 5.0]
    with pytest.raises(NotFound):
        sides.sides(book, ["E-1", "E-77"])
    with pytest.raises(BadInput):
        sides.sides(book, [f"E-{number}" for number in range(1, 20)])
