"""A reference in prose shows what the book says of it now."""

import json

import pytest
from desk_of import desk_of
from kernel_book import GPU, judgement, kernel_run, measured

from warpbook.book.browse import effects
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.run import RunStatus
from warpbook.core.wording import effect
from warpbook.journal.days import figures


def found(text):
    return [reference for _, _, reference in figures.references(text)]


def shown(journal, reference):
    return figures.figure(journal.index.connection, reference)


def test_references_are_found_where_they_are_written():
    text = (
        "run:E-31 (exp:e31), run:R-57. kernel:softmax; H-3's F-7 reading:k3f9a2bc card:softmax.a1"
    )
    assert found(text) == [
        "run:E-31", "exp:E-31", "run:R-57", "kernel:softmax", "H-3", "F-7", "reading:k3f9a2bc",
        "card:softmax.a1",
    ]  # fmt: skip
    start, end, _ = figures.references("so run:E-31.")[0]
    assert (start, end) == (3, 11)


@pytest.mark.parametrize(
    "text",
    [
        "`run:E-31`", "``a ` H-3``", "```\nH-3\n```", "~~~\nH-3", "<!-- card:k3f9a2bc -->",
        "https://example.org/H-3", "run:fast", "exp:R-3", "xH-3", "H-3-4", "a/H-3", "H3",
    ],
)  # fmt: skip
def test_code_comments_and_addresses_have_none(text):
    assert found(text) == []


def test_an_experiment_has_the_effect_that_the_pages_show(journal):
    with desk_of(journal.folder) as desk:
        claim, experiment = desk.tried()
        desk.results(experiment, 0.24, 0.25, 0.27)
        with desk.book.reading() as session:
            seen = effects.measured(session, {experiment.id: "time_s"})[experiment.id]
        metric = decode(Metric, experiment.plan["metrics"][0])
    assert seen.runs == 3
    figure = shown(journal, f"run:{experiment.name}")
    assert figure.text == f"{effect(metric, seen.gain, seen.low, seen.high)}, 3 runs"
    assert figure.address == f"/experiments/{experiment.name}"
    assert shown(journal, f"exp:{experiment.name}").text == figure.text
    assert shown(journal, claim.name).text.startswith("supported, 1.29x (")


def test_noise_of_a_against_a_is_in_the_interval(journal):
    with desk_of(journal.folder) as desk:
        same = desk.experiment(change="old")
        desk.results(same, *(0.02 * (-1) ** number for number in range(9)))
        _, experiment = desk.tried()
        desk.result(experiment, 0.25)
        with desk.book.reading() as session:
            seen = effects.measured(session, {experiment.id: "time_s"})[experiment.id]
        metric = decode(Metric, experiment.plan["metrics"][0])
    assert seen.low is not None
    expected = f"{effect(metric, seen.gain, seen.low, seen.high)}, 1 run"
    assert shown(journal, f"run:{experiment.name}").text == expected


def test_a_disqualified_run_takes_those_before_it_along(journal):
    with desk_of(journal.folder) as desk:
        _, experiment = desk.tried()
        first = desk.result(experiment, 0.25)
        second = desk.ended(experiment, RunStatus.DISQUALIFIED, "change is wrong")
    assert shown(journal, f"run:{experiment.name}").text == "no valid runs yet (disqualified)"
    assert shown(journal, f"run:{first.name}").text.startswith("1.28x (")
    assert shown(journal, f"run:{first.name}").text.endswith(" in time_s")
    assert shown(journal, f"run:{second.name}").text == "disqualified: change is wrong"


def test_a_finding_has_what_it_quotes_and_says_when_it_is_stale(journal):
    with desk_of(journal.folder) as desk:
        claim, experiment = desk.tried()
        desk.results(experiment, 0.25, 0.25, 0.25)
        old = desk.book.findings.add("it is faster", [("supports", claim.name)])
        new = [("supports", claim.name), ("supersedes", old.name)]
        desk.book.findings.add("it is still faster", new)
    assert shown(journal, old.name).text.endswith(", 3 runs, stale: superseded by F-2")
    assert shown(journal, "F-2").text.startswith("1.28x")


def test_a_kernel_has_its_best_rung_of_this_book(journal):
    with desk_of(journal.folder) as desk:
        for rung, us in (("naive", 900.0), ("online", 200.0), ("fused", 400.0)):
            measured(desk.book, judgement(rung, us))
    text = shown(journal, "kernel:softmax").text
    assert text == f"online, 50% of the floor (200 us) on 8192x8192-fp32, {GPU}"


def test_runs_of_a_kernel_count_as_well(journal):
    with desk_of(journal.folder) as desk:
        kernel_run(desk, us=123.0)
    assert shown(journal, "kernel:softmax").text.startswith("online, 123 us on 1024x1024-fp32")


def test_a_kernel_that_was_not_measured_here_has_what_is_shipped(journal):
    figure = shown(journal, "kernel:softmax")
    assert "% of the floor" in figure.text
    assert "(shipped, " in figure.text
    assert figure.address == "/kernels/softmax"


@pytest.mark.parametrize(
    "reference",
    ["run:E-99", "run:R-99", "H-99", "F-99", "kernel:nothing", "reading:nothing", "card:nothing"],
)
def test_what_the_book_does_not_know_says_so(journal, reference):
    figure = shown(journal, reference)
    assert (figure.known, figure.text) == (False, "not in this book")


def test_reading_and_cards_have_their_titles(journal):
    journal.edit("reading/memory.md", lambda _: "# Memory\n\n## On tiles\n\n- state: done\n")
    journal.edit("cards/memory.md", lambda _: "Q: What is a warp?\nA: 32 threads.\n")
    connection = journal.index.connection
    rows = connection.execute("SELECT kind, key FROM journal_entries WHERE kind != 'question'")
    keys = dict(rows.fetchall())
    assert shown(journal, f"reading:{keys['reading']}").text == "On tiles, done"
    assert shown(journal, f"card:{keys['card']}").text == "What is a warp?"


def test_a_figure_is_told_once(journal):
    documents = [one.document() for one in figures.in_text(journal.index.connection, "H-3 H-3")]
    assert json.loads(json.dumps(documents)) == [
        {"reference": "H-3", "text": "not in this book", "known": False, "address": ""}
    ]


@pytest.mark.parametrize("begun", ["<!-- ", "`` ", "https://", "```\n", "H-3 "])
def test_a_text_full_of_beginnings_is_read_to_its_end(begun):
    assert found(f"{begun * 20_000}\n\nand F-7")[-1] == "F-7"
