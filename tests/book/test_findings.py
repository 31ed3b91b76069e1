"""Findings: what they quote, what they may be tied to, and when they are stale."""

import pytest
from book_desk import ACCURACY, FAST, make_plan

from warpbook.book import staleness
from warpbook.book.tables import Finding
from warpbook.core.errors import BadInput

AROUND = (FAST, FAST + 0.002, FAST - 0.002)


@pytest.fixture
def supported(desk):
    """One claim alone in its campaign, with what its runs support."""
    claim, experiment = desk.tried()
    desk.results(experiment, *AROUND)
    return claim, experiment


def tried_beside(desk, change, gain):
    claim, experiment = desk.tried(change)
    desk.results(experiment, gain, gain + 0.002, gain - 0.002)
    return claim, experiment


def confirm(book, desk, claim, experiment, *gains):
    book.experiments.confirm(claim.name)
    return desk.results(experiment, *gains)


def test_a_finding_quotes_the_runs_it_rests_on(book, supported):
    found = book.findings.add("It is faster.", [("supports", "H-1")], tags=["memory"])
    assert (found.name, found.runs, found.tags) == ("F-1", [1, 2, 3], ["memory"])
    assert found.gain == pytest.approx(FAST)
    assert found.low < FAST < found.high
    assert found.metric["name"] == "time_s"
    assert found.environment["python"]
    assert found.environment_key == book.hypotheses.get("H-1").environment_key
    assert [(link.type, link.to_kind, link.to_id) for link in book.findings.links("F-1")] == [
        ("supports", "H", 1)
    ]
    assert found.campaign_id == book.campaigns.get("inbox").id


def test_the_interval_is_of_gains_also_for_a_claim_of_loss(book, desk):
    claim = desk.claim("it costs accuracy", 0.5, ACCURACY, direction=-1)
    plan = make_plan(metrics=(ACCURACY,))
    experiment = desk.experiment(claim, plan=plan, interval=(-3.0, -1.0))
    desk.results(experiment, -2.0, -2.1, -1.9, error=0.05)
    found = book.findings.add("It costs two points.", [("supports", claim.name)])
    assert found.low < found.gain < found.high < 0


def test_an_effect_comes_from_the_newest_environment_alone(book, desk, supported):
    _, experiment = supported
    desk.results(experiment, 0.5, 0.502, 0.498, environment={"driver": "999.1"})
    found = book.findings.add("It is faster.", [("supports", "H-1")])
    assert found.gain == pytest.approx(0.5)
    assert found.runs == [4, 5, 6]
    assert found.environment["driver"] == "999.1"


def test_an_experiment_can_be_what_it_rests_on(book, desk):
    desk.results(desk.experiment(), 0.1, 0.12)
    found = book.findings.add("It may be faster.", [("supports", "E-1")])
    assert (found.gain, found.runs) == (pytest.approx(0.11), [1, 2])


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ([], "rests on runs"),
        ([("refutes", "H-1")], "H-1 is supported: no finding refutes it"),
        ([("supports", "H-9")], "no hypothesis H-9"),
        ([("supports", "R-1")], "R-1 is a run"),
        ([("supersedes", "H-1")], "supersedes a finding; H-1 is a hypothesis"),
        ([("proves", "H-1")], "no link 'proves'"),
        ([("supports", "H-1"), ("supports", "h1")], "twice"),
        ([("refines", "H-1")], "rests on runs"),
    ],
)
def test_a_link_that_makes_no_sense_is_refused(book, supported, links, said):
    with pytest.raises(BadInput, match=said):
        book.findings.add("It is faster.", links)
    assert book.findings.list() == []


def test_what_is_refuted_cannot_be_supported(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, 0.0, 0.001, -0.001)
    with pytest.raises(BadInput, match="H-1 is refuted"):
        book.findings.add("It is faster.", [("supports", claim.name)])
    assert book.findings.add("It is not.", [("refutes", claim.name)]).gain == pytest.approx(0.0)


def test_what_is_open_is_no_finding_yet(book, desk):
    claim, experiment = desk.tried()
    desk.result(experiment)
    with pytest.raises(BadInput, match=r"H-1 is open.*warpbook more H-1"):
        book.findings.add("It is faster.", [("supports", claim.name)])


def test_an_empty_statement_is_refused(book, supported):
    with pytest.raises(BadInput, match="in words"):
        book.findings.add("  ", [("supports", "H-1")])


def test_the_best_of_several_needs_three_fresh_runs_and_quotes_them_alone(book, desk):
    best, experiment = tried_beside(desk, "new", FAST)
    tried_beside(desk, "other", FAST / 2)
    with pytest.raises(BadInput, match=r"best of 2 tried.*are 0.*warpbook confirm H-1"):
        book.findings.add("It is faster.", [("supports", best.name)])
    confirm(book, desk, best, experiment, 0.20, 0.21)
    with pytest.raises(BadInput, match="are 2"):
        book.findings.add("It is faster.", [("supports", best.name)])
    desk.result(experiment, 0.22)
    found = book.findings.add("It is faster.", [("supports", best.name)])
    assert found.runs == [7, 8, 9]
    assert found.gain == pytest.approx(0.21)


