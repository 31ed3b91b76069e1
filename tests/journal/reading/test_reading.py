"""A topic's file and its items: what is read, what is told, and that a change touches one alone."""

from dataclasses import replace
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.reading import reading_text as writing
from warpbook.journal.reading.reading import Item, derived_id, entries, item_from, parse

PATH = "reading/memory.md"
FILE = dedent(
    """\
    # Memory

    Words of my own.

    ## How to optimise a matrix product
    <!-- reading:k3f9a2bc -->
    - address: https://example.org/matmul
    - kind: blog
    - tier: 1
    - state: done
    - added: 2026-01-02
    - started: 2026-01-03
    - done: 2026-01-05
    - up to: section 4

    A note.

    ### 2026-01-05
    Q: why?

    ## No address, no fields

    ## Issue
    - address: https://github.com/o/r/issues/3
    - author: someone
    - state: asked
    - cut: yes
    """
)
HOSTILE = [
    "control \x1b[2J\x00\x07 characters \u202e",
    "two\nlines\r\nand\x0bmore\u2028",
    "*bold* [link](javascript:alert(1)) `code` ![](x)",
    "<script>alert(1)</script> <!-- reading:aaaa --> -->",
    "x" * 10_000,
    "# ## a",
    "#",
    "C #",
    "C \\#",
    "C \\\\##",
    "- state: done",
    "\ud800 lone",
    "```",
    "   spaces   ",
]
NOTES = [
    "## would be an item\n## and another ##",
    "```\n## not one\n",
    "~~~~python\n## not one\n```",
    "<!-- never closed\n## x",
    "<pre>\n\n## x",
    "<div>\n## x",
    "- state: done\n- kind: blog",
    "<!-- reading:aaaa -->",
    "- a\n  ```\n## x\n  ```\n## y",
    "\n\n   indented\n\n",
    " ## one space\n  ## two",
    "a\r\nb\rc\x00",
    "> ```\n## x",
    "---\n## x\n---",
]


def read(text):
    return parse(PATH, text)[0]


def test_an_item_has_what_its_lines_say():
    first, second, third = read(FILE)
    assert first == Item(
        id="k3f9a2bc",
        title="How to optimise a matrix product",
        topic="memory",
        address="https://example.org/matmul",
        kind="blog",
        tier=1,
        state="done",
        added="2026-01-02",
        started="2026-01-03",
        done="2026-01-05",
        up_to="section 4",
        notes="A note.\n\n### 2026-01-05\nQ: why?",
        path=PATH,
        line=5,
        last=19,
    )
    assert (second.state, second.kind, second.written) == ("queued", "blog", False)
    assert second.id == derived_id("", "no  ADDRESS, no fields", "memory")
    assert (third.kind, third.state, third.cut) == ("issue", "asked", True)
    assert third.id == derived_id("github.com/O/R/issues/3#x", "", "")
    assert third.notes == "- author: someone"


def test_an_entry_gives_its_item_back():
    parsed = entries(PATH, FILE)
    assert parsed.problems == []
    assert [item_from(one) for one in parsed.entries] == read(FILE)
    first = parsed.entries[0]
    assert (first.key, first.date, first.topic, first.state) == (
        "k3f9a2bc",
        "2026-01-05",
        "memory",
        "done",
    )


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ("## A\n- state: later", 2, "'later' is none of inbox, queued"),
        ("## A\n- state: merged", 2, "'merged' is none of"),
        ("## A\n- added: 2026-02-30", 2, "no date"),
        ("## A\n- tier: 6", 2, "no whole number from 1 to 5"),
        ("## A\n- kind: novel", 2, "none of blog"),
        ("## A\n- cut: perhaps", 2, "neither yes nor no"),
        ("## A\n- tier: 1\n- tier: 2", 3, "said twice"),
        ("## A\n<!-- reading:NO! -->", 2, "is no id"),
        ("##\ntext", 1, "without a title"),
        ("## A\n```\n## B", 1, "never closed"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_line(lines, line, words):
    _, problems = parse(PATH, lines)
    assert [(one.path, one.line) for one in problems] == [(PATH, line)]
    assert words in problems[0].text


@pytest.mark.parametrize(
    "hidden", ["```\n## x\n```", "~~~~\n```\n## x\n~~~~", "<!--\n## x\n-->", "<pre>\n## x\n</pre>"]
)
def test_a_heading_inside_a_fence_or_html_is_no_item(hidden):
    text = f"# T\n\n{hidden}\n\n## One\n\n{hidden}\n\n## Two\n" + f"{hidden}\n\n" * 3 + "## Three\n"
    assert [one.title for one in read(text)] == ["One", "Two", "Three"]


def test_headings_in_front_matter_and_with_other_levels_are_no_items():
    text = "---\ntopic: x\n## y\n---\n# T\n### A\n ## B\nC\n---\n## D\n# E\n"
    assert [one.title for one in read(text)] == ["D"]


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_reads_back_and_leaves_its_neighbours_alone(title):
    made = writing.fitting(Item("aaaa", title, up_to=title, feed=title, address=title))
    text = writing.with_blocks(PATH, "## Before\n\n", "memory", [writing.block(made), "## After\n"])
    before, found, after = read(text)
    assert (before.title, after.title) == ("Before", "After")
    assert (found.id, found.title, found.up_to, found.feed) == (
        "aaaa",
        writing.one_line(title),
        made.up_to,
        made.feed,
    )
    assert "\n" not in found.title


@pytest.mark.parametrize("notes", NOTES)
def test_hostile_notes_read_back_and_leave_their_neighbours_alone(notes):
    made = writing.fitting(Item("aaaa", "T", notes=notes))
    text = writing.with_blocks(PATH, "## Before\n", "memory", [writing.block(made), "## After\n"])
    before, found, after = read(text)
    assert (before.title, after.title) == ("Before", "After")
    assert found.notes == made.notes
    assert writing.tidy(made.notes) == made.notes


PIECES = [
    "## x",
    " ## x",
    "### y",
    "```",
    "~~~",
    "<!-- c",
    "-->",
    "- a",
    "  b",
    "",
    "Q: z",
    "<pre>",
]
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)
notes = st.lists(st.sampled_from(PIECES) | texts, max_size=8).map("\n".join)
dates = st.sampled_from(["", "2026-01-04", "2024-02-29"])
items = st.builds(
    Item,
    id=st.from_regex(r"[a-z2-7]{8}", fullmatch=True),
    title=texts.map(lambda text: text.strip() + "T"),
    topic=st.just("memory"),
    address=texts,
    kind=st.sampled_from(["paper", "issue"]),
    tier=st.sampled_from([None, 1, 5]),
    state=st.sampled_from(["queued", "revisit"]),
    added=dates,
    revisit=dates,
    up_to=texts,
    cut=st.booleans(),
    feed=texts,
    notes=notes,
    path=st.just(PATH),
).map(writing.fitting)


