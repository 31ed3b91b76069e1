"""Logs that nobody wrote: no line of any text is lost, what a log says comes out again, and what
was taken in comes back the same from an export."""

import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_logs import TODAY, read

from warpbook.journal.importing import logs
from warpbook.journal.importing.clues import Asked
from warpbook.journal.journal import Journal
from warpbook.journal.sharing import log_export, marked
from warpbook.journal.sharing.log_export import Chosen
from warpbook.journal.sharing.marked import Part
from warpbook.journal.sharing.pieces import pieces, starts

LINES = (
    "## January 4",
    "### Jan 4th, 2025",
    "12/09/25 (T - 154)",
    "12/10/2025",
    "**Mar 3**",
    "## October 23 - Day 9 of GPUs",
    "## February 30",
    "12/20/2031",
    "2025",
    "# 2024",
    "Day 83/365 of CUDA",
    "151/365 of GPU programming: a title",
    "Day 22",
    "## Monday",
    "T - 12",
    "@someone",
    "Bob Warp @bob · 3h",
    "Replying to @ana",
    "12 likes",
    "4",
    "- [a](https://example.org/a) - good",
    "  - nested",
    "- a title",
    "https://example.org/c…",
    "- [ ] a plan",
    "# Reading",
    "## Memory",
    "Q: what?",
    "A: that.",
    "<!-- card:abcd -->",
    "<!-- reading:abcd -->",
    "<!-- warpbook:end -->",
    "<!-- \\warpbook:day 2025-01-01 -->",
    "```",
    "---",
    "track: x",
    "- address: x",
    "{{c1::warp}} of 32",
    "plain words, 5x over PyTorch",
    "run:E-31 and kernel:softmax",
)
NOON = datetime(2026, 1, 10, 12).astimezone()
ODD = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=12)
TEXTS = st.lists(st.sampled_from(LINES) | st.just("") | ODD, max_size=25).map("\n".join)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_every_line_goes_somewhere(text):
    read(text)


def named(day, number, first):
    return f"## {day:%B} {day.day}{f', {day.year}' if first else ''}"


STYLES = {
    "iso": lambda day, number, first: f"# {day} - Day {number}/365 of CUDA",
    "bold": lambda day, number, first: f"**{day:%b} {day.day}, {day.year}**",
    "european": lambda day, number, first: f"{day.day} {day:%B} {day.year}",
    "left": lambda day, number, first: f"{day:%m/%d/%y} (T - {(date(2025, 12, 24) - day).days})",
    "named": named,
    "counted": lambda day, number, first: f"{named(day, number, first)} - Day {number} of CUDA",
    "posts": lambda day, number, first: (f"{day}\n" if first else "") + f"Day {number}/365 of CUDA",
}


@st.composite
def written_logs(draw):
    style = draw(st.sampled_from(sorted(STYLES)))
    day = date(2024, 1, 1) + timedelta(days=draw(st.integers(0, 600)))
    number, made = draw(st.integers(1, 80)), []
    for gap in draw(st.lists(st.integers(1, 9), min_size=3, max_size=8)):
        words = draw(st.lists(st.sampled_from(["did it", "", "- one", "> two"]), max_size=3))
        made.append((day, number, "\n".join(words).strip()))
        day, number = day + timedelta(days=gap), number + gap
    if draw(st.booleans()):
        made.reverse()
    entries = [
        f"{STYLES[style](day, number, at == 0)}\n{words}\n"
        for at, (day, number, words) in enumerate(made)
    ]
    return style, made, "\n".join(entries)


@given(written_logs())
@settings(max_examples=60, deadline=None)
def test_what_a_log_says_comes_out(one):
    style, made, text = one
    found = read(text)
    assert [day.date for day in found.days] == [day for day, _, _ in made]
    if style in ("iso", "counted", "posts"):
        assert [day.day for day in found.days] == [number for _, number, _ in made]
    for day, (_, _, words) in zip(found.days, made, strict=True):
        assert day.text.endswith(words)
    assert not found.left


PARTS = st.lists(
    st.builds(
        Part,
        st.sampled_from(("day", "reading", "cards")),
        st.text(min_size=1, max_size=5),
        st.sampled_from(("", "head", "k3f9a2bc")),
        st.lists(st.sampled_from(LINES) | ODD, max_size=4).map("\n".join),
    ),
    max_size=4,
)


@given(PARTS)
@settings(max_examples=60, deadline=None)
def test_marked_texts_come_back_to_the_letter(parts):
    written = marked.written(["exported: 2026-01-10"], [("## a", part) for part in parts])
    found, outside = marked.read(written)
    assert [(p.kind, p.name, p.piece, p.text) for p in found] == [
        (p.kind, p.name, p.piece, p.text) for p in parts
    ]
    assert {one.text for one in outside} <= {"## a"}


@given(TEXTS, st.sampled_from(("reading", "cards")))
@settings(max_examples=60, deadline=None)
def test_pieces_of_a_file_are_the_file(text, kind):
    assert (
        "".join(part.text for part in pieces(kind, "memory", text, starts(kind, "memory", text)))
        == text
    )


def texts(folder):
    places = [
        path for name in ("journal", "reading", "cards") for path in (folder / name).glob("*.md")
    ]
    return {str(path.relative_to(folder)): path.read_text() for path in places}


def taken(journal, path, year):
    log = logs.read(journal, path, logs.asked_of(journal, Asked(TODAY, year=year), None))
    return logs.take_in(journal, log)


@given(st.one_of(TEXTS, written_logs().map(lambda one: one[2])))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_import_export_import(new_book, text):
    with TemporaryDirectory() as name:
        place = Path(name)
        (place / "log.md").write_text(text)
        for book in ("one", "two"):
            shutil.copytree(new_book, place / book)
        with (
            Journal.open(place / "one", now=lambda: NOON) as one,
            Journal.open(place / "two", now=lambda: NOON) as two,
        ):
            taken(one, place / "log.md", 2025)
            before = texts(place / "one")
            taken(one, place / "log.md", 2025)
            assert texts(place / "one") == before
            log_export.export(one, place / "out.md", Chosen())
            done = taken(two, place / "out.md", None)
            assert texts(place / "two") == before
            assert not done.failed
            taken(one, place / "out.md", None)
            assert texts(place / "one") == before
