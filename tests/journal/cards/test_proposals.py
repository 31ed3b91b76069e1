"""Cards that wait for approval."""

import pytest
from clocked import text, write

from warpbook.core.errors import NotFound, Taken
from warpbook.journal.cards import deck, proposals
from warpbook.journal.cards.proposals import NewCard
from warpbook.journal.texts import textfile

WARP = NewCard("What is a warp?", "32 threads", "gpu", "journal/2026-01-04.md:12 --> x")
BANK = NewCard("How many banks?", "32\n\nfour bytes wide", "memory")


def questions(journal, state="proposed"):
    return [one.question for one in proposals.list_all(journal, state)]


def test_proposals_wait_and_are_no_cards(journal):
    assert proposals.add_all(journal, [WARP, BANK, WARP]) == 2
    assert questions(journal) == ["What is a warp?", "How many banks?"]
    one = proposals.list_all(journal)[0]
    assert (one.topic, one.source, one.answer) == ("gpu", WARP.source, "32 threads")
    assert deck.cards(journal) == []


def test_what_is_proposed_rejected_or_a_card_is_not_proposed_again(journal):
    write(journal, "cards/gpu.md", "Q: What is  a warp?\nA: x\n<!-- card:kkkk -->\n")
    assert proposals.add_all(journal, [WARP, BANK]) == 1
    proposals.reject(journal, [BANK.id])
    assert proposals.add_all(journal, [WARP, BANK]) == 0
    assert questions(journal) == []
    assert questions(journal, "rejected") == ["How many banks?"]


def test_what_has_no_answer_is_not_proposed(journal):
    assert proposals.add_all(journal, [NewCard("Why?", " ", "gpu"), NewCard("", "x", "gpu")]) == 0
    assert not journal.path("cards/proposed.md").exists()


def test_an_approved_card_moves_to_its_topic_with_its_id(journal):
    proposals.add_all(journal, [WARP, BANK])
    (card,) = proposals.approve(journal, [BANK.id[:5]])
    assert (card.id, card.path) == (BANK.id, "cards/memory.md")
    held = deck.get(journal, BANK.id)
    assert (held.card.question, held.card.answer) == ("How many banks?", "32\nfour bytes wide")
    assert questions(journal) == ["What is a warp?"]
    assert "banks" not in text(journal, "cards/proposed.md")


def test_an_approved_cloze_is_a_cloze(journal):
    new = NewCard("A {{c1::warp}} has {{c2::32}} threads.", "", "gpu")
    assert proposals.add_all(journal, [new]) == 1
    proposals.approve(journal, [new.id])
    assert [one.card.id for one in deck.cards(journal)] == [f"{new.id}.1", f"{new.id}.2"]
    assert proposals.add_all(journal, [new]) == 0


def test_what_was_edited_by_hand_is_approved_as_it_stands(journal):
    proposals.add_all(journal, [WARP])
    path = journal.path("cards/proposed.md")
    path.write_text(path.read_text().replace("32 threads", "32 lanes") + "\nQ: own\nA: 1\n")
    own = proposals.list_all(journal)[1]
    proposals.approve(journal, [WARP.id, own.id], topic="Basics of GPUs")
    assert [one.card.answer for one in deck.cards(journal, "basics-of-gpus")] == ["32 lanes", "1"]


def test_approving_goes_on_after_it_was_cut_short(journal):
    proposals.add_all(journal, [WARP])
    with textfile.held(journal.path("cards/proposed.md")), pytest.raises(Taken):
        proposals.approve(journal, [WARP.id])
    assert len(deck.cards(journal)) == 1
    proposals.approve(journal, [WARP.id])
    assert len(deck.cards(journal)) == 1
    assert questions(journal) == []


def test_a_rejected_card_can_still_be_approved(journal):
    proposals.add_all(journal, [WARP])
    proposals.reject(journal, [WARP.id])
    proposals.approve(journal, [WARP.id])
    assert deck.get(journal, WARP.id).card.answer == "32 threads"


def test_many_are_decided_at_once_and_what_stands_between_them_stays(journal):
    many = [NewCard(f"What is {n}?", f"answer {n}", f"topic{n % 2}") for n in range(6)]
    proposals.add_all(journal, many)
    path = journal.path("cards/proposed.md")
    path.write_text(path.read_text().replace("Q: What is 3?", "My own words.\n\nQ: What is 3?"))
    proposals.reject(journal, [many[1].id, many[4].id])
    proposals.approve(journal, [many[0].id, many[2].id, many[3].id])
    assert questions(journal) == ["What is 5?"]
    assert questions(journal, "rejected") == ["What is 1?", "What is 4?"]
    assert "My own words." in path.read_text()
    assert [one.card.answer for one in deck.cards(journal)] == ["answer 0", "answer 2", "answer 3"]


def test_one_that_does_not_wait_is_named(journal):
    with pytest.raises(NotFound, match="'zzzz'"):
        proposals.approve(journal, ["zzzz"])
