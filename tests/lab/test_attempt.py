"""An attempt from Python: one call makes a claim, a prediction and an experiment, or nothing."""

import math
import subprocess
import sys

import pytest

from warpbook.core.errors import BadInput
from warpbook.lab.attempt import attempt
from warpbook.lab.experiment import add_experiment
from warpbook.lab.plans import Asked

MINE = "def double(x):\n    return x + x\n"
COMMANDS = {"command": "fast", "baseline": "slow", "metric": "tokens_per_s:higher"}


@pytest.fixture
def mine(double):
    return double.write("mine.py", MINE)


def counts(book):
    return len(book.hypotheses.list()), len(book.experiments.list()), book.log.last()


def test_a_call_makes_all_three_and_tells_what_it_took(book, double, mine):
    made = attempt(book, mine, on=double.path, expect="1.2x..1.6x", because="less", device="cpu")
    assert made.hypothesis.claim == f"mine.py is faster than plain by at least 3%, on {double} 1000"
    assert made.hypothesis.because == "less"
    assert (made.experiment.name, made.experiment.state) == ("E-1", "queued")
    assert made.plan == book.experiments.plan("E-1")
    assert made.interval == pytest.approx((math.log(1.2), math.log(1.6)))
    taken = {default.name: default.value for default in made.defaults}
    assert taken.items() >= {"baseline": "plain", "workload": "1000", "campaign": "inbox"}.items()
    assert made.misgivings == []


def test_a_mistake_leaves_nothing_behind(book, mine, double):
    before = counts(book)
    for wrong in ({"expect": "1.6x..1.2x"}, {"campaign": "none"}, {"runs": 0}, {"against": "R-3"}):
        with pytest.raises(BadInput):
            attempt(book, mine, **{"on": str(double), "device": "cpu", "expect": "1x..2x"} | wrong)
    assert counts(book) == before


def test_one_guard_may_be_one_text(book):
    guard = "accuracy:higher:difference:points=1"
    made = attempt(book, **COMMANDS, expect="1.1x..1.3x", guards=guard, tags="io", device="none")
    assert [metric.name for metric in made.plan.metrics] == ["tokens_per_s", "accuracy"]
    assert made.hypothesis.tags == ["io"]


def test_a_claim_that_is_there_gets_another_experiment(book):
    first = attempt(book, **COMMANDS, expect="1.1x..1.3x", device="none")
    name = first.hypothesis.name
    arms = {"command": "faster", "baseline": "slow", "device": "none"}
    second = attempt(book, **arms, expect="1.1x..1.3x", hypothesis=name)
    assert second.hypothesis.name == name
    assert counts(book)[:2] == (1, 2)
    with pytest.raises(BadInput, match="H-1 says that already"):
        attempt(book, **arms, expect="1.1x..1.3x", hypothesis=name, at_least="5%")


def test_a_claim_that_its_author_does_not_expect_is_remarked_on(book):
    made = attempt(book, **COMMANDS, expect="0.5x..0.8x", device="none")
    assert "falls short of the claim of H-1" in made.misgivings[0]


def test_a_script_that_was_edited_is_no_duplicate(book, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "train.py"
    script.write_text("steps = 1\n")
    asked = COMMANDS | {"command": "python train.py", "device": "none", "expect": "1.1x..1.3x"}
    first = attempt(book, **asked)
    with pytest.raises(BadInput, match="E-1 has the same two arms"):
        attempt(book, **asked)
    script.write_text("steps = 2\n")
    second = attempt(book, **asked)
    assert second.plan.change.command == first.plan.change.command
    assert second.plan.change.sha256 != first.plan.change.sha256


def test_an_experiment_takes_its_metrics_from_the_claims_it_is_for(book):
    attempt(book, **COMMANDS, expect="1.1x..1.3x", device="none", guards="memory=2%")
    asked = Asked(command="other", baseline="slow", device="none")
    made = add_experiment(book, asked, [("h1", "1.2x..1.4x")])
    assert [metric.name for metric in made.plan.metrics] == ["tokens_per_s", "memory"]
    with pytest.raises(BadInput, match="H-1 is predicted twice"):
        add_experiment(book, asked, [("h1", "1.2x..1.4x"), ("H-1", "1.2x..1.4x")])
    with pytest.raises(BadInput, match="which of what the command prints"):
        add_experiment(book, asked)


def test_it_needs_neither_torch_nor_what_measures():
    code = (
        "import sys, warpbook.lab.attempt, warpbook.lab.experiment\n"
        "unwanted = ('torch', 'warpbook.measure', 'warpbook.cli')\n"
        "print([name for name in sys.modules if name.startswith(unwanted)])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
