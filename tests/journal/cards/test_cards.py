"""Finding cards in texts, and writing them so that they read back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.journal.cards import card_files, cloze
from warpbook.journal.cards.cards import Card, cards_of, entries, find
from warpbook.journal.ids import id_of


def cards(text, path="cards/gpu.md", topic="gpu"):
    return [e for e in entries(path, text, topic).entries if e.kind == "card"]


def pairs(text):
    return [(c.document["question"], c.document["answer"]) for c in cards(text)]


def test_a_question_and_its_answer_go_on_over_lines():
    text = "Q: What is\na warp?\nA: 32 threads\nthat run in step.\n\nProse.\n"
    assert pairs(text) == [("What is\na warp?", "32 threads\nthat run in step.")]


def test_an_answer_ends_at_a_blank_line_a_heading_a_question_and_its_comment():
    text = "Q: a\nA: 1\nQ: b\nA: 2\n# H\nQ: c\nA: 3\n<!-- card:kkkk -->\nQ: d\nA: 4\n\nmore\n"
    assert pairs(text) == [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]


def test_the_id_is_that_of_the_comment_or_follows_from_the_question():
    found = cards("Q: a\nA: 1\n<!-- card:softmax.a1 -->\n\nQ: What?\nA: 2\n")
    assert [one.key for one in found] == ["softmax.a1", id_of("what?")]
    assert [one.document["written"] for one in found] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "Q: a\nA: 1 <!-- card:kkkk -->\n",
        "Q: a\nA: 1\n\n<!-- card:kkkk -->\n",
        "- Q: a\n  A: 1\n  <!-- card:kkkk -->\n",
        "**Q:** a\n**A:** 1\n<!--card:kkkk-->\n",
        "Q: a\n\nA: 1\n<!-- card:kkkk -->\n",
        "Q: a\nA: 1\n---\n<!-- card:kkkk -->\n",
    ],
)
def test_a_comment_is_found_however_it_is_set(text):
    assert [(c.key, *pair) for c, pair in zip(cards(text), pairs(text), strict=True)] == [
        ("kkkk", "a", "1")
    ]


def test_nothing_in_a_fence_is_a_card_and_a_fence_may_be_in_an_answer():
    text = (
        "```\nQ: no\nA: no\n```\n\nQ: yes\nA:\n```c\nint x;\n\nQ: still code\n```\n\nprose {{x}}\n"
    )
    assert pairs(text) == [("yes", "```c\nint x;\n\nQ: still code\n```")]


def test_a_question_without_an_answer_is_open():
    (found,) = entries("reading/memory.md", "## Item\n\nQ: Why is it slow?\n\nProse.\n", "").entries
    assert (found.kind, found.title, found.state, found.topic) == (
        "question",
        "Why is it slow?",
        "open",
        "memory",
    )


def test_each_number_of_a_cloze_is_a_card():
    found = cards("A {{c1::warp}} has {{c2::32}}\n{{c1::threads :: who}}.\n<!-- card:kkkk -->\n")
    assert [(c.key, c.document["question"], c.document["answer"]) for c in found] == [
        ("kkkk.1", "A [...] has 32\n[who].", "warp, threads"),
        ("kkkk.2", "A warp has [...]\nthreads.", "32"),
    ]


def test_items_of_a_list_are_clozes_of_their_own():
    text = "- a {{c1::b}}\n- c {{c1::d}}\n<!-- card:kkkk -->\n- no cloze\n"
    assert [c.key for c in cards(text)] == [f"{id_of('a b')}.1", "kkkk.1"]


def test_clozes_nest_keep_colons_and_leave_other_braces_alone():
    text = "{{c1::cuda::barrier {{c2::waits}}}} }} {{c3::open"
    assert cloze.numbers(text) == [1, 2]
    assert cloze.answer(text, 1) == "cuda::barrier waits"
    assert cloze.hidden(text, 2) == "cuda::barrier [...] }} {{c3::open"


def test_hostile_clozes_take_no_longer_than_others():
    deep = "{{c1::" * 20_000
    assert cloze.numbers(deep) == []
    assert cloze.numbers(deep + "x" + "}}" * 20_000) == [1]


def test_a_comment_in_the_middle_of_a_line_is_text():
    (found,) = cards("Q: a\nA: write <!-- card:kkkk --> below\n")
    assert (found.key, found.document["answer"]) == (id_of("a"), "write <!-- card:kkkk --> below")


def test_cards_of_a_day_have_its_date_and_the_track_as_their_topic():
    text = "---\nminutes: 5\n---\n# Day 3\n\nQ: a\nA: b\n"
    (found,) = cards(text, "journal/2026-01-04.md", "cuda")
    assert (found.date, found.topic, found.line) == ("2026-01-04", "cuda", 6)


def test_front_matter_names_the_topic():
    (found,) = cards("---\ntopic: memory\n---\nQ: a\nA: b\n")
    assert found.topic == "memory"


def test_of_two_cards_with_one_id_the_first_is_asked_and_both_lines_are_told():
    text = "Q: a\nA: 1\n<!-- card:kkkk -->\n\nQ: b\nA: 2\n<!-- card:kkkk -->\n"
    parsed = entries("cards/gpu.md", text, "gpu")
    assert [e.document["question"] for e in parsed.entries] == ["a"]
    (problem,) = parsed.problems
    assert str(problem).startswith("cards/gpu.md:5: card kkkk is also on line 1")


def test_a_comment_with_no_card_above_it_is_told():
    parsed = entries("cards/gpu.md", "Q: a\nA: 1\n\nprose\n\n<!-- card:kkkk -->\n", "gpu")
    assert [problem.line for problem in parsed.problems] == [6]


def test_proposed_cards_are_no_cards():
    assert entries("cards/proposed.md", "Q: a\nA: b\n", "").entries == []


def test_an_id_is_written_below_its_card_and_nothing_else_changes():
    text = "---\ntopic: x\n---\n\nQ: a\nA:\n```\n1\n```\n\nQ: b\nA: 2"
    once = card_files.stamped(text, id_of("a"))
    assert once == text.replace("```\n\nQ: b", f"```\n<!-- card:{id_of('a')} -->\n\nQ: b")
    twice = card_files.stamped(once, id_of("b"))
    assert twice == f"{once}\n<!-- card:{id_of('b')} -->"
    assert card_files.stamped(twice, id_of("b")) == twice


def test_a_card_that_is_gone_or_in_an_open_fence_gets_no_id():
    assert card_files.stamped("Q: b\nA: 1\n", id_of("a")) == "Q: b\nA: 1\n"
    open_fence = "Q: a\nA:\n```\nint x;"
    assert card_files.stamped(open_fence, id_of("a")) == open_fence


LINES = """Q: x|A: y|# h||```c|~~~~|---|<!-- card:zzzz -->|<script>|- item|1. A: z|plain {{c1::w}}
|    code|**Q:** b|> quote|====|#if"""
HARD = st.lists(st.sampled_from(LINES.replace("\n", "").split("|")), min_size=1, max_size=6).map(
    "\n".join
)


