"""`warpbook try`: one line makes a claim, a prediction and an experiment, or nothing at all."""

import math

import pytest

MINE = "def double(x):\n    return x + x\n"
COMMANDS = ("--command", "fast", "--baseline", "slow", "--metric", "tokens_per_s:higher")


@pytest.fixture
def tried(say, double):
    """`try mine.py --on double` with what else is typed."""
    mine = double.write("mine.py", MINE)

    def run(*more, status=0):
        return say("try", mine, "--on", double, "--device", "cpu", *more, status=status)

    return run


def rows(book):
    return len(book.hypotheses.list()), len(book.experiments.list()), book.log.last()


def test_a_line_makes_all_three_and_shows_what_it_took(tried, book):
    said = tried("--expect", "1.2x..1.6x", "--because", "one pass less")
    assert "H-1 mine.py is faster than plain by at least 3%" in said.words
    assert "E-1 mine.py against plain, 3 runs, queued" in said.words
    assert "you expect 1.20x-1.60x (80%), and that is locked now" in said.words
    for default in ("workload 1000", "baseline plain", "least effect 3%", "belief 0.5"):
        assert default in said.words
    assert "campaign inbox" in said.words
    assert "cost 60 s a run a guess" in said.words
    assert "next: warpbook work" in said.words
    claim, experiment = book.hypotheses.get("H-1"), book.experiments.get("E-1")
    assert claim.because == "one pass less"
    assert claim.delta == pytest.approx(math.log(1.03))
    assert book.experiments.plan("E-1").change.text == MINE
    (prediction,) = book.experiments.predictions("E-1")
    assert (prediction.low, prediction.high) == pytest.approx((math.log(1.2), math.log(1.6)))
    assert prediction.locked_at
    assert experiment.state == "queued"


def test_what_was_typed_is_kept_and_is_no_default(tried, book):
    book.campaigns.add("rows")
    said = tried(
        *("--expect", "-30%..-10%", "--at-least", "5%", "--belief", "0.7", "--campaign", "rows"),
        *("--workload", "1000", "--against", "plain", "--runs", "5", "--pin", "--tag", "loads"),
    )
    assert "least effect" not in said.words
    claim, experiment = book.hypotheses.get("H-1"), book.experiments.get("E-1")
    assert claim.delta == pytest.approx(math.log(1.05))
    assert (claim.prior, claim.tags) == (0.7, ["loads"])
    assert (experiment.runs_wanted, experiment.pinned) == (5, True)
    assert book.campaigns.get("rows").id == claim.campaign_id == experiment.campaign_id


def test_json_has_the_same_in_one_document(tried):
    found = tried("--expect", "1.2x..1.6x", "--json").document
    assert found["hypothesis"]["name"] == "H-1"
    assert found["experiment"]["state"] == "queued"
    assert found["predictions"][0]["interval_text"] == "1.20x..1.60x"
    assert {default["name"] for default in found["defaults"]} >= {"baseline", "workload", "cost"}
    assert found["next"] == "warpbook work"


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ((), "--expect 1.2x..1.6x"),
        (("--expect", "1.6x..1.2x"), "upside down: write 1.2x..1.6x"),
        (("--expect", "1.2x"), "no interval"),
        (("--expect", "nanx..1.2x"), "no effect"),
        (("--expect", "0x..1.2x"), "above zero"),
        (("--expect", "1.2x..1.6x", "--at-least", "-3%"), "without a sign"),
        (("--expect", "1.2x..1.6x", "--workload", "1001"), "no workload '1001'"),
        (("--expect", "1.2x..1.6x", "--campaign", "none"), "no campaign 'none'"),
        (("--expect", "1.2x..1.6x", "--against", "R-3"), "both arms run in turns"),
        (("--expect", "1.2x..1.6x", "--for", "H-9"), "no hypothesis H-9"),
        (("--expect", "1.2x..1.6x", "--guard", "memory=2%"), "time_us alone"),
    ],
)
def test_a_mistake_leaves_nothing_behind(tried, book, typed, complaint):
    before = rows(book)
    said = tried(*typed, status=2)
    assert complaint in said.err
    assert said.out == ""
    assert rows(book) == before


def test_the_same_again_is_pointed_to_what_exists_and_adds_no_claim(tried, book):
    tried("--expect", "1.2x..1.6x")
    before = rows(book)
    said = tried("--expect", "1.3x..1.5x", status=2)
    assert "E-1 has the same two arms" in said.err
    assert "warpbook more E-1" in said.err
    assert rows(book) == before


def test_for_a_claim_that_is_there_it_only_adds_the_experiment(tried, book):
    tried("--expect", "1.2x..1.6x")
    tried("--expect", "1.1x..1.2x", "--for", "h1", "--against", "other.py", status=2)
    (book.folder.parent / "other.py").write_text("def double(x):\n    return 2 * x\n")
    said = tried("--expect", "1.1x..1.2x", "--for", "h1", "--against", "other.py")
    assert "E-2" in said.words
    assert rows(book)[:2] == (1, 2)
    said = tried("--expect", "1.1x..1.2x", "--for", "H-1", "--at-least", "5%", status=2)
    assert "H-1 says that already" in said.err


def test_a_claim_that_its_author_does_not_expect_is_remarked_on(tried):
    said = tried("--expect", "0.5x..0.8x")
    assert "falls short of the claim of H-1" in said.err
    assert "--worse" in said.err


def test_a_claim_of_harm_is_a_claim_too(tried, book):
    said = tried("--expect", "0.5x..0.8x", "--worse")
    assert said.err == ""
    assert "mine.py is slower than plain by at least 3%" in said.words
    assert book.hypotheses.get("H-1").direction == -1


def test_commands_are_tried_with_guards(say, book):
    guard = ("--guard", "accuracy:higher:difference:points=1")
    say("try", *COMMANDS, *guard, "--expect", "1.1x..1.3x", "--device", "none")
    claim, plan = book.hypotheses.get("H-1"), book.experiments.plan("E-1")
    assert claim.claim == "fast improves tokens_per_s over slow by at least 3%"
    assert claim.guards[0]["margin"] == 1
    assert [metric.name for metric in plan.metrics] == ["tokens_per_s", "accuracy"]
    assert plan.cwd == str(book.folder.parent)


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        (("--command", "fast", "--baseline", "slow"), "--metric tokens_per_s:higher"),
        ((*COMMANDS, "--guard", "accuracy"), "METRIC=MOST"),
        ((*COMMANDS, "--guard", "a=2%", "--guard", "a=3%"), "two guards on a"),
        ((*COMMANDS[:-1], "accuracy:up"), "write lower or higher"),
        ((*COMMANDS[:-1], "accuracy:higher:difference"), "is compared by difference"),
    ],
)
def test_a_command_says_what_it_lacks(say, typed, complaint):
    said = say("try", *typed, "--expect", "1.1x..1.3x", status=2)
    assert complaint in said.err


def test_a_difference_has_no_least_effect_by_default(say):
    typed = (*COMMANDS[:-1], "accuracy:higher:difference:points", "--expect", "+0.5..+1.5")
    assert "--at-least 0.5 points" in say("try", *typed, status=2).err
    assert "improves accuracy" in say("try", *typed, "--at-least", "0.5").words
