"""Ladders as their pages ask for them."""

import pytest
from kernel_book import COST, GPU, ROOFS, WORKLOAD, judgement, kernel_run, measured

from warpbook.book.browse import ladders
from warpbook.book.browse.rung_texts import texts
from warpbook.core.errors import NotFound
from warpbook.core.judgement import Status


def shown(book, device=GPU, workload=WORKLOAD):
    return ladders.ladder(book, "softmax", device, workload)


def test_a_book_without_measurements_shows_what_is_shipped(book):
    found = ladders.ladder(book, "softmax")
    assert found.place.is_shipped
    assert found.place.name == "NVIDIA H200"
    assert found.best.mark.fraction > 0.9
    assert found.roofs["memory"] == pytest.approx(4.3e12, rel=0.1)
    assert found.roofs["fp32"] == pytest.approx(5.1e13, rel=0.1)


def test_the_numbers_of_the_book_and_shipped_ones_are_never_mixed(book):
    measured(book, judgement("fused", 300.0))
    mine = ladders.ladder(book, "softmax")
    assert (mine.place.name, mine.place.is_shipped) == (GPU, False)
    assert [step.name for step in mine.timed] == ["fused"]
    shipped = ladders.ladder(book, "softmax", mine.places[-1].key)
    assert len(shipped.timed) > 10
    assert {mark.source for mark in shipped.marks} == {""}


def test_each_rung_has_its_latest_time_and_its_gain_over_the_one_below(book):
    for rung, us in (("passes", 900.0), ("fused", 300.0), ("fused", 450.0)):
        measured(book, judgement(rung, us))
    found = shown(book)
    assert found.step("fused").us == 450.0
    gain = found.step("fused").gain
    assert (gain.over, gain.gain, gain.expected) == ("passes", 2.0, 2.0)
    assert found.step("fused").mark.error == 1.5
    assert found.best.name == "fused", "other people's work can be the fastest"


def test_bytes_operations_and_roofs_come_from_the_documents(book):
    measured(book, judgement("fused", 300.0))
    found = shown(book)
    assert found.cost == COST
    assert found.roofs["memory"] == pytest.approx(ROOFS.copy_bytes_per_s)
    assert found.roofs["fp32"] == pytest.approx(ROOFS.rates["fp32"])


def test_of_a_rung_that_is_wrong_now_no_older_time_stands(book):
    measured(book, judgement("online", 200.0))
    measured(book, judgement("online", status=Status.WRONG, reason="row 3"))
    step = shown(book).step("online")
    assert (step.us, step.mark.status, step.mark.reason) == (None, "wrong", "row 3")


def test_a_machine_that_was_not_fit_says_nothing_of_the_rung(book):
    measured(book, judgement("online", 200.0))
    measured(book, judgement("online", status=Status.INVALID, reason="busy"))
    assert shown(book).step("online").us == 200.0


def test_a_time_of_an_earlier_text_is_marked(book):
    measured(book, judgement("online", 200.0, sha256="older"))
    measured(book, judgement("fused", 200.0))
    found = shown(book)
    assert found.step("online").is_older
    assert not found.step("fused").is_older


def test_the_arms_of_runs_are_times_too_and_history_goes_back(book, desk):
    kernel_run(desk, us=1000.0)
    kernel_run(desk, us=900.0)
    found = ladders.ladder(book, "softmax")
    assert found.place.is_here
    assert found.workload == "1024x1024-fp32"
    step = found.step("online")
    assert step.us == pytest.approx(900.0, abs=1)
    past = ladders.history(book, found, step)
    assert [mark.source for mark in past] == ["R-2", "R-1"]
    assert found.step("fused").us > step.us


def test_the_text_of_a_file_is_what_the_book_kept(book, desk):
    kernel_run(desk, change="mine", text="def softmax(x): ...")
    found = ladders.ladder(book, "softmax")
    step = found.step("mine")
    assert step.rung is None
    assert [(one.name, one.text) for one in texts(book, step)] == [
        ("mine.py", "def softmax(x): ...")
    ]


def test_a_judged_file_of_which_no_text_was_kept_has_none(book):
    measured(book, judgement("mine", 100.0))
    assert texts(book, shown(book).step("mine")) == []


def test_a_problem_of_ones_own_has_a_page_and_no_file_of_it_is_opened(book, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "problem.py").write_text("raise SystemExit('this must not be read')")
    measured(book, judgement("fast", 100.0), problem=str(folder))
    (entry,) = [one for one in ladders.entries(book) if one.problem == str(folder)]
    assert entry.rungs == 0
    found = ladders.ladder(book, entry.address.removeprefix("/kernels/"))
    assert [step.name for step in found.steps] == ["fast"]
    assert texts(book, found.step("fast")) == []


@pytest.mark.parametrize("name", ["nothing", "../../etc", "..", "softmax/../gemv", "/etc/passwd"])
def test_a_name_that_is_no_problem_is_not_found(book, name):
    with pytest.raises(NotFound):
        ladders.ladder(book, name)


def test_what_is_not_there_is_not_found(book):
    with pytest.raises(NotFound, match="no rung"):
        ladders.ladder(book, "softmax").step("../problem")
    with pytest.raises(NotFound, match="measured on 'moon'"):
        ladders.ladder(book, "softmax", "moon")
    with pytest.raises(NotFound, match="no workload"):
        ladders.ladder(book, "softmax", "", "1x1")


@pytest.mark.parametrize(
    "document",
    [
        {}, {"rung": 3}, {"rung": "online", "outcomes": [1, {"workload": WORKLOAD}]},
        {"rung": "online", "status": "correct", "outcomes": [
            {"workload": WORKLOAD, "status": "correct", "device": {"median_us": "soon"},
             "floor": {"us": -1}, "cost": {"bytes_read": 10**400}, "error": []}]},
    ],
)  # fmt: skip
def test_a_document_that_does_not_fit_is_passed_over(book, document):
    book.measurements.add("judgement", "softmax", ("online",), WORKLOAD, "cuda", document)
    book.measurements.add("comparison", "softmax", ("online",), WORKLOAD, "cuda", document)
    measured(book, judgement("fused", 300.0))
    assert [step.name for step in shown(book).timed] == ["fused"]


def test_the_list_has_the_fastest_of_this_book_beside_what_is_shipped(book):
    measured(book, judgement("passes", 900.0))
    measured(book, judgement("vectors", 150.0))
    entries = {entry.problem: entry for entry in ladders.entries(book)}
    assert entries["softmax"].mine.best.name == "vectors"
    assert entries["softmax"].shipped.best.us
    assert entries["gemv"].mine is None
