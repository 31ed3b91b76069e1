"""Measured claims are found in prose, and linked to a run by a reference on their line."""

from datetime import date

import pytest
from desk_of import desk_of

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.days import claims, days
from warpbook.journal.texts import blocks

PATH = "journal/2026-01-10.md"


def found(text):
    return [claim.text for claim in claims.found(blocks.lines(text))]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("Got 5x over PyTorch today.", "5x over PyTorch"),
        ("I am in the 90.7 percentile", "90.7 percentile"),
        ("the 90.7th percentile", "90.7th percentile"),
        ("at 82% of cuBLAS.", "82% of cuBLAS"),
        ("takes 12.3 us now", "12.3 us"),
        ("650 TFLOP/s", "650 TFLOP/s"),
        ("1.2 TB/s, finally", "1.2 TB/s"),
        ("900 GFLOPS", "900 GFLOPS"),
        ("~1.5x faster than torch", "~1.5x faster than torch"),
        ("# 3.2x speedup", "3.2x speedup"),
        ("12,345 tok/s", "12,345 tok/s"),
        ("- 80% occupancy", "80% occupancy"),
    ],
)
def test_a_measured_claim_is_found(text, figure):
    assert found(text) == [figure]


@pytest.mark.parametrize(
    "text",
    [
        "a 4x4 tile of 16x16", "Day 83/365", "12 minutes", "100% of the time", "v1.2x",
        "https://example.org/5x", "`code`", "```\n5x over PyTorch\n```", "tomorrow: get 2x",
        "- [ ] 2x over torch", "Q: How fast?\nA: 3.35 TB/s", "<!-- 5x over torch -->",
    ],
)  # fmt: skip
def test_what_says_nothing_measured_is_none(text):
    assert found(text) == []


def test_before_a_plan_in_the_same_line_there_may_be_one():
    assert found("Got 5x over torch. tomorrow: get 7x over torch") == ["5x over torch"]


def test_two_on_one_line_are_two():
    assert found("5x over torch, and 82% of cuBLAS") == ["5x over torch", "82% of cuBLAS"]


def test_linking_cites_the_run_on_its_line(journal):
    with desk_of(journal.folder) as desk:
        _, experiment = desk.tried()
        run = desk.start(experiment)
    days.add(journal, date(2026, 1, 10), "words\n\nGot 5x over torch.\nmore")
    (claim,) = claims.listed(journal)
    assert (claim.key, claim.state) == ("2026-01-10.1", "unverified")
    linked = claims.link(journal, claim.key, "r1")
    assert (linked.state, linked.document["references"]) == ("linked", [f"run:{run.name}"])
    text = "words\n\nGot 5x over torch. (run:R-1)\nmore\n"
    assert journal.path(PATH).read_text() == text
    claims.link(journal, claim.key, "run:R-1")
    assert journal.path(PATH).read_text() == text
    assert claims.listed(journal, "unverified") == []


def test_a_plan_in_the_same_line_stays_as_it_is(journal):
    with desk_of(journal.folder) as desk:
        desk.tried()
    days.add(journal, date(2026, 1, 10), "Got 5x over torch. tomorrow: more")
    assert claims.link(journal, "2026-01-10.1", "E-1").state == "linked"
    assert journal.path(PATH).read_text() == "Got 5x over torch (run:E-1). tomorrow: more\n"


def test_only_what_the_book_has_can_be_cited(journal):
    days.add(journal, date(2026, 1, 10), "5x over torch")
    with pytest.raises(NotFound, match="run:E-9: not in this book"):
        claims.link(journal, "2026-01-10.1", "E-9")
    with pytest.raises(BadInput, match="no run or experiment"):
        claims.link(journal, "2026-01-10.1", "H-3")
    with pytest.raises(NotFound, match="no claim"):
        claims.link(journal, "2026-01-10.2", "E-9")
    assert journal.path(PATH).read_text() == "5x over torch\n"


def test_a_line_that_moved_meanwhile_is_still_found(journal):
    with desk_of(journal.folder) as desk:
        _, experiment = desk.tried()
    days.add(journal, date(2026, 1, 10), "5x over torch")
    journal.path(PATH).write_text("new first line\n\n5x over torch\n")
    claims.link(journal, "2026-01-10.1", experiment.name)
    assert journal.path(PATH).read_text() == "new first line\n\n5x over torch (run:E-1)\n"


def test_a_line_that_is_gone_is_said(journal):
    with desk_of(journal.folder) as desk:
        desk.tried()
    days.add(journal, date(2026, 1, 10), "5x over torch")
    journal.path(PATH).write_text("other words\n")
    with pytest.raises(BadInput, match=r"journal/2026-01-10.md:1: the line has changed"):
        claims.link(journal, "2026-01-10.1", "E-1")
    assert journal.path(PATH).read_text() == "other words\n"
