"""Spans of the log and of the reviews, found by halving."""

import json
import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from warpbook.journal.days import happenings

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        # Here clocks go from midnight to one, and from one to midnight.
        ("Africa/Cairo", date(2026, 4, 24), 23),
        ("Africa/Cairo", date(2026, 4, 23), 24),
        ("America/Havana", date(2026, 11, 1), 25),
    ],
)
def test_a_local_day_has_23_or_25_hours_where_clocks_change(zone, day, hours, monkeypatch):
    found = happenings.span(day, day, ZoneInfo(zone))
    assert (found[1] - found[0]).total_seconds() / 3600 == hours
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        assert happenings.span(day, day, UTC) == happenings.span(day, day) == found
    time.tzset()


@pytest.fixture
def reviews(tmp_path):
    """One a minute for some days, more than one block of them."""
    path = tmp_path / "reviews.jsonl"
    lines = []
    for number in range(3000):
        at = (START + timedelta(minutes=number)).isoformat(timespec="milliseconds")
        line = {"id": f"r{number}", "card": "k3f9a2bc", "at": at, "act": "review", "rating": 3}
        lines.append(json.dumps({**line, "seconds": 1.0}))
    path.write_text("\n".join(lines) + "\n")
    assert path.stat().st_size > 3 * happenings.BLOCK
    return path


@pytest.mark.parametrize(("first", "last"), [(0, 3000), (0, 1), (1500, 1700), (2990, 4000), (5, 5)])
def test_reviews_of_a_span_are_counted_exactly(reviews, first, last):
    start, end = (START + timedelta(minutes=number) for number in (first, last))
    assert happenings.reviewed(reviews, start, end) == min(last, 3000) - first


def test_a_review_that_was_undone_does_not_count(reviews):
    at = (START + timedelta(minutes=2999, seconds=5)).isoformat(timespec="milliseconds")
    undo = {"id": "u", "card": "k3f9a2bc", "at": at, "act": "undo", "of": "r2999"}
    with open(reviews, "a") as file:
        file.write(json.dumps(undo) + "\n")
    span = START + timedelta(minutes=2990), START + timedelta(days=9)
    assert happenings.reviewed(reviews, *span) == 9


def test_no_reviews_at_all(tmp_path):
    assert happenings.reviewed(tmp_path / "none.jsonl", START, START) == 0
