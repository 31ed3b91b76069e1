"""Which cards there are, and which to ask."""

from datetime import UTC, datetime, timedelta

import pytest
from clocked import Clock, write

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.cards import deck, forecast, recall
from warpbook.journal.ids import id_of
from warpbook.journal.journal import Journal
from warpbook.journal.teaching import course, lessons

MANY = "".join(f"Q: q{n}\nA: a{n}\n<!-- card:c{n:02d} -->\n\n" for n in range(30))


@pytest.fixture
def journal(folder):
    with Journal.open(folder, Clock()) as made:
        yield made


def present(journal, topic, cards):
    line = lessons.line_of(journal.now(), topic, "presented", step="1", cards=cards)
    lessons.append(journal.folder, line)


def ids(held):
    return [one.card.id for one in held]


def test_cards_of_days_reading_and_card_files_are_one_deck(journal):
    write(journal, "journal/2026-01-03.md", "---\ntrack: cuda\n---\nQ: day?\nA: yes\n")
    write(journal, "reading/memory.md", "# Memory\n\n## Paper\n\nQ: paper?\nA: yes\n\nQ: open?\n")
    write(journal, "cards/gpu.md", "A {{c1::warp}} has {{c2::32}}.\n<!-- card:kkkk -->\n")
    found = [(one.card.topic, one.card.id) for one in deck.cards(journal)]
    assert found == [
        ("cuda", id_of("day?")),
        ("gpu", "kkkk.1"),
        ("gpu", "kkkk.2"),
        ("memory", id_of("paper?")),
    ]
    assert [e.title for e in journal.index.entries("question")] == ["open?"]


def test_new_cards_are_limited_a_day_and_in_an_order_of_that_day(journal):
    write(journal, "cards/gpu.md", MANY)
    first = ids(deck.due(journal))
    assert len(first) == journal.settings.new_a_day
    assert first == ids(deck.due(journal))
    assert first != sorted(first)
    for card in first[:5]:
        recall.review(journal, card, 4)
    assert ids(deck.due(journal)) == first[5:]
    assert len(deck.due(journal, new=8)) == 3
    recall.undo(journal)
    assert ids(deck.due(journal)) == first[4:]
    journal.now.on(days=1)
    tomorrow = ids(deck.due(journal))
    assert len(tomorrow) == 20
    assert tomorrow[:5] != first[5:10]


def test_what_is_being_learnt_comes_first_then_what_is_due_then_new_ones(journal):
    write(journal, "cards/gpu.md", MANY)
    recall.review(journal, "c01", 4)
    journal.now.on(days=20)
    recall.review(journal, "c02", 1)
    recall.review(journal, "c03", 2)
    journal.now.on(minutes=10)
    assert ids(deck.due(journal, limit=3)) == ["c02", "c03", "c01"]
    assert len(deck.due(journal)) == 3 + 18


def test_a_card_is_due_all_of_its_day_and_one_being_learnt_to_the_minute(journal):
    write(journal, "cards/gpu.md", MANY)
    due = recall.review(journal, "c01", 4).after.due
    again = recall.review(journal, "c02", 1).after.due
    assert ids(deck.due(journal, new=0)) == []
    assert ids(deck.due(journal, new=0, ahead=timedelta(minutes=20))) == ["c02"]
    journal.now.at = again
    assert ids(deck.due(journal, new=0)) == ["c02"]
    journal.now.at = datetime(due.year, due.month, due.day, 0, 1, tzinfo=UTC)
    assert "c01" in ids(deck.due(journal, new=0))


def test_suspended_cards_are_not_asked_and_flagged_ones_are_listed(journal):
    write(journal, "cards/gpu.md", MANY)
    recall.suspend(journal, "c01")
    recall.flag(journal, "c02")
    asked = ids(deck.due(journal, new=100))
    assert len(asked) == 29
    assert "c01" not in asked
    assert ids(deck.cards(journal, state="flagged")) == ["c02"]
    assert ids(deck.cards(journal, state="suspended")) == ["c01"]


