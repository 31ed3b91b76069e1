"""From a claim down to the samples."""

import json

import pytest
from book_desk import ACCURACY, FAST, TIME, make_plan

from warpbook.book.why import why
from warpbook.core.errors import BadInput
from warpbook.core.run import RunStatus


@pytest.fixture
def full(book, desk):
    claim = desk.claim(guards=[(ACCURACY, 0.5)])
    experiment = desk.experiment(claim, plan=make_plan(metrics=(TIME, ACCURACY)))
    for gain in (FAST, FAST + 0.002, FAST - 0.002):
        desk.result(experiment, gain, gains={"accuracy": 0.0})
    book.findings.add("It is faster.", [("supports", "H-1")])
    book.findings.add("It is 1.3x faster.", [("supports", "H-1"), ("supersedes", "F-1")])
    return book


def test_a_finding_is_walked_down_to_both_arms_samples(full):
    tree = why(full, "F-2")
    assert (tree["effect_text"], tree["n"], tree["runs"]) == ("1.30x", 3, ["R-1", "R-2", "R-3"])
    hypothesis, older = tree["below"]
    assert (hypothesis["link"], hypothesis["verdict"]) == ("supports", "supported")
    assert (older["link"], older["stale"]) == ("supersedes", "superseded by F-2")
    assert older["rerun"] == "warpbook rerun E-1"
    (experiment,) = hypothesis["below"]
    assert experiment["baseline"]["command"] == "echo old"
    assert experiment["prediction"]["locked_at"]
    runs = experiment["below"]
    assert [run["name"] for run in runs] == ["R-1", "R-2", "R-3"]
    assert all(run["quoted"] for run in runs)
    time, accuracy = runs[0]["metrics"]
    assert time["baseline"] == [10.0] * 8
    assert len(time["change"]) == 8
    assert time["effect_text"] == "1.30x"
    assert accuracy["metric"]["name"] == "accuracy"
    assert runs[0]["environment"]["python"]
    json.dumps(tree, allow_nan=False)


def test_the_receipt_is_named_and_held_against_the_record(full):
    run = why(full, "R-1")
    path = full.folder / "runs" / "R-1" / "receipt.json"
    assert run["receipt"] == {
        "path": str(path),
        "sha256": full.runs.get("R-1").receipt_sha256,
        "problems": [],
    }
    path.write_text(path.read_text() + "\n")
    assert why(full, "R-1")["receipt"]["problems"] == [
        "its receipt is not the one that was recorded: its hash is another"
    ]
    path.unlink()
    gone = why(full, "r1")
    assert (gone["metrics"], gone["receipt"]["path"]) == ([], None)


def test_each_kind_of_claim_can_be_asked_about(full, desk):
    desk.result(
        full.experiments.get("E-1"),
        status=RunStatus.DISQUALIFIED,
        reason="change: wrong",
        gains={"accuracy": 0.0},
    )
    assert why(full, "H-1")["below"][0]["name"] == "E-1"
    assert why(full, "E-1")["below"][-1]["text"] == "change: wrong"
    with pytest.raises(BadInput, match="no claim"):
        why(full, "C-1")
    with pytest.raises(BadInput, match="no finding F-9"):
        why(full, "F-9")


def test_findings_that_speak_of_each_other_end(full):
    full.findings.link("F-1", "supports", "F-2")
    tree = why(full, "F-2")
    _, older = tree["below"]
    repeated = [node for node in older["below"] if node.get("shown_above")]
    assert {node["name"] for node in repeated} == {"H-1", "F-2"}
