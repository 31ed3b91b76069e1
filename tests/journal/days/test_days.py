"""A day is its file: what is read of it, and what adding to it changes."""

from datetime import date

import pytest

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.days import day_text, days
from warpbook.journal.settings import JournalSettings

TODAY = date(2026, 1, 10)
PATH = "journal/2026-01-10.md"
WHOLE = """---
track: [gpu, ml]
called: 365 days of CUDA
minutes: {gpu: 60, ml: 30}
kernels: [softmax]
runs: [E-31, R-57]
reading: k3f9a2bc
---
# Day 22/365

Got 5x over PyTorch.

- [ ] next
"""


def entries(text, path=PATH):
    return days.entries(path, text, JournalSettings(track="gpu"))


def file(journal):
    return journal.path(PATH).read_text()


def write(journal, text, path=PATH):
    journal.edit(path, lambda _: text)


def test_a_day_is_parsed_whole():
    day = days.parse(PATH, WHOLE, JournalSettings())
    assert (day.tracks, day.called, day.minutes) == (("gpu", "ml"), "365 days of CUDA", 90)
    assert (day.kernels, day.runs, day.reading) == (("softmax",), ("E-31", "R-57"), ("k3f9a2bc",))
    assert [claim.day for claim in day.claimed] == [22]
    assert day.problems == ()


def test_the_index_is_told_of_the_day_its_plans_and_claims():
    found = entries(WHOLE).entries
    assert [(e.kind, e.line, e.state) for e in found] == [
        ("day", 1, ""), ("plan", 13, "open"), ("claim", 11, "unverified"),
    ]  # fmt: skip
    assert found[0].title == "Day 22/365"
    assert found[0].document["entries"] == 2
    assert found[2].key == "2026-01-10.1"


def test_an_empty_file_is_a_day(journal):
    write(journal, "")
    (entry,) = days.listed(journal)
    assert (entry.key, entry.topic, entry.document["entries"]) == ("2026-01-10", "journal", 0)


@pytest.mark.parametrize(
    ("name", "said"),
    [("2026-02-30", "'2026-02-30' is no date"), ("notes", "'notes' is no date")],
)
def test_a_name_that_is_no_date_is_told_of(name, said):
    (problem,) = entries("words", f"journal/{name}.md").problems
    assert str(problem).startswith(f"journal/{name}.md:1: {said}")


def test_front_matter_that_is_not_yaml_leaves_a_day_with_its_body(journal):
    write(journal, "---\ntrack: [gpu\nminutes: 3\n---\nwords\n")
    (problem,) = journal.index.problems()
    assert (problem.path, problem.line) == (PATH, 3)
    assert days.listed(journal)[0].title == "words"
    days.add(journal, TODAY, "more")
    assert file(journal).endswith("words\n\nmore\n")
    with pytest.raises(BadInput, match=r"journal/2026-01-10.md:3: .*; mend it first"):
        days.add(journal, TODAY, "lost?", minutes=5)
    assert "lost?" not in file(journal)


@pytest.mark.parametrize("minutes", ["soon", "-1", "1e9", "true", "{gpu: x}", ".nan", "[1]"])
def test_minutes_that_are_no_number_are_told_of_with_their_line(minutes):
    found = entries(f"---\ntrack: gpu\nminutes: {minutes}\n---\nwords\n")
    (problem,) = found.problems
    assert problem.line == 3
    assert "no number of minutes" in problem.text
    assert found.entries[0].document["minutes"] is None


def test_text_is_a_paragraph_more(journal):
    days.add(journal, TODAY, "first")
    days.add(journal, TODAY, "second\nline")
    days.add(journal, TODAY, "- an item")
    days.add(journal, TODAY, "- another")
    assert file(journal) == "first\n\nsecond\nline\n\n- an item\n- another\n"


def test_minutes_add_up_and_go_to_tracks(journal):
    days.add(journal, TODAY, "", minutes=30)
    days.add(journal, TODAY, "", minutes=12.5)
    assert file(journal) == "---\nminutes: 42.5\n---\n"
    days.add(journal, TODAY, "words", track="ml", minutes=10)
    day = days.get(journal, TODAY)
    assert day.by_track == {"journal": 42.5, "ml": 10}
    assert day.tracks == ("journal", "ml")
    days.add(journal, TODAY, "", minutes=7.5)
    assert days.get(journal, TODAY).by_track == {"journal": 50, "ml": 10}


def test_a_new_day_of_another_track_is_of_that_alone(journal):
    days.add(journal, TODAY, "words", track="ml")
    assert file(journal) == "---\ntrack: ml\n---\nwords\n"


def test_other_lines_of_the_front_matter_stay_as_they_are(journal):
    write(journal, "---\n# mine\nmood:   good   # really\nminutes: 5\n---\n\nwords\n")
    days.add(journal, TODAY, "more", minutes=5)
    assert file(journal) == (
        "---\n# mine\nmood:   good   # really\nminutes: 10\n---\n\nwords\n\nmore\n"
    )


@pytest.mark.parametrize("minutes", [-1, float("nan"), 1441])
def test_minutes_that_no_day_has_are_refused(journal, minutes):
    with pytest.raises(BadInput, match="minutes"):
        days.add(journal, TODAY, "words", minutes=minutes)
    assert not journal.path(PATH).exists()


def test_a_day_in_the_future_is_refused_and_one_on_disk_is_told_of(journal):
    with pytest.raises(BadInput, match="2026-01-11 is in the future"):
        days.add(journal, date(2026, 1, 11), "words")
    write(journal, "words\n", "journal/2026-02-01.md")
    (problem,) = days.ahead(journal)
    assert str(problem).startswith("journal/2026-02-01.md:1: 2026-02-01 is in the future")


def test_nothing_to_add_is_said(journal):
    with pytest.raises(BadInput, match="empty"):
        days.add(journal, TODAY, "  \n")
    with pytest.raises(NotFound, match="no day 2026-01-10"):
        days.get(journal, TODAY)


def test_days_are_listed_by_track_the_newest_first(journal):
    for number, track in enumerate(["gpu", "ml", "[gpu, ml]"], 1):
        write(journal, f"---\ntrack: {track}\n---\n", f"journal/2026-01-0{number}.md")
    assert [day.key[-2:] for day in days.listed(journal, "ml")] == ["03", "02"]
    assert [day.key[-2:] for day in days.listed(journal, limit=1, offset=1)] == ["02"]
    assert [day.key[-2:] for day in days.listed(journal, "gpu", limit=1, offset=1)] == ["01"]


def named(text, track, called=""):
    return day_text.with_names(PATH, text, JournalSettings(), track, called)


def test_an_imported_day_keeps_its_text_and_names():
    text = named("", "gpu", "365 days of CUDA") + "# Day 22\nwords\n"
    assert text == "---\ntrack: gpu\ncalled: 365 days of CUDA\n---\n# Day 22\nwords\n"
    both = "---\ntrack: [gpu, ml]\ncalled: 365 days of CUDA\n---\n# Day 22\nwords\n"
    assert named(text, "ml") == named(both, "gpu", "365 days of CUDA") == both
    assert named("", "journal") == "---\ntrack: journal\n---\n"
