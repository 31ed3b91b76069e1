"""The whole book as nodes and edges."""

import pytest
from book_desk import FAST, TIME, Desk

from warpbook.book.graph import graph
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan


@pytest.fixture
def full(book):
    desk = Desk(book)
    book.campaigns.add("speed")
    claim = desk.claim(campaign="speed")
    experiment = desk.experiment(claim)
    desk.results(experiment, FAST, FAST, FAST)
    desk.result(experiment, FAST, environment={"driver": "999.1"})
    book.findings.add("It is faster.", [("supports", "E-1")])
    mine = Arm("mine.py", "ab" * 32, rung="mine", text="def softmax(x): ...")
    fused = Arm("fused", "cd" * 32, rung="fused")
    book.experiments.add(Plan("kernel", "64x64", "cpu", fused, mine, (TIME,), "softmax"))
    book.campaigns.add("empty")
    return book


def triples(found):
    return {(edge["from"], edge["type"], edge["to"]) for edge in found["edges"]}


def test_everything_is_there_with_what_ties_it_together(full):
    found = graph(full)
    kinds = {node["id"]: node["kind"] for node in found["nodes"]}
    assert kinds == {
        "C-1": "campaign",
        "C-2": "campaign",
        "C-3": "campaign",
        "H-1": "hypothesis",
        "E-1": "experiment",
        "E-2": "experiment",
        "E-3": "experiment",
        "F-1": "finding",
        **dict.fromkeys(("R-1", "R-2", "R-3", "R-4"), "run"),
        "problem:softmax": "problem",
        "rung:softmax/mine.py": "rung",
        "rung:softmax/fused": "rung",
    }
    assert triples(found) == {
        ("H-1", "in", "C-2"),
        ("E-1", "in", "C-2"),
        ("E-2", "in", "C-2"),
        ("E-3", "in", "C-1"),
        ("F-1", "in", "C-2"),
        ("E-1", "tests", "H-1"),
        ("E-2", "tests", "H-1"),
        ("E-2", "repeats", "E-1"),
        ("E-3", "measures", "problem:softmax"),
        ("E-3", "baseline", "rung:softmax/fused"),
        ("E-3", "change", "rung:softmax/mine.py"),
        ("rung:softmax/fused", "in", "problem:softmax"),
        ("rung:softmax/mine.py", "in", "problem:softmax"),
        ("F-1", "supports", "E-1"),
        *((name, "of", "E-1") for name in ("R-1", "R-2", "R-3")),
        ("R-4", "of", "E-2"),
        *(("F-1", "quotes", name) for name in ("R-1", "R-2", "R-3")),
    }
    (claim,) = [node for node in found["nodes"] if node["id"] == "H-1"]
    assert (claim["text"], claim["runs"]) == ("it is faster", 1)


def test_one_campaign_has_its_own_and_what_that_points_to(full):
    speed = graph(full, "speed")
    assert {node["id"] for node in speed["nodes"]} == {
        *("C-2", "H-1", "E-1", "E-2", "F-1", "R-1", "R-2", "R-3", "R-4")
    }
    full.findings.add("Here too.", [("supports", "E-1")], campaign="inbox")
    inbox = graph(full, "inbox")
    assert {node["id"] for node in inbox["nodes"]} == {
        *("C-1", "E-3", "F-2", "E-1", "problem:softmax"),
        *("rung:softmax/fused", "rung:softmax/mine.py"),
    }
    assert ("F-2", "supports", "E-1") in triples(inbox)


def test_a_campaign_without_anything_is_itself(full):
    assert [node["id"] for node in graph(full, "empty")["nodes"]] == ["C-3"]
    with pytest.raises(BadInput, match="no campaign 'none'"):
        graph(full, "none")
