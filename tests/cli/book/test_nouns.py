"""Campaigns, hypotheses, experiments, runs and findings, as they are listed and shown."""

import math

import pytest
from book_desk import DELTA, FAST, make_plan

from warpbook.core.run import RunStatus

HUGE = "claim \x1b[2J\u202e that drives the terminal"


def shown_ids(said):
    return [line.split()[0] for line in said.out.splitlines()[1:] if "-" in line.split()[0]]


def test_a_campaign_is_made_with_all_its_fields_and_shown(say, book):
    said = say(
        *("campaign", "add", "decode", "--goal", "twice as fast", "--aim", "2x", "--time", "2h"),
        *("--metric", "tokens_per_s:higher", "--workload", "llama", "--device", "cuda"),
        *("--money", "20"),
    )
    for words in ("decode: active", "twice as fast", "aims at 2.00x", "budget 2 h, 20.00 USD"):
        assert words in said.words
    assert book.campaigns.get("decode").goal_gain == pytest.approx(math.log(2))
    assert "decode" in say("campaign", "list").words
    assert say("campaign", "show", "decode", "--json").document["budget_s"] == 7200


def test_a_budget_that_is_not_given_stays(say, book):
    say("campaign", "add", "decode", "--time", "2h", "--money", "20")
    say("campaign", "budget", "decode", "--time", "none")
    found = book.campaigns.get("decode")
    assert (found.budget_s, found.budget_money) == (None, 20)
    assert "no sum" in say("campaign", "budget", "decode", "--money", "nan", status=2).err
    assert "which budget" in say("campaign", "budget", "decode", status=2).err


def test_a_campaign_is_stopped_resumed_and_archived(say, book):
    for verb, state in (("stop", "stopped"), ("resume", "active"), ("archive", "archived")):
        assert f"inbox: {state}" in say("campaign", verb, "inbox").words
        assert book.campaigns.get("inbox").state == state


def test_a_hypothesis_is_made_with_all_its_fields(say, book):
    say("campaign", "add", "eval", "--metric", "accuracy:higher:difference:points")
    said = say(
        *("hypothesis", "add", "longer prompts help", "--campaign", "eval", "--at-least", "0.5"),
        *("--guard", "seconds=10%", "--because", "more context", "--belief", "0.3", "--tag", "t"),
    )
    assert "accuracy gets better by at least 0.5 points" in said.words
    assert "guard seconds gets worse by at most 10%" in said.words
    assert "belief 0.30, 0.30 beforehand" in said.words
    assert "--for H-1" in said.words
    assert book.hypotheses.get("H-1").tags == ["t"]


def test_lists_are_pages_with_the_newest_first(say, desk):
    for number in range(5):
        desk.tried(f"change{number}")
    for noun, letter in (("hypothesis", "H"), ("experiment", "E")):
        said = say(noun, "list", "--limit", "2", "--offset", "1")
        assert shown_ids(said) == [f"{letter}-4", f"{letter}-3"]
        assert "more with --offset 3" in said.words
        documents = say(noun, "list", "--limit", "2", "--offset", "1", "--json").document
        assert [one["name"] for one in documents] == [f"{letter}-4", f"{letter}-3"]
        assert shown_ids(say(noun, "list", "--search", "change2")) == [f"{letter}-3"]


def test_an_open_claim_says_what_it_would_take(say, desk):
    _, experiment = desk.tried()
    desk.results(experiment, FAST, FAST * 1.02)
    said = say("hypothesis", "show", "H-1")
    assert "open; needs about 1 more run to decide; E-1 is queued: warpbook work" in said.words
    assert "t-based: 0 of 8 A-against-A runs" in said.words
    desk.book.experiments.cancel("E-1")
    assert (
        "needs about 1 more run to decide: warpbook more H-1"
        in say("hypothesis", "show", "H-1").words
    )


def test_a_claim_that_runs_would_not_decide_offers_none(say, desk):
    _, experiment = desk.tried()
    desk.results(experiment, DELTA - 0.03, DELTA, DELTA + 0.03)
    said = say("hypothesis", "show", "H-1")
    assert "too close to its least effect" in said.words
    assert "warpbook more" not in said.words


def test_a_decided_claim_shows_effect_evidence_and_prediction(say, desk):
    _, experiment = desk.tried()
    desk.results(experiment, 0.26, 0.27, 0.25)
    said = say("hypothesis", "show", "h1")
    assert "supported; decided with 3 runs" in said.words
    assert "effect 1.30x (1.2" in said.words
    assert ":1 for" in said.words
    assert "1.22x-1.35x hit" in said.words
    assert "expected again 1.30x" in said.words
    assert [line.split()[0] for line in said.out.splitlines() if line.startswith("R-")] == [
        "R-1",
        "R-2",
        "R-3",
    ]
    assert "supported 1.30x (1.2" in say("hypothesis", "list", "--verdict", "supported").words
    document = say("hypothesis", "show", "h1", "--json").document
    assert document["hypothesis"]["verdict"] == "supported"
    assert document["hypothesis"]["effect_text"] == "1.30x"


def test_a_stale_claim_shows_the_command_that_measures_again(say, desk):
    claim, experiment = desk.tried()
    desk.results(experiment, 0.26, 0.27, 0.25)
    with desk.book.writing() as write:
        row = write.session.get_one(type(claim), claim.id)
        row.stale = "the driver is another"
    said = say("hypothesis", "show", "h1")
    assert "supported, stale" in said.words
    assert "the driver is another: warpbook rerun E-1" in said.words