@settings(max_examples=60, deadline=None)
@given(question=HARD, answer=HARD)
def test_whatever_is_written_as_a_card_reads_back_as_that_one_card(question, answer):
    if not question.strip() or not answer.strip():
        return
    before = "Q: first\nA: 1\n<!-- card:aaaa -->\n"
    text = card_files.appended(
        before, "gpu", [card_files.block(question, answer, "card:kkkk"), "Q: last\nA: 2\n"]
    )
    found = find(text).found
    assert [one.id for one in found] == ["aaaa", "kkkk", id_of("last")]
    assert all(len(cards_of(one)) == 1 for one in found)
    again = card_files.block(found[1].question, found[1].answer, "card:kkkk")
    assert find(again).found[0].answer == found[1].answer


@pytest.mark.parametrize(
    ("name", "topic"),
    [("GPU::Memory hierarchy", "gpu-memory-hierarchy"), ("../../etc", "etc"), ("Größe", "größe")],
)
def test_a_topic_is_fit_for_a_file(name, topic):
    assert card_files.topic_of(name) == topic


def test_the_base_of_a_cloze_is_its_id_without_the_number():
    assert Card("kkkk.2", "", "", text="x").base == "kkkk"
    assert Card("softmax.a1", "", "").base == "softmax.a1"
