"""Lists of links and titles with the notes beneath them; links and cards inside of days."""

import pytest
from reading_logs import left, read


def test_notes_stand_beneath_their_link():
    text = (
        "# Memory\n- [Coalescing](https://example.org/a) - start here\n  - drags\n\n"
        "  and a paragraph\n- Banks: https://example.org/b\n"
    )
    first, second = read(text).reading
    assert (first.title, first.topic) == ("Coalescing", "Memory")
    assert first.notes == "start here\n\n- drags\n\nand a paragraph"
    assert (second.title, second.address, second.notes) == ("Banks", "https://example.org/b", "")


def test_items_below_plain_links_are_notes():
    found = read("# Numerics\nhttps://example.org/a\ngood\n- skip the end\nhttps://example.org/b\n")
    assert [(one.address, one.notes) for one in found.reading] == [
        ("https://example.org/a", "good\n- skip the end"),
        ("https://example.org/b", ""),
    ]


def test_a_title_without_an_address_is_an_item_under_such_a_heading_alone():
    found = read(
        "# Memory\n- https://example.org/a\n- PMPP, chapter 5\n\n# Shopping\n- milk, eggs\n"
    )
    assert [one.title for one in found.reading][1:] == ["PMPP, chapter 5", "milk, eggs"]
    assert found.reading[1].kind == "chapter"
    alone = read("Some text.\n- milk\n- eggs\n")
    assert not alone.reading
    assert left(alone) == {1, 2, 3}


@pytest.mark.parametrize("address", ["https://siboehm.com/articles/22/CUD…", "example.org/ab..."])
def test_links_that_were_cut_short_are_kept_and_flagged(address):
    [one] = read(f"# Kernels\n- {address}\n").reading
    assert (one.address, one.cut) == (address, True)


def test_boxes_are_states_and_headings_of_kinds_are_no_topics():
    text = "# Memory\n## Papers\n- [x] [One](https://example.org/1)\n- [ ] Two\n## Blogs\n- Three\n"
    found = read(text)
    assert [(one.title, one.topic, one.kind, one.state) for one in found.reading] == [
        ("One", "Memory", "paper", "done"),
        ("Two", "Memory", "paper", ""),
        ("Three", "Memory", "blog", ""),
    ]


def test_a_link_in_a_day_is_read_on_that_day_and_the_text_stays():
    text = (
        "## Jan 4, 2026 - Day 3 of CUDA\nread [softmax](https://example.org/s) (https://b.org/c).\n"
    )
    found = read(text)
    assert [(one.title, one.address, one.topic, one.added) for one in found.reading] == [
        ("softmax", "https://example.org/s", "CUDA", "2026-01-04"),
        ("b.org/c", "https://b.org/c", "CUDA", "2026-01-04"),
    ]
    assert found.days[0].text == text.strip()


def test_one_address_is_one_item_with_all_its_notes():
    text = (
        "## Jan 4, 2026\nhttps://www.example.org/a?utm_source=x\n\n# Links\n"
        "- https://example.org/a\n  - good\n- http://example.org/a/\n  - very good\n"
    )
    [one] = read(text).reading
    assert (one.topic, one.added) == ("Links", "2026-01-04")
    assert one.notes == "- good\n\n- very good"


def test_a_list_after_the_days_ends_them_and_headings_inside_days_do_not():
    text = (
        "## Jan 3, 2026\n### Links\nhttps://example.org/day\n## Jan 4, 2026\nx\n"
        "## Reading\n- https://example.org/list\n"
    )
    found = read(text)
    assert [day.text.count("\n") for day in found.days] == [2, 1]
    assert [one.topic for one in found.reading] == ["journal", "Reading"]


def test_pairs_become_cards_and_leave_the_day_and_open_questions_stay():
    text = (
        "## Jan 4, 2026 - Day 3 of CUDA\nbefore\n\nQ: What is a warp?\nA: 32 threads,\nin step.\n\n"
        "after\nQ: why 32?\n"
    )
    found = read(text)
    [card] = found.cards
    assert (card.question, card.answer, card.topic, card.line) == (
        "What is a warp?",
        "32 threads,\nin step.",
        "CUDA",
        4,
    )
    assert found.days[0].text.split("\n") == [
        text.split("\n")[0],
        "before",
        "",
        "after",
        "Q: why 32?",
    ]


def test_nothing_in_code_is_understood():
    text = "## Jan 4, 2026\n```\n## Jan 5, 2026\nQ: a\nA: b\nhttps://example.org/a\n```\n"
    found = read(text)
    assert (len(found.days), found.cards, found.reading) == (1, [], [])


def test_claims_are_shown():
    found = read("## Jan 4, 2026\n5x over PyTorch, the 90.7 percentile\n")
    assert found.days[0].claims == ("5x over PyTorch", "90.7 percentile")


def test_a_bold_line_above_one_link_is_its_title():
    text = (
        "# Memory\n**How it works**\nhttps://example.org/a\ngood\n\n"
        "**More**\n- [b](https://example.org/b)\n- x y\n"
    )
    found = read(text)
    assert [(one.title, one.topic, one.notes) for one in found.reading] == [
        ("How it works", "Memory", "good"),
        ("b", "More", ""),
        ("x y", "More", ""),
    ]


@pytest.mark.parametrize(
    ("line", "title", "notes"),
    [
        ("- read [Tiles](https://a.org/b) - great, and clear", "Tiles", "great, and clear"),
        ("[Tiles](https://a.org/b) (twice)", "Tiles", "twice"),
        ("- [Tiles](https://a.org/b)\n  - drags\n  on\n- else", "Tiles", "- drags\non"),
        ("https://a.org/b\n- drags\nelse", "a.org/b", "- drags"),
        ("https://a.org/b Online Softmax", "Online Softmax", ""),
        ("https://a.org/b (PTX)", "PTX", ""),
        ("https://a.org/b Read this first", "a.org/b", "Read this first"),
        ("https://a.org/b \U0001f525 meh", "a.org/b", "\U0001f525 meh"),
        ("read [Tiles](https://a.org/b) and wrote a kernel", "Tiles", ""),
        ("it is all in https://a.org/b, then slept", "a.org/b", ""),
    ],
)
def test_what_a_day_says_of_a_link_is_its_note_too(line, title, notes):
    found = read(f"## Jan 4, 2026\n{line}\n")
    assert [(one.title, one.notes) for one in found.reading] == [(title, notes)]
    assert line in found.days[0].text


def test_a_box_in_a_day_is_a_state_and_a_generic_name_no_title():
    [one] = read("## Jan 4, 2026\n- [x] [code](https://a.org/b)\n").reading
    assert (one.title, one.state) == ("a.org/b", "done")


def test_short_words_behind_an_address_are_its_title_and_opinions_are_notes():
    text = (
        "# Memory\n- https://a.org/b Online Softmax\n- https://a.org/c best one\n"
        "- All of them. Slides: https://a.org/d\n"
    )
    assert [(one.title, one.notes) for one in read(text).reading] == [
        ("Online Softmax", ""),
        ("a.org/c", "best one"),
        ("Slides", "All of them. Slides: https://a.org/d"),
    ]


def test_an_address_that_comes_again_is_told_and_its_other_names_are_kept():
    text = (
        "# Memory\n- https://arxiv.org/abs/2205.14135v2\n- [Flash](https://arxiv.org/pdf/2205.14135)\n"
        "- [The paper](https://arxiv.org/abs/2205.14135)\n"
    )
    [one] = read(text).reading
    assert (one.title, one.notes, one.line, one.again) == ("Flash", "The paper", 2, [3, 4])
