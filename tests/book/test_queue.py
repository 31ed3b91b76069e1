"""The order of the queue, its reasons, and what is told when it changes."""

import pytest
from book_desk import FAST

from warpbook.core.run import RunStatus


def order(book):
    return [place.experiment.name for place in book.queue.order()]


def take(book, devices=("none",)):
    """As a worker does: the next in turn, which then runs."""
    with book.writing() as write:
        found = book.queue.next(write.session, devices)
        if found is not None:
            write.set(found, "experiment.started", f"{found.name} runs", state="running")
        return found and found.name


def explore(desk, count):
    return [desk.experiment(change=f"change {number}").name for number in range(count)]


def test_what_would_teach_more_comes_first(book, desk):
    desk.tried("near")
    desk.experiment(desk.claim("surely", prior=0.99), change="sure")
    desk.experiment(change="nobody asked")
    places = book.queue.order()
    assert [place.experiment.name for place in places][-1] == "E-3"
    assert places[0].score >= places[1].score > places[2].score
    assert places[0].worth > places[2].worth


def test_each_place_says_why(book, desk):
    desk.tried()
    desk.experiment(change="other")
    book.experiments.noise("E-1")
    book.experiments.prioritise("E-2", 3)
    reasons = {place.experiment.name: place.reason for place in book.queue.order()}
    assert " bits for H-1 (belief 0.5" in reasons["E-1"]
    assert "waited longest" not in reasons["E-1"]
    assert reasons["E-1"].endswith("in about 120 s")
    assert reasons["E-2"] == "priority 3: exploratory, in about 120 s"
    assert reasons["E-3"] == "A against A, for the noise here, in about 120 s"


def test_pins_come_first_then_priorities(book, desk):
    explore(desk, 4)
    book.experiments.prioritise("E-2", 1)
    book.experiments.pin("E-4")
    assert order(book)[:2] == ["E-4", "E-2"]
    book.experiments.unpin("E-4")
    assert order(book)[0] == "E-2"


def test_every_fourth_turn_goes_to_the_one_that_has_waited_longest(book, desk):
    explore(desk, 6)
    for name in ("E-2", "E-3", "E-4", "E-5"):
        book.experiments.prioritise(name, 1)
    assert order(book) == ["E-2", "E-3", "E-4", "E-1", "E-5", "E-6"]
    waited = ["waited longest" in place.reason for place in book.queue.order()]
    assert waited == [False, False, False, True, False, False]
    assert [take(book) for _ in range(6)] == ["E-2", "E-3", "E-4", "E-1", "E-5", "E-6"]
    assert take(book) is None


def test_only_what_a_device_can_run_is_taken(book, desk):
    from book_desk import make_plan

    desk.experiment(plan=make_plan(device="cpu"))
    assert take(book, {"none", "cuda"}) is None
    assert take(book, {"cpu"}) == "E-1"


def test_nothing_is_taken_while_the_queue_is_paused(book, desk):
    explore(desk, 1)
    book.queue.pause()
    assert book.queue.paused()
    assert take(book) is None
    book.queue.resume()
    assert take(book) == "E-1"
    assert desk.lines("queue.paused") == ["the queue is paused"]


def test_what_a_held_author_or_a_stopped_campaign_has_queued_waits_and_is_shown(book, desk):
    explore(desk, 1)
    book.queue.hold("ana")
    assert take(book) is None
    assert [place.blocked for place in book.queue.order()] == ["ana is held"]
    book.queue.unhold("ana")
    book.campaigns.stop("inbox")
    assert take(book) is None
    assert [place.blocked for place in book.queue.order()] == ["inbox is stopped"]
    book.campaigns.resume("inbox")
    assert take(book) == "E-1"


def test_one_event_tells_of_a_reorder_and_its_cause(book, desk):
    claim, first = desk.tried("first")
    desk.experiment(claim, change="second")
    desk.tried("third")
    desk.result(first, 0.0)
    assert desk.lines("queue.reordered") == ["E-3 from 2 to 1, E-1 in at 2: R-1 left H-1 at 0.00"]


def test_a_queue_whose_order_stays_has_no_event(book, desk):
    explore(desk, 3)
    assert take(book) == "E-1"
    assert desk.lines("queue.reordered") == []


