"""A week or a month in numbers, and the draft of a day: from what the book recorded."""

import shutil
from datetime import date, datetime, timedelta

import pytest
from desk_of import desk_of
from kernel_book import judgement, kernel_run, measured

from warpbook.journal.cards import recall
from warpbook.journal.days import days
from warpbook.journal.days.draft import draft
from warpbook.journal.days.summary import span_of, summary
from warpbook.journal.journal import Journal

TODAY = date.today()  # of the real clock: that is what the log's events have


@pytest.fixture(scope="module")
def busy(new_book, tmp_path_factory):
    """A book in which something happened today."""
    folder = shutil.copytree(new_book, tmp_path_factory.mktemp("busy") / "book")
    with desk_of(folder) as desk:
        _, experiment = desk.tried("quick")
        desk.results(experiment, 0.25, 0.26, 0.27)
        desk.book.findings.add("quick is quicker", [("supports", experiment.name)])
        _, slow = desk.tried("slow")
        desk.result(slow, -0.2)
        measured(desk.book, judgement("online", 200.0))
        kernel_run(desk)
        with desk.book.writing() as write:
            write.event("commit", "abc123", "commit abc123", subject="Tune it", author="ana")
    return folder


@pytest.fixture
def journal(busy, tmp_path):
    with Journal.open(shutil.copytree(busy, tmp_path / "mine")) as opened:
        yield opened


def filled(journal):
    at = TODAY.isoformat()
    item = f"## On tiles\n<!-- reading:k3f9a2bc -->\n\n- state: done\n- done: {at}\n"
    begun = f"## On warps\n<!-- reading:m3f9a2bc -->\n\n- state: reading\n- started: {at}\n"
    journal.edit("reading/memory.md", lambda _: f"# Memory\n\n{item}\n{begun}")
    journal.edit(
        "cards/memory.md", lambda _: "Q: What is a warp?\nA: 32.\n<!-- card:k3f9a2bd -->\n"
    )
    recall.review(journal, "k3f9a2bd", 3, 2.0)


def test_a_week_is_summed_up(journal):
    filled(journal)
    days.add(journal, TODAY, "words", track="gpu", minutes=40)
    found = summary(journal, "week")
    assert found.first.weekday() == 0
    assert found.first <= TODAY <= found.last
    assert (len(found.days), found.minutes, found.by_track) == (1, 40, {"gpu": 40})
    assert found.rungs == ["softmax/online"]
    assert found.runs == {"valid": 5}
    assert [(v.reference, v.text) for v in found.verdicts] == [
        ("H-1", "supported: quick is faster")
    ]
    assert [f.reference for f in found.findings] == ["F-1"]
    assert [(r.reference, r.text) for r in found.read] == [("reading:k3f9a2bc", "On tiles")]
    assert found.reviewed == 1
    assert [gain.reference for gain in found.best] == ["run:E-3", "run:E-1"]
    assert found.best[1].figure.startswith("1.30x (")


def test_another_month_has_nothing_of_it(journal):
    found = summary(journal, "month", TODAY - timedelta(days=70))
    assert found.document()["runs"] == {}
    assert (found.verdicts, found.best, found.rungs, found.reviewed) == ([], [], [], 0)


def test_a_month_and_a_week_begin_and_end():
    assert span_of("month", date(2024, 2, 10)) == (date(2024, 2, 1), date(2024, 2, 29))
    assert span_of("week", date(2026, 1, 4)) == (date(2025, 12, 29), date(2026, 1, 4))


def test_a_draft_has_each_fact_with_its_reference(journal):
    filled(journal)
    text = draft(journal, TODAY)
    assert text.splitlines() == [
        "- run:E-1 (quick against old on small): run:R-1, run:R-2, run:R-3",
        "- run:E-2 (slow against old on small): run:R-4",
        "- run:E-3 (online against fused on softmax 1024x1024-fp32): run:R-5",
        "- H-1 became supported: quick is faster",
        "- F-1: quick is quicker",
        "- kernel:softmax by hand: judgement of online (M-1)",
        "- finished reading:k3f9a2bc: On tiles",
        "- began reading:m3f9a2bc: On warps",
        "- 1 card reviewed",
        "- commit abc123: Tune it",
    ]


def test_what_the_day_cites_already_is_left_out(journal):
    days.add(journal, TODAY, "run:R-1, run:R-2, run:R-3 and F-1; exp:E-2 H-1 M-1 in abc123")
    assert draft(journal, TODAY).splitlines() == [
        "- run:E-3 (online against fused on softmax 1024x1024-fp32): run:R-5",
    ]
    days.add(journal, TODAY, draft(journal, TODAY))
    assert draft(journal, TODAY) == ""


def test_another_day_has_nothing_to_tell(journal):
    assert draft(journal, TODAY - timedelta(days=2)) == ""


def test_a_day_goes_from_local_midnight_to_midnight(folder):
    """An event at 23:30 UTC is of the next day in Tokyo."""
    from zoneinfo import ZoneInfo

    tokyo = ZoneInfo("Asia/Tokyo")
    with desk_of(folder) as desk:
        desk.book.log.note("nothing to draft")
        with desk.book.writing() as write:
            write.event("commit", "abc123", "commit abc123", subject="Tune it")
        at = datetime.fromisoformat(desk.book.log.latest(1)[0].at)
    with Journal.open(folder, now=lambda: at.astimezone(tokyo)) as journal:
        local = at.astimezone(tokyo).date()
        assert draft(journal, local) == "- commit abc123: Tune it\n"
        assert draft(journal, local - timedelta(days=1)) == ""