def test_the_best_needs_them_also_when_linked_by_its_experiment(book, desk):
    tried_beside(desk, "new", FAST)
    tried_beside(desk, "other", FAST / 2)
    with pytest.raises(BadInput, match="H-1 of E-1 is the best of 2"):
        book.findings.add("It is faster.", [("supports", "E-1")])
    with pytest.raises(BadInput, match="H-1 is the best of 2"):
        book.findings.add("Both are.", [("supports", "H-2"), ("supports", "H-1")])


def test_one_that_is_not_the_best_is_quoted_as_found(book, desk):
    tried_beside(desk, "new", FAST)
    other, _ = tried_beside(desk, "other", FAST / 2)
    assert book.findings.add("So is it.", [("supports", other.name)]).runs == [4, 5, 6]


def test_runs_to_confirm_that_were_asked_for_before_it_was_the_best_are_not_fresh(book, desk):
    late, experiment = tried_beside(desk, "new", 0.9 * FAST)
    tried_beside(desk, "other", 0.945 * FAST)
    confirm(book, desk, late, experiment, *AROUND)
    with pytest.raises(BadInput, match=r"H-1 is the best of 2.*there are 0"):
        book.findings.add("It is faster.", [("supports", late.name)])


def test_the_best_of_what_was_explored_needs_fresh_runs_too(book, desk):
    best = desk.experiment(change="new")
    desk.results(best, FAST, FAST, FAST)
    desk.results(desk.experiment(change="other"), 0.1, 0.1, 0.1)
    with pytest.raises(BadInput, match=r"E-1 is the best of 2.*warpbook more E-1 3"):
        book.findings.add("It is faster.", [("supports", "E-1")])
    book.experiments.more("E-1", 3)
    desk.results(best, 0.2, 0.21, 0.22)
    assert book.findings.add("It is faster.", [("supports", "E-1")]).runs == [7, 8, 9]


def test_superseding_flags_the_older_one_and_withdrawing_lifts_it(book, supported):
    ground = ("supports", "H-1")
    book.findings.add("It is faster.", [ground])
    book.findings.add("It is 1.3x faster.", [ground, ("supersedes", "F-1")])
    assert book.findings.get("F-1").stale == "superseded by F-2"
    assert book.findings.rerun("F-1") == "warpbook rerun E-1"
    book.findings.withdraw("F-2")
    assert book.findings.get("F-1").stale == ""
    assert book.findings.get("F-2").state == "withdrawn"
    with pytest.raises(BadInput, match="F-2 is withdrawn"):
        book.findings.add("Again.", [ground, ("refines", "F-2")])


def test_circles_and_ties_to_itself_are_refused(book, supported):
    ground = ("supports", "H-1")
    book.findings.add("One.", [ground])
    book.findings.add("Two.", [ground, ("refines", "F-1")])
    book.findings.add("Three.", [ground, ("supersedes", "F-2")])
    with pytest.raises(BadInput, match="itself"):
        book.findings.link("F-1", "supports", "F-1")
    with pytest.raises(BadInput, match="F-3 already rests on F-1"):
        book.findings.link("F-1", "refines", "F-3")
    with pytest.raises(BadInput, match="already"):
        book.findings.link("F-2", "refines", "F-1")
    assert book.findings.link("F-1", "supports", "F-3").to_id == 3


def test_evidence_that_starts_afresh_flags_the_finding_and_keeps_what_it_quotes(
    book, desk, supported
):
    claim, experiment = supported
    before = book.findings.add("It is faster.", [("supports", claim.name)])
    desk.result(experiment, FAST, environment={"driver": "999.1"})
    after = book.findings.get("F-1")
    assert "H-1" in after.stale
    assert (after.gain, after.runs) == (before.gain, before.runs)
    assert [event.subject for event in book.log.list(kind="finding.stale")] == ["F-1"]


def test_a_verdict_that_falls_because_the_campaign_grew_flags_the_finding(book, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, FAST, FAST + 0.1, FAST - 0.1, FAST, FAST)
    book.findings.add("It is faster.", [("supports", claim.name)])
    for number in range(10):
        desk.claim(f"idle claim {number}")
    assert book.hypotheses.get(claim.name).verdict == "open"
    assert "H-1 was supported and is open: the campaign grew" in book.findings.get("F-1").stale


def test_one_that_is_decided_at_last_flags_nothing(book, desk):
    claim, experiment = desk.tried()
    desk.result(experiment)
    book.findings.add("It looks faster.", [("supports", experiment.name)])
    desk.results(experiment, *AROUND[1:])
    assert book.hypotheses.get(claim.name).verdict == "supported"
    assert book.findings.get("F-1").stale == ""


def test_a_flag_is_told_once(book, supported):
    book.findings.add("It is faster.", [("supports", "H-1")])
    with book.writing() as write:
        for _ in range(2):
            staleness.flag(write, [write.session.get_one(Finding, 1)], "a reason")
    assert len(book.log.list(kind="finding.stale")) == 1


def test_findings_are_listed_newest_first_and_searched(book, supported):
    for statement in ("It is 100% faster.", "It is not slower."):
        book.findings.add(statement, [("supports", "H-1")])
    assert [found.name for found in book.findings.list()] == ["F-2", "F-1"]
    assert [found.name for found in book.findings.list(search="100%")] == ["F-1"]
    assert book.findings.list(campaign="inbox", limit=1, offset=1)[0].name == "F-1"
    with pytest.raises(BadInput, match="no finding F-9"):
        book.findings.get("F-9")
