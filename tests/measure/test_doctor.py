"""The doctor on the CPU: every cheat is beaten, every control accepted, every mutant rejected."""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.measure import doctor, timing, watch
from warpbook.measure.doctor import (
    Exhibit,
    Ward,
    examine_all,
    exhibits,
    faster,
    mutants_row,
    problem_folders,
    run_doctor,
)
from warpbook.measure.judge import Judge
from warpbook.measure.timing import Patience

THREAT_MODEL = Path(__file__).parents[2] / "docs" / "threat-model.md"
CHEATS = [e for e in exhibits("cheat") if e.runs_on("cpu")]
CONTROLS = [e for e in exhibits("control") if e.runs_on("cpu")]


@pytest.fixture(scope="module")
def ward(one_thread):
    """Times of a few rounds each, and a busy machine is fine: what is shown is not how fast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch, "CROWDED", 2.0)
        patch.setitem(timing.PATIENCE, "cpu", Patience(timing.LEAST_KEPT, 0.0))
        with Judge("cpu", limit_s=120) as judge:
            yield Ward(judge)


@pytest.fixture
def uneven_pace(monkeypatch):
    """The harness may cost ten times what it is allowed, as on a machine whose pace changes: a
    millisecond, where a lie about a whole call is four."""
    allowed = {returns: 10 * us for returns, us in timing.HARNESS_US["cpu"].items()}
    monkeypatch.setitem(timing.HARNESS_US, "cpu", allowed)


@pytest.mark.parametrize("exhibit", CONTROLS, ids=lambda e: e.name)
@pytest.mark.usefixtures("uneven_pace")
def test_an_honest_control_is_accepted(ward, exhibit):
    row = ward.examine(exhibit)
    assert row.word in ("accepted", "n/a"), row
    assert row.beaten is not None or exhibit.may_be_skipped


@pytest.mark.parametrize("exhibit", CHEATS, ids=lambda e: e.name)
def test_a_cheat_is_beaten(ward, exhibit):
    row = ward.examine(exhibit)
    assert row.word in ("beaten", "n/a"), row
    assert row.beaten is not None or exhibit.may_be_skipped


@pytest.mark.parametrize("folder", problem_folders(), ids=lambda f: f.name)
def test_every_mutant_of_a_problem_is_rejected(folder):
    assert mutants_row(folder, "cpu").beaten


def test_a_cheat_for_a_gpu_does_not_apply_to_a_cpu(ward):
    row = ward.examine(next(e for e in exhibits("cheat") if e.name == "side_stream"))
    assert row.beaten is None
    assert row.word == "n/a"
    assert "cpu" in row.why


@pytest.mark.usefixtures("any_pace")
def test_a_cheat_that_is_believed_is_reported(ward, tmp_path, monkeypatch):
    """An honest rung set against a far slower control looks just like a cheat that worked."""
    monkeypatch.setattr(doctor, "REMATCHES", 0)
    honest = "from warpbook.measure.corpus.plain import normalise as plain\n"
    (tmp_path / "slow.py").write_text(
        f"{honest}def normalise(x, out=None):\n    for _ in range(20): plain(x, out)\n"
    )
    quick = tmp_path / "quick.py"
    quick.write_text(
        f"CONTROL = {str(tmp_path / 'slow')!r}\n"
        f"{honest}def normalise(x, out=None):\n    return plain(x, out)\n"
    )
    row = ward.examine(Exhibit("cheat", quick))
    assert row.beaten is False
    assert row.word == "slipped through"


def test_a_control_that_is_not_accepted_is_reported(ward, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def normalise(x, out=None):\n    return out.zero_()\n")
    row = ward.examine(Exhibit("control", wrong))
    assert row.beaten is False
    assert row.word == "refused"
    assert row.judged == "wrong"


def test_one_row_can_be_asked_for(ward):
    (row,) = examine_all(ward.judge, "zeros")
    assert (row.kind, row.name, row.beaten) == ("cheat", "zeros", True)


def test_a_name_that_the_doctor_does_not_know_is_an_error():
    with pytest.raises(BadInput, match="no cheat, control or problem 'nonesuch'"):
        run_doctor("cpu", only="nonesuch")


def judged(median_us, call_us):
    device = Timing(median_us, median_us, median_us, median_us - 1, median_us + 1, (median_us,))
    call = Timing(call_us, call_us, call_us, call_us - 1, call_us + 1, (call_us,))
    outcome = Outcome("w", Status.CORRECT, device=device, call=call)
    return Judgement("p", "r", "cuda", Status.CORRECT, "", (outcome,), "")


@pytest.mark.parametrize(
    ("device_us", "call_us", "expected"),
    [(10, 50, False), (9.5, 49.5, False), (8, 50, True), (10, 40, True), (20, 80, False)],
)
def test_faster_means_below_the_interval_on_either_clock(device_us, call_us, expected):
    assert faster(judged(device_us, call_us), judged(10, 50)) is expected


REFUSED = Judgement("p", "r", "cpu", Status.SUSPECT, "took longer", (), "")


@pytest.mark.parametrize(
    ("cheats", "controls", "beaten"),
    [
        ([8, 8, 10], [10, 10, 10], True),
        ([8, 8, 8, 8, 8, 8], [10] * 6, False),
        ([8, 8, REFUSED], [10, 10, 10], True),
        ([10, 10], [REFUSED, 10], True),
        ([10] * 6, [REFUSED] * 6, False),
    ],
)
def test_a_cheat_that_looks_faster_is_judged_again_beside_its_control(
    monkeypatch, cheats, controls, beaten
):
    ward = Ward(SimpleNamespace(device="cpu"))
    drawn = {"cheat": iter(cheats), "control": iter(controls)}

    def judgement(exhibit):
        us = next(drawn[exhibit.kind])
        return us if us is REFUSED else judged(us, us)

    monkeypatch.setattr(ward, "judgement", judgement)
    assert ward.examine(CHEATS[0]).beaten is beaten
    assert [list(left) for left in drawn.values()] == [[], []]


def test_every_cheat_says_what_it_tries_and_has_a_row_in_the_threat_model():
    page = THREAT_MODEL.read_text()
    names = [e.name for e in exhibits("cheat")]
    assert len(names) >= 26
    for exhibit in exhibits("cheat"):
        title, idea = described(exhibit.path)
        assert f"| `{exhibit.name}` | {title} |" in page
        assert idea
    assert page.count("\n| `") == len(names)


def described(path):
    title, _, idea = ast.get_docstring(ast.parse(path.read_text())).partition("\n")
    return title, idea.strip()


@pytest.mark.gpu
def test_every_cheat_is_beaten_and_every_control_accepted_on_a_gpu():
    rows = run_doctor("cuda")
    assert [row for row in rows if row.beaten is False] == []
    assert sum(row.beaten is True for row in rows) > len(CHEATS)
