"""One sitting of a quiz: what comes next, what counts once, what is undone, and how it went."""

import threading
from datetime import timedelta

import pytest
from clocked import Clock, write

from warpbook.core.errors import Taken
from warpbook.journal.cards import deck, recall, sitting
from warpbook.journal.cards.forecast import forecast
from warpbook.journal.journal import Journal

CARDS = "".join(f"Q: question {n}?\nA: answer {n}\n<!-- card:card000{n} -->\n\n" for n in range(3))


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def journal(folder, clock):
    with Journal.open(folder, clock) as opened:
        write(opened, "cards/gpu.md", CARDS)
        yield opened


def asked(sheet):
    return sheet.held.card.id, sheet.held.recall.reviews


def rate(journal, sheet, rating):
    card, reviews = asked(sheet)
    return sitting.review(journal, card, rating, reviews, 2.0)


def test_the_card_that_is_shown_stays_though_another_falls_due(journal, clock):
    first = sitting.sheet(journal)
    rate(journal, first, 1)
    second = sitting.sheet(journal)
    clock.on(minutes=5)
    assert asked(sitting.sheet(journal)) == (first.held.card.id, 1), "it has fallen due"
    assert asked(sitting.sheet(journal, stay=asked(second))) == asked(second)
    recall.suspend(journal, second.held.card.id)
    assert asked(sitting.sheet(journal, stay=asked(second))) != asked(second)


def test_a_review_of_what_was_reviewed_meanwhile_is_refused(journal):
    sheet = sitting.sheet(journal)
    rate(journal, sheet, 3)
    with pytest.raises(Taken, match="reviewed elsewhere meanwhile"):
        rate(journal, sheet, 3)
    assert recall.get(journal, sheet.held.card.id).reviews == 1


def test_of_reviews_at_once_one_counts(journal):
    refused = []

    def review():
        with Journal.open(journal.folder) as mine:
            try:
                sitting.review(mine, "card0000", 3, 0)
            except Taken:
                refused.append(1)

    threads = [threading.Thread(target=review) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recall.get(journal, "card0000").reviews == 1
    assert len(refused) == 3


def test_what_is_undone_is_asked_again_at_once(journal):
    first = sitting.sheet(journal)
    rate(journal, first, 1)
    second = sitting.sheet(journal)
    recall.suspend(journal, second.held.card.id)
    third = sitting.sheet(journal)
    recall.undo(journal)
    assert asked(sitting.sheet(journal, stay=asked(third))) == asked(second)
    recall.undo(journal)
    assert asked(sitting.sheet(journal, stay=asked(third))) == asked(first)
    rate(journal, first, 4)
    assert asked(sitting.sheet(journal)) != asked(first)


def test_how_it_went_is_read_from_the_log_up_to_a_pause(journal, clock):
    recall.review(journal, "card0002", 4, 9.0)
    clock.on(hours=1)
    for rating in (3, 1):
        rate(journal, sitting.sheet(journal), rating)
        clock.on(minutes=1)
    sheet = sitting.sheet(journal)
    assert sheet.sitting.ratings == {3: 1, 1: 1}
    assert sum(act.seconds for act in sheet.sitting.reviews) == 4.0
    assert [held.card.id for held in sheet.missed] == sheet.sitting.missed
    assert len(sheet.missed) == 1
    assert sitting.sheet(journal, "other").sitting.reviews == []


def test_new_cards_past_those_of_a_day_are_asked_for(folder, clock):
    with open(folder / "warpbook.toml", "a") as file:
        file.write("[journal]\nnew_a_day = 1\n")
    with Journal.open(folder, clock) as journal:
        write(journal, "cards/gpu.md", CARDS)
        rate(journal, sitting.sheet(journal), 4)
        over = sitting.sheet(journal)
        assert (over.held, over.left, over.more_new) == (None, 0, 2)
        assert over.due == deck.next_due(journal)
        assert sitting.sheet(journal, more=1).held is not None


def test_days_ahead_count_what_comes_back(journal, clock):
    for card in ("card0000", "card0001"):
        for _ in range(3):
            recall.review(journal, card, 4)
            clock.on(minutes=30)
    (first, second) = (recall.get(journal, f"card000{n}").due for n in (0, 1))
    ahead = forecast(journal, 200)
    assert sum(ahead) == 2
    assert ahead[(first.date() - journal.today()).days] >= 1
    clock.at = second + timedelta(days=1)
    assert forecast(journal)[0] == 2, "what is overdue is today's"


def test_a_card_that_is_gone_is_no_other_of_like_name(journal):
    rate(journal, sitting.sheet(journal), 1)
    (gone,) = sitting.sheet(journal).sitting.missed
    for more in ("Q: a?\nA: b\n<!-- card:{}1 -->\n", "Q: c?\nA: d\n<!-- card:{}2 -->\n"):
        write(journal, "cards/gpu.md", more.format(gone))
        sheet = sitting.sheet(journal, stay=(gone, 1))
        assert (sheet.missed, sheet.last) == ([], None)
        assert sheet.held.card.id.startswith(gone)
        assert sheet.held.card.id != gone
