"""A day as a post: how long it is, where it is cut, what is left of Markdown, and its count."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.core.errors import BadInput
from warpbook.journal.days import days
from warpbook.journal.days.figures import Figure
from warpbook.journal.sharing import post, public
from warpbook.journal.sharing.post_cut import LIMIT, single, thread
from warpbook.journal.sharing.post_text import plain
from warpbook.journal.sharing.post_weight import clusters, weight

LONG = "https://example.org/" + "a/" * 100
WORDS = st.one_of(
    st.sampled_from(
        ["warp", "softmax.", "faster!", "日本語。", "👩‍💻", "e\u0301", "🇩🇪", "main.py", LONG]
    ),
    st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=30),
    st.text("a.z/:日\u0301👍🏽", min_size=200, max_size=400),
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n", "\n\n"])), max_size=30).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("warp", 4),
        ("e\u0301", 1),  # composed first
        ("日本", 4),
        ("👩‍👩‍👧‍👦", 2),
        ("👍🏽", 2),
        ("🇩🇪🇫🇷", 4),
        ("1\ufe0f\u20e3", 2),
        ("…", 2),
        ("“so”", 4),
        (f"see {LONG}.", 4 + 23 + 1),
        ("http://a.co", 23),
        ("main.py", 23),  # networks make a link of it
        ("1.2 x.y T.J", 11),
        ("http://localhost:8000/abc", 25),
        ("http://127.0.0.1:8000/abcdefgh", 30),  # no link there, so letter by letter
    ],
)
def test_length_as_the_network_counts(text, length):
    assert weight(text) == length


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_every_post_of_a_thread_fits_and_no_word_is_lost(text):
    posts = thread(text)
    assert all(weight(one) <= LIMIT for one in posts)
    if len(posts) > 1:
        numbers = [one.partition(" ")[0] for one in posts]
        assert numbers == [f"{at}/{len(posts)}" for at in range(1, len(posts) + 1)]
        posts = [one.partition(" ")[2] for one in posts]
    composed = thread(text, limit=10**9)[0]
    assert "".join("".join(posts).split()) == "".join(composed.split())


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_a_single_post_fits_and_is_cut_with_an_ellipsis(text):
    made = single(text)
    whole = thread(text, limit=10**9)[0]
    assert weight(made) <= LIMIT
    if weight(whole) <= LIMIT:
        assert made == whole
    else:
        assert made.endswith("…")
        assert whole.startswith(made.removesuffix("…").rstrip())


def test_an_address_is_never_cut():
    posts = thread(f"{'word ' * 50}{LONG} {LONG} {'word ' * 50}")
    assert sum(one.count(LONG) for one in posts) == 2


def test_a_character_with_its_marks_is_never_cut():
    family = "👩‍👩‍👧‍👦"
    posts = thread(family * 300)
    assert len(posts) == 3
    assert all(set(clusters(one.partition(" ")[2])) == {family} for one in posts)


def test_a_thread_is_cut_at_paragraphs_then_sentences():
    first, second = "One sentence here. " * 8, "Another of them. " * 12
    posts = thread(f"{first}\n\n{second}")
    assert posts[0] == f"1/2 {first.strip()}"
    posts = thread("A sentence that is of some length. " * 30)
    assert all(one.endswith(".") for one in posts)


def test_an_ellipsis_stands_apart_from_an_address_and_a_full_stop():
    assert single(f"{'word ' * 50}{LONG} {'word ' * 90}").endswith(f"{LONG} …")
    assert single("A sentence that is of some length. " * 30).endswith("length. …")
    assert single("word " * 100).endswith("word…")


def test_more_than_nine_posts_are_numbered_within_the_limit():
    posts = thread("word " * 800)
    assert len(posts) > 9
    assert posts[-1].startswith(f"{len(posts)}/{len(posts)} ")
    assert max(map(weight, posts)) <= LIMIT


def test_markdown_is_taken_away():
    text = (
        "# A *day*\n\n[words](https://example.org/a_b) and <https://example.org>, `x`  \nnext\n"
        "<!-- card:k3f9a2bc -->\n\n- [ ] open\n- [x] done\n  1. deep\n\n"
        "```cu\nint  a;\nint b;\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n[here](/etc/passwd)"
    )
    assert plain(text) == (
        "A day\n\nwords https://example.org/a_b and https://example.org, x\nnext\n\n"
        "☐ open\n☑ done\n1. deep\n\nint a;\nint b;\n\na | b\n1 | 2\n\nhere"
    )


def test_figures_are_filled_in_where_they_are_known_and_not_in_code():
    found = {
        "run:E-31": Figure("run:E-31", "1.30x (1.21x-1.39x), 3 runs"),
        "kernel:softmax": Figure("kernel:softmax", "online, 62.1 us"),
        "reading:k3f9a2bc": Figure("reading:k3f9a2bc", "FlashAttention, done"),
    }
    text = "At last: run:E-31. kernel:softmax, `run:E-31`, reading:k3f9a2bc, H-9"
    assert plain(text, lambda name: found.get(name, Figure(name, "not in this book", False))) == (
        "At last: 1.30x (1.21x-1.39x), 3 runs. softmax [online, 62.1 us], run:E-31, "
        "FlashAttention, H-9"
    )


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300))
def test_nothing_in_a_post_drives_a_terminal(text):
    made = plain(text)
    assert not any((c < " " and c != "\n") or c in "\x7f\x9b\u202e\u2028" for c in made)


def written(journal, text, on=date(2026, 1, 4)):
    journal.edit(days.relative(on), lambda _: text)
    return days.get(journal, on)


def test_a_post_begins_with_the_derived_count(journal):
    written(journal, "---\ntrack: gpu\n---\nfirst", date(2026, 1, 2))
    day = written(journal, "---\ntrack: [gpu, ml]\n---\n# Day 22/365 of gpu: softmax\n\nDone.")
    assert post.whole(journal, day) == ("Day 2/365 of gpu (the text says 22): softmax\n\nDone.")
    assert post.whole(journal, day, "ml").startswith("Day 1 of ml: Day 22/365 of gpu: softmax")
    with pytest.raises(BadInput, match="is of gpu, ml, not of 'cooking'"):
        post.whole(journal, day, "cooking")


def test_a_count_that_agrees_is_said_once(journal):
    day = written(journal, "---\ntrack: gpu\n---\n## Day 1 of gpu\n\nThe first.")
    assert post.whole(journal, day) == "Day 1 of gpu: The first."


def test_an_empty_day_is_its_count(journal):
    assert post.whole(journal, written(journal, "")) == "Day 1 of journal"


@pytest.mark.parametrize(
    ("front", "private"),
    [
        ("private: true", True),
        ("private: yes", True),
        ("private: [", True),  # not YAML: in doubt it is
        ("private: false", False),
        ("track: gpu", False),
    ],
)
def test_a_private_day_does_not_leave(journal, front, private):
    written(journal, f"---\n{front}\n---\nprivate: true is written in the text")
    chosen = public.newest(journal)
    assert (len(chosen.days), chosen.private) == ((0, 1) if private else (1, 0))
    if private:
        with pytest.raises(BadInput, match=r"2026-01-04\.md: the day is private"):
            public.day(journal, date(2026, 1, 4))


def test_the_newest_days_come_first_and_only_as_many_as_asked(journal):
    for number in range(1, 6):
        written(journal, f"day {number}", date(2026, 1, number))
    written(journal, "not yet", date(2026, 1, 11))
    found = public.newest(journal, limit=2).days
    assert [day.date.day for day in found] == [5, 4]
    assert len(public.newest(journal, since="2026-01-03").days) == 3
