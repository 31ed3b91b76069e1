"""Day N, N/365 and T - N follow from dates; what a text claims is kept beside them."""

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warpbook.journal.days import counters, days
from warpbook.journal.days.counters import Claimed, Counter
from warpbook.journal.settings import JournalSettings, Track
from warpbook.journal.texts import blocks

START = date(2025, 1, 1)


def claimed(text):
    return counters.claimed(blocks.lines(text))


@pytest.mark.parametrize(
    ("text", "day", "of", "left", "name"),
    [
        ("# Day 22/365", 22, 365, None, ""),
        ("Day 22", 22, None, None, ""),
        ("Day 83/365 of GPU programming: softmax", 83, 365, None, "GPU programming"),
        ("151/365 of CUDA", 151, 365, None, "CUDA"),
        ("12/09/25 (T - 154)", None, None, 154, ""),
        ("## T+3", None, None, -3, ""),
        ("## October 23 - Day 9 of learning Triton - tiles", 9, None, None, "learning Triton"),
        ("Day 9 of 100 days of CUDA", 9, 100, None, "100 days of CUDA"),
        ("Day 5 of 100", 5, 100, None, ""),
        ("**Day 12** of x", 12, None, None, "x"),
        ("words\n\nDay 84/365", 84, 365, None, ""),
    ],
)
def test_a_count_is_read_as_it_is_written(text, day, of, left, name):
    (found,) = claimed(text)
    assert (found.day, found.of, found.left, found.name) == (day, of, left, name)


@pytest.mark.parametrize(
    "text",
    [
        "3/4 of the tests pass",
        "12/09/25",
        "a holiday 3 years ago",
        "on day 3 of the conference",
        "words\nDay 84 in the middle of a paragraph",
        "words\n\nwe met on Day 3",
        "```\nDay 3\n```",
        "Day 3.5 hours",
        "CUT-15 and T-4x",
    ],
)
def test_what_is_no_count_is_left_alone(text):
    assert claimed(text) == []


def test_two_counts_of_one_day_are_both_kept():
    assert [c.day for c in claimed("# Day 22\nwords\n\n# Day 22\nwords\n\nDay 23/365")] == [
        22,
        22,
        23,
    ]


@settings(deadline=None)
@given(st.integers(0, 9999), st.integers(21, 9999), st.integers(-999, 999))
def test_any_numbers_are_read_back(day, of, left):
    sign = "-" if left >= 0 else "+"
    found = claimed(f"# Day {day}/{of} of it (T {sign} {abs(left)})")
    assert found == [Claimed(1, day, of, left, "it")]


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(st.integers(0, 300), st.sets(st.sampled_from("abc"), min_size=1), max_size=9)
)
def test_day_n_is_the_rank_of_its_date_on_each_track(journal, logged):
    for path in journal.folder.glob("journal/*.md"):
        path.unlink()
    for number, tracks in logged.items():
        on = START + timedelta(days=number)
        path = journal.path(days.relative(on))
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\ntrack: {sorted(tracks)}\n---\nDay 7\n")
    journal.index.refresh()
    for number, tracks in logged.items():
        day = days.get(journal, START + timedelta(days=number))
        found = counters.counters(
            journal.index.connection, journal.settings, day.date, day.tracks, day.claimed
        )
        for counter in found:
            earlier = [n for n, others in logged.items() if counter.track in others and n <= number]
            assert counter.day == len(earlier)
        assert counters.all_ranks(journal.index.connection)[day.date] == {
            counter.track: counter.day for counter in found
        }
        assert {counter.track for counter in found} == tracks
        assert day.body == "Day 7\n"


def test_of_and_the_target_come_from_the_settings(journal):
    known = JournalSettings(tracks={"gpu": Track(365, date(2026, 6, 1))})
    days.add(journal, date(2025, 12, 29), "words", track="gpu")
    (found,) = counters.counters(
        journal.index.connection, known, date(2025, 12, 29), ["gpu"], [Claimed(1, 22, None, 150)]
    )
    assert (found.day, found.of, found.left) == (1, 365, 154)
    assert counters.words(found) == (
        "Day 1 of gpu (the text says 22), 1/365, T - 154 (the text says T - 150)"
    )


def test_a_claim_that_agrees_is_not_said_twice():
    counter = Counter("gpu", 21, 365, -2, (Claimed(1, 21, 365, -2),))
    assert counters.words(counter) == "Day 21 of gpu, 21/365, T + 2"


def test_another_end_of_the_count_stands_beside_it():
    counter = Counter("gpu", 21, 100, None, (Claimed(1, 21, 365), Claimed(2, 21, 100)))
    assert counters.words(counter) == "Day 21 of gpu, 21/100 (the text says /365)"


def test_a_claim_belongs_to_the_track_it_names():
    first, second = Claimed(1, 3, name="CUDA days"), Claimed(2, 9, name="ML")
    both = [first, second, Claimed(3, 4)]
    assert counters.of_track(both, "gpu", ["gpu", "ml"], "CUDA days") == [first, both[2]]
    assert counters.of_track(both, "ml", ["gpu", "ml"], "CUDA days") == [second]