def test_an_experiment_that_goes_back_to_its_place_is_no_reorder(book, desk):
    _, first = desk.tried("first")
    explore(desk, 2)
    assert order(book)[0] == first.name
    desk.result(first)
    assert order(book)[0] == first.name
    assert desk.lines("queue.reordered") == []


def test_a_campaign_that_goes_on_is_told_with_the_places(book, desk):
    book.campaigns.add("nightly")
    desk.experiment(desk.claim(campaign="nightly"))
    desk.tried("other")
    book.campaigns.stop("nightly")
    book.campaigns.resume("nightly")
    assert desk.lines("queue.reordered") == [
        "E-2 from 2 to 1: nightly is stopped: nothing of it is taken",
        "E-1 in at 1: nightly goes on",
    ]


def test_a_pin_is_told_with_the_places(book, desk):
    explore(desk, 3)
    book.experiments.pin("E-3")
    assert desk.lines("queue.reordered") == ["E-3 from 3 to 1: E-3 is pinned"]
    data = book.log.latest(1)[0].data
    assert {"experiment": 1, "from": 1, "to": 2} in data["changes"]


def test_what_a_run_took_is_what_the_next_is_expected_to_take(book, desk):
    _, first = desk.tried("first")
    _, second = desk.tried("second")
    desk.result(first, seconds=12.3)
    place = next(p for p in book.queue.order() if p.experiment.id == second.id)
    assert place.cost_s == 12.0
    assert place.score == pytest.approx(place.worth / 12.0)
    _, third = desk.tried("third")
    assert book.experiments.get(third.name).cost_s == 12.0


def test_one_that_is_queued_later_costs_what_is_known_by_then(book, desk):
    draft = desk.experiment(desk.claim(), change="later", queue=False)
    _, experiment = desk.tried()
    desk.result(experiment, seconds=7.0)
    assert book.experiments.queue(draft.name).cost_s == 7.0


def test_money_stands_beside_worth(tmp_path, book, desk):
    settings = book.folder / "warpbook.toml"
    settings.write_text("[executors.local]\nprice_per_hour = 36.0\n")
    desk.tried()
    from warpbook.book.book import Book

    (place,) = Book.open(book.folder).queue.order()
    assert place.money == pytest.approx(place.cost_s / 100)


def test_an_experiment_whose_claims_are_decided_is_moot_and_comes_back(book, desk):
    claim, first = desk.tried("first")
    waiting = desk.experiment(claim, change="second")
    desk.results(first, FAST, FAST + 0.02, FAST - 0.02)
    assert book.experiments.get(waiting.name).state == "moot"
    assert book.experiments.get(waiting.name).state_reason == "H-1 is supported"
    for number in range(4):
        desk.claim(f"another {number}")
    flipped = [line for line in desk.lines("verdict.changed") if "open again" in line]
    assert flipped
    assert flipped[0] in {
        f"H-1 is open again: the campaign grew to {size} hypotheses" for size in range(2, 6)
    }
    assert book.experiments.get(waiting.name).state == "queued"


def test_a_claim_that_is_withdrawn_leaves_its_experiments_moot(book, desk):
    claim, experiment = desk.tried()
    book.hypotheses.withdraw(claim.name)
    assert book.experiments.get(experiment.name).state == "moot"
    assert order(book) == []


def test_an_experiment_for_two_claims_waits_until_both_are_decided(book, desk):
    first, second = desk.claim("at least 3%"), desk.claim("at least 29%", delta=0.26)
    experiment = desk.experiment(first, second, runs=9)
    desk.results(experiment, FAST, FAST + 0.004, FAST - 0.004)
    assert book.hypotheses.get(first.name).verdict == "supported"
    assert book.hypotheses.get(second.name).verdict == "open"
    assert book.experiments.get(experiment.name).state == "queued"


def test_an_experiment_that_waits_again_waits_behind_the_others(book, desk):
    explore(desk, 2)
    desk.ended(book.experiments.get("E-1"), RunStatus.INVALID)
    waiting = {place.experiment.name: place.waiting_s for place in book.queue.order()}
    assert waiting["E-1"] < waiting["E-2"]