def test_a_withdrawn_claim_says_so_once(say, desk):
    desk.tried()
    said = say("hypothesis", "withdraw", "H-1")
    assert said.words.count("withdrawn") == 1
    assert "E-1" in said.words
    assert "moot" in said.words


def test_an_experiment_is_a_draft_until_it_is_queued(say, book):
    say("hypothesis", "add", "faster", "--metric", "seconds")
    said = say(
        *("experiment", "add", "--command", "b", "--baseline", "a", "--device", "none", "--draft"),
        *("--for", "H-1=1.2x..1.6x", "--title", "a trial", "--runs", "4", "--priority", "2"),
    )
    assert "E-1 a trial" in said.words
    assert "state draft" in said.words
    assert "not yet" in said.words
    say("experiment", "predict", "E-1", "H-1", "1.1x..1.3x")
    said = say("experiment", "queue", "E-1")
    assert "state queued" in said.words
    assert "1.10x-1.30x" in said.words
    refused = say("experiment", "predict", "E-1", "H-1", "1.0x..1.1x", status=2)
    assert "is locked since" in refused.err
    assert (
        "for no hypothesis"
        in say(
            *("experiment", "add", "--command", "c", "--baseline", "a", "--metric", "seconds"),
            *("--device", "none"),
        ).words
    )


@pytest.mark.parametrize("interval", ["H-1", "H-1=1.3x..1.1x", "H-2=1.1x..1.2x"])
def test_an_experiment_needs_predictions_that_make_sense(say, book, interval):
    say("hypothesis", "add", "faster", "--metric", "seconds")
    arms = ("--command", "b", "--baseline", "a", "--device", "none")
    say("experiment", "add", *arms, "--for", interval, status=2)
    assert book.experiments.list() == []


def test_the_place_in_the_queue_is_changed(say, desk, book):
    desk.tried()
    assert "pinned" in say("experiment", "pin", "E-1").words
    assert "pinned" not in say("experiment", "unpin", "E-1").words
    assert "priority 5" in say("experiment", "priority", "E-1", "5").words
    assert "cancelled" in say("experiment", "cancel", "E-1").words
    assert book.queue.order() == []


def test_a_run_shows_its_samples_and_where_it_was_made(say, desk):
    _, experiment = desk.tried()
    desk.result(experiment, 0.26)
    said = say("run", "show", "R-1")
    assert "R-1 of E-1: valid" in said.words
    assert "time_s in s: 1.30x" in said.words
    assert "10.0 10.0" in said.words
    document = say("run", "show", "r1", "--json").document
    assert len(document["receipt"]["metrics"][0]["change"]) == 8
    assert "1.30x" in say("run", "list", "--experiment", "E-1").words


def test_a_disqualified_run_says_why_and_scores_nothing(say, desk):
    _, experiment = desk.tried()
    desk.ended(experiment, RunStatus.DISQUALIFIED, "the change is wrong")
    assert "the change is wrong" in say("run", "show", "R-1").words
    said = say("experiment", "show", "E-1")
    assert "state disqualified" in said.words
    assert "not scored" in said.words


def test_more_runs_are_queued_by_one_command(say, desk, book):
    _, experiment = desk.tried()
    desk.results(experiment, 0.26, 0.27, 0.25)
    assert "0 of 8 runs made" in say("noise", "E-1").words
    assert "3 of 5 runs made" in say("more", "E-1", "--runs", "2").words
    assert say("confirm", "H-1", "--json").document["runs_wanted"] == 6
    assert "no open hypothesis" in say("more", "H-1", status=2).err
    say("experiment", "cancel", "E-1")
    assert "queued" in say("rerun", "E-1").words


def test_a_finding_is_tied_to_what_it_rests_on(say, desk):
    _, experiment = desk.tried()
    desk.results(experiment, 0.26, 0.27, 0.25)
    said = say("finding", "add", "it pays", "--supports", "H-1", "--tag", "t")
    for words in ("F-1 it pays", "effect 1.30x", "R-1, R-2, R-3", "supports H-1", "why F-1"):
        assert words in said.words
    say("finding", "add", "it pays much", "--supports", "E-1", "--supersedes", "F-1")
    said = say("finding", "show", "F-1")
    assert "stale superseded by F-2; measure again: warpbook rerun E-1" in said.words
    assert shown_ids(say("finding", "list")) == ["F-2", "F-1"]
    assert "refines F-1" in say("finding", "link", "F-2", "refines", "F-1").words
    assert "withdrawn" in say("finding", "withdraw", "F-2").words
    assert "rests on runs" in say("finding", "add", "just so", status=2).err


def test_no_text_of_the_book_drives_the_terminal(say, desk):
    claim = desk.claim(HUGE)
    desk.experiment(claim, plan=make_plan(HUGE), title=HUGE)
    say("note", HUGE)
    views = ("hypothesis show H-1", "hypothesis list", "experiment show E-1", "experiment list")
    for view in (*views, "queue", "log", "campaign list"):
        said = say(*view.split())
        assert not {"\x1b", "\u202e"} & set(said.out + said.err), view
    assert r"\x1b[2J\u202e" in say("hypothesis", "show", "H-1").out