@given(items)
@settings(max_examples=60, deadline=None)
def test_an_item_written_is_the_same_when_read(item):
    text = writing.with_blocks(PATH, "", "Memory", [writing.block(item)])
    assert [replace(one, line=0, last=0) for one in read(text)] == [item]


@given(
    st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.id),
    st.data(),
    notes,
    st.sampled_from(["", "\n", "\n\n\n"]),
)
@settings(max_examples=60, deadline=None)
def test_a_change_of_one_item_leaves_all_other_lines_alone(found, data, note, gap):
    text = "# T\n\n" + gap.join(map(writing.block, found)) + gap
    one = data.draw(st.sampled_from(found))
    before, after = text.split(writing.block(one))
    for change in (
        lambda: writing.with_values(PATH, text, one.id, {"state": "done", "done": "2026-01-04"}),
        lambda: writing.with_note(PATH, text, one.id, note, "2026-01-04"),
        lambda: writing.with_question(PATH, text, one.id, note),
        lambda: writing.without(PATH, text, one.id),
    ):
        changed = change()
        assert changed.startswith(before.rstrip("\n"))
        assert changed.endswith(after.lstrip("\n"))
        others = [(each.id, each.notes) for each in read(changed) if each.id != one.id]
        assert others == [(each.id, each.notes) for each in found if each.id != one.id]


def test_fields_are_changed_where_they_stand():
    changed = writing.with_values(
        PATH, FILE, "k3f9a2bc", {"state": "revisit", "revisit": "2026-02-01", "up to": ""}
    )
    assert changed == FILE.replace("- state: done", "- state: revisit").replace(
        "- up to: section 4", "- revisit: 2026-02-01"
    )


def test_the_id_is_written_at_the_first_change_and_stays():
    id = read(FILE)[1].id
    changed = writing.with_values(PATH, FILE, id, {"state": "reading"}, title="Another title")
    assert f"## Another title\n<!-- reading:{id} -->\n- state: reading\n\n## Issue" in changed
    assert read(changed)[1].id == id


def test_fields_stay_apart_from_notes_that_follow_the_heading():
    changed = writing.with_values(PATH, "## A\nwords", read("## A\nwords")[0].id, {"tier": "2"})
    assert read(changed)[0].notes == "words"
    assert changed.endswith("- tier: 2\n\nwords")


def test_notes_of_one_day_share_its_heading():
    text = FILE
    for words, day in (("first", "2026-01-05"), ("second", "2026-01-06"), ("third", "2026-01-06")):
        text = writing.with_note(PATH, text, "k3f9a2bc", words, day)
    assert read(text)[0].notes.endswith("Q: why?\n\nfirst\n\n### 2026-01-06\n\nsecond\n\nthird")


def test_an_answer_goes_below_its_question():
    text = writing.with_question(PATH, FILE, "k3f9a2bc", "why?", "because\nof this")
    assert text == FILE.replace("Q: why?\n", "Q: why?\nA: because of this\n")
    text = writing.with_question(PATH, FILE, "k3f9a2bc", "and\nthen?")
    assert text == FILE.replace("Q: why?\n", "Q: why?\n\nQ: and then?\n")


def test_nothing_is_added_behind_a_fence_that_is_open():
    for change in (
        lambda: writing.with_note(PATH, "## A\n<!-- reading:aaaa -->\n```\n", "aaaa", "x", "2026"),
        lambda: writing.with_blocks(PATH, "## A\n```\n", "t", ["## B\n"]),
    ):
        with pytest.raises(BadInput, match=r"memory.md:1: .* never closed"):
            change()


def test_an_item_that_is_gone_or_there_twice_is_not_changed():
    with pytest.raises(NotFound, match="zzzz is no longer there"):
        writing.without(PATH, FILE, "zzzz")
    with pytest.raises(Taken, match="on lines 1 and 3"):
        writing.without(PATH, "## A\n<!-- reading:aaaa -->\n" * 2, "aaaa")


def test_the_last_item_goes_without_a_trace():
    made = writing.with_blocks(PATH, FILE, "x", ["## Last\n<!-- reading:aaaa -->\n\nnotes\n"])
    assert writing.block_of(PATH, made, "aaaa") == "## Last\n<!-- reading:aaaa -->\n\nnotes\n"
    assert writing.without(PATH, made, "aaaa") == FILE
