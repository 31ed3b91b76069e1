"""What a topic is taught from: a course, or what the book has on it."""

import pytest
from toy_course import TOY

from warpbook.core.errors import NotFound
from warpbook.journal.teaching import lesson, material, passages

READING = """# Memory

## How memory is read
<!-- reading:abcd2345 -->
- address: https://example.org/memory
- kind: blog
- state: done
- added: 2026-01-02

Lines of 128 bytes are what moves.

Q: How long is a line?
A: 128 bytes.
<!-- card:line7777 -->

## Not read yet
- address: https://example.org/later
- kind: blog
- state: queued
"""
DAY = """---
track: gpu
---
# Day 4
Looked at memory banks until it was late.
"""
CARDS = "# memory\n\n" + "\n".join(
    f"Q: What is fact {n}?\nA: It is {n}.\n<!-- card:fact{n}222 -->\n" for n in range(2, 10)
)


@pytest.fixture
def filled(journal):
    for path, text in (
        ("reading/memory.md", READING),
        ("journal/2026-01-04.md", DAY),
        ("cards/memory.md", CARDS),
    ):
        journal.edit(path, lambda _, text=text: text)
    return journal


def test_a_ladder_has_its_course(journal):
    for asked in ("softmax", "Softmax", "kernel:softmax", " softmax "):
        assert material.course_on(journal, asked).problem == "softmax"
    assert material.course_on(journal, "add-rms-norm").problem == "add_rms_norm"


def test_a_topic_without_a_course_is_taught_from_notes_days_and_cards(filled):
    found = material.course_on(filled, "memory")
    assert [step.key for step in found.steps] == [
        "reading:abcd2345",
        "day:2026-01-04",
        "card:fact2222",
        "card:fact8222",
    ]
    assert [step.number for step in found.steps] == [1, 2, 3, 4]
    notes, day, cards, _ = found.steps
    assert notes.text == "Lines of 128 bytes are what moves.\n\nhttps://example.org/memory"
    assert [card.id for card in notes.cards] == ["line7777"]
    assert "memory banks" in day.text
    assert len(cards.cards) == 6
    assert "What is fact 2?\nIt is 2." in cards.text


def test_prose_is_a_text_without_its_cards():
    text = "One.\n\nQ: Why?\nA: So:\n```\n\nQ: x\n```\n<!-- card:abcd2345 -->\nTwo.\n\n\n"
    fence = "```\nQ: kept\n```"
    assert material.prose(f"{text}It has {{{{c1::32}}}}.\n<!-- card:efgh2345 -->\n{fence}") == (
        f"One.\n\nTwo.\n\nIt has 32.\n{fence}"
    )


def test_such_a_course_is_taught_like_any_other(filled):
    one = lesson.begin(filled, material.course_on(filled, "MEMORY"))
    one.present()
    one.no_more_questions()
    assert one.card.answer == "128 bytes."
    one.rate(3)
    one.go_on()
    filled.edit(
        "reading/memory.md", lambda text: text.replace("## Not", "## New\n\nnews\n\n## Not")
    )
    resumed = lesson.begin(filled, material.course_on(filled, "memory"))
    assert resumed.step.title == "New"


def test_titles_alone_are_shown_where_nothing_was_noted(journal):
    journal.edit("reading/later.md", lambda _: "# Later\n\n## A paper\n- kind: paper\n")
    [step] = material.course_on(journal, "later").steps
    assert (step.title, step.text) == ("What there is to read", "- A paper")


def test_nothing_at_all_names_the_topics_there_are(filled):
    for asked in ("banana", "", "!!!"):
        with pytest.raises(NotFound, match=r"vector_add, gemv.*, softmax, .*memory$"):
            material.course_on(filled, asked)


def test_topics_come_with_what_they_have(filled):
    found = {topic.name: topic for topic in material.topics(filled)}
    assert found["softmax"].steps > 3
    assert found["memory"].has == {"reading": 2, "card": 9}
    assert "inbox" not in found
    assert "gpu" not in found  # a track, of which there is nothing but days


def test_passages_come_from_notes_days_and_cards(filled):
    found = passages.find(filled, TOY, TOY.steps[0], "how many bytes are in a line?")
    assert found[0].text.startswith(("Lines of 128 bytes", "How long is a line?"))
    assert found[0].source.startswith("reading/memory.md:")
    assert found[1].source.startswith("reading/memory.md:")
    [day] = passages.find(filled, TOY, TOY.steps[0], "banks?")
    assert day.source == "journal/2026-01-04.md:1, Day 4"


def test_passages_come_from_the_course_and_its_readme(journal):
    found = material.course_on(journal, "vector_add")
    sources = [
        one.source
        for word in ("torch.compile", "What is coalescing?")
        for one in passages.find(journal, found, found.steps[0], word)
    ]
    assert any("README" in source for source in sources)
    assert any("step" in source for source in sources)


@pytest.mark.parametrize("question", ["", "?", "what is the", '"', "NEAR(", "zzzz xyzzy"])
def test_a_question_without_a_word_to_go_by_has_no_passages(filled, question):
    assert passages.find(filled, TOY, TOY.steps[0], question) == []


def test_forms_of_a_word_are_one(journal):
    coalescing, coalesced = (
        passages.find(journal, material.course_on(journal, "gemv"), TOY.steps[0], asked)
        for asked in ("what is coalescing", "coalesced?")
    )
    assert coalescing == coalesced != []