def test_a_topic_alone_and_topics_with_their_counts(journal):
    write(journal, "cards/gpu.md", MANY)
    write(journal, "cards/cpu.md", "Q: x\nA: y\n<!-- card:xxxx -->\n")
    recall.review(journal, "xxxx", 1)
    recall.flag(journal, "c00")
    journal.now.on(minutes=5)
    assert ids(deck.due(journal, "cpu")) == ["xxxx"]
    assert deck.topics(journal) == [
        deck.Topic("cpu", cards=1, due=1, new=0, learning=1, flagged=0, suspended=0),
        deck.Topic("gpu", cards=30, due=0, new=30, learning=0, flagged=1, suspended=0),
    ]


def test_a_card_is_found_by_its_id_or_the_beginning_of_one(journal):
    write(journal, "cards/gpu.md", MANY)
    assert deck.get(journal, "c07").card.question == "q7"
    with pytest.raises(BadInput, match="several"):
        deck.get(journal, "c0")
    with pytest.raises(NotFound, match="no card 'zz'"):
        deck.get(journal, "zz")


def test_lists_are_searched_and_come_in_pages(journal):
    write(journal, "cards/gpu.md", MANY)
    assert ids(deck.cards(journal, search="a17")) == ["c17"]
    assert ids(deck.cards(journal, limit=2, offset=3)) == ["c03", "c04"]
    with pytest.raises(BadInput, match="no state"):
        deck.cards(journal, state="lost")


def test_of_one_id_in_two_files_the_first_is_asked(journal):
    for name, question in (("a", "first"), ("b", "second")):
        write(journal, f"cards/{name}.md", f"Q: {question}\nA: x\n<!-- card:kkkk -->\n")
    assert [one.card.question for one in deck.due(journal)] == ["first"]
    assert deck.due(journal, "b") == []
    assert [(one.name, one.cards, one.new) for one in deck.topics(journal)] == [("a", 1, 1)]
    (problem,) = journal.index.problems()
    assert str(problem) == "cards/b.md:1: two cards with one id, kkkk; the other is cards/a.md:1"


def test_cards_of_a_course_join_once_they_were_presented_or_asked(journal):
    taught = course.load(course.names()[0])
    first, later = (taught.step(number).cards[0] for number in (1, 2))
    assert deck.cards(journal) == []
    present(journal, taught.problem, [first.id])
    assert ids(deck.due(journal)) == [first.id]
    assert ids(deck.cards(journal, taught.problem)) == [first.id]
    recall.review(journal, later.id, 1)
    journal.now.on(minutes=2)
    assert ids(deck.due(journal)) == [later.id, first.id]
    (topic,) = deck.topics(journal)
    assert (topic.name, topic.cards, topic.due, topic.new) == (taught.problem, 2, 1, 1)
    assert deck.get(journal, later.id).recall.reviews == 1
    write(journal, "cards/own.md", f"Q: mine\nA: x\n<!-- card:{first.id} -->\n")
    assert deck.get(journal, first.id).card.question == "mine"
    assert len(deck.cards(journal)) == 2


def test_a_forecast_counts_the_cards_there_are(journal):
    write(journal, "cards/gpu.md", "Q: x\nA: y\n<!-- card:xxxx -->\n")
    for card in ("xxxx", course.load("softmax").steps[0].cards[0].id, "gone"):
        recall.review(journal, card, 1)
    assert forecast.forecast(journal, 3) == [2, 0, 0]


def test_pages_go_on_from_the_book_into_courses(journal):
    write(journal, "cards/gpu.md", "Q: x\nA: y\n<!-- card:xxxx -->\n")
    cards = [card.id for card in course.load(course.names()[0]).step(1).cards][:2]
    present(journal, course.names()[0], cards)
    whole = ids(deck.cards(journal))
    assert whole == ["xxxx", *cards]
    assert [ids(deck.cards(journal, limit=1, offset=n)) for n in range(4)] == [
        *([one] for one in whole),
        [],
    ]
