"""Tables in pages, from receipts of rungs that exist and times that were made up."""

from dataclasses import replace

import pytest

from warpbook.cli.tables import main
from warpbook.core.judgement import NOT_BORNE_OUT, Judgement, Outcome, Status, Timing
from warpbook.core.receipt import Receipt
from warpbook.kernels.library import find_rung, read_outline
from warpbook.measure.receipts import keep, request

OUTLINE = read_outline("softmax")
PAGE = """# softmax
<!-- table:softmax -->
typed by hand
<!-- /table -->
the end
"""


def timing(us):
    return Timing(us, us, us, us, us, (us,))


def timed(us, workload="8192x8192-fp32"):
    return Outcome(
        workload,
        Status.CORRECT,
        device=timing(us),
        call=timing(us),
        limit=timing(124.0),
        limit_by="copy_4",
    )


def receipt(name, *outcomes, **changes):
    rung = find_rung(OUTLINE, name)
    judgement = Judgement(
        "softmax", name, "cuda", Status.CORRECT, "", outcomes, rung.sha256,
        environment={"device": "NVIDIA H200", "torch": "2.11.0", "driver": "580"},
    )  # fmt: skip
    asked = request(OUTLINE, [rung], None, "cuda", False, 60.0)
    return Receipt("2026-01-04T10:00:00+00:00", asked, replace(judgement, **changes), None, None)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "softmax.md").write_text(PAGE)
    (tmp_path / "README.md").write_text(PAGE.replace("table:softmax", "table:overview"))
    (tmp_path / "results" / "nvidia-h200").mkdir(parents=True)
    return tmp_path


def kept(root, *receipts):
    keep(receipts, root / "results" / "nvidia-h200" / "softmax.jsonl")


def written(root, page="docs/softmax.md"):
    assert main(["--root", str(root)]) == 0
    return (root / page).read_text()


def cells(text, name):
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {name} ")]
    return [cell.strip() for cell in row.strip("|").split("|")]


LADDER = (receipt("passes", timed(700.0)), receipt("fused", timed(280.0)))


def test_a_ladder_shows_times_parts_of_the_limit_and_gains(root):
    kept(root, *LADDER)
    text = written(root)
    assert text.startswith("# softmax\n<!-- table:softmax -->\n| rung | 8192x8192-fp32 | gain")
    assert text.endswith("\n<!-- /table -->\nthe end\n")
    assert "typed by hand" not in text
    assert cells(text, "*the limit*")[1] == "124 us"
    assert cells(text, "`passes`")[1:] == ["700 us, 18%", "-", "-", "-"]
    assert cells(text, "`fused` (torch)")[1:] == ["280 us, 44%", "2.50x", "2.00x", "`passes`"]
    assert "Gains are on 8192x8192-fp32. NVIDIA H200; torch 2.11.0, driver 580; 2026-01-04." in text


def test_a_rung_that_is_slower_than_the_one_below_is_named(root):
    kept(root, *LADDER, receipt("three_passes", timed(300.0)))
    line = "Slower than the rung below on 8192x8192-fp32: `three_passes` (0.933x)."
    assert line in written(root)
    kept(root, *LADDER, receipt("three_passes", timed(281.0)))
    assert "Slower than" not in written(root)


def test_a_time_that_the_clocks_do_not_agree_on_is_marked_in_both_tables(root):
    note = f"its kernels' own 3.3 us are {NOT_BORNE_OUT}, which stands"
    kept(root, *LADDER, receipt("liger", replace(timed(248.0), notes=(note,))))
    text = written(root)
    assert cells(text, "`liger` (Liger)")[1] == "248 us\\*, 50%"
    assert f"\\* softmax liger 8192x8192-fp32: {note}." in text
    overview = written(root, "README.md")
    assert cells(overview, "softmax")[-1] == "50%\\*"
    assert note in overview


def test_a_workload_that_nothing_was_timed_on_says_why(root):
    reason = "did not fit into the budget of 9 s"
    left = Outcome("64x8192-fp32", Status.SKIPPED, reason)
    kept(root, receipt("passes", timed(700.0), left), receipt("fused", timed(280.0), left))
    assert f"Not timed: 64x8192-fp32: {reason}." in written(root)
    assert f"Not timed: softmax 64x8192-fp32: {reason}." in written(root, "README.md")


def test_what_has_no_time_says_why(root):
    refused = Outcome("8192x8192-fp32", Status.CRASHED, "ValueError: too long")
    kept(root, *LADDER, receipt("liger", refused, status=Status.CRASHED))
    text = written(root)
    assert cells(text, "`liger` (Liger)")[1] == "crashed"
    assert "liger: crashed: ValueError: too long." in text
    (line,) = [line for line in text.splitlines() if line.endswith(": not measured.")]
    assert "online" in line
    assert "passes" not in line.replace("three_passes", "")


def test_a_rung_that_has_changed_since_is_named(root):
    kept(root, receipt("passes", timed(700.0), source_sha256="an earlier one"), LADDER[1])
    assert "Changed since it was measured: passes." in written(root)


def test_the_overview_holds_the_best_rung_to_the_peers(root):
    bests = [receipt("online", timed(155.0)), receipt("vectorised", timed(128.0))]
    kept(root, *LADDER, *bests)
    text = written(root, "README.md")
    row = cells(text, "softmax")
    assert row[1:] == ["8192x8192-fp32", "124 us", "97% (`vectorised`)", "44%", "-", "-"]
    assert "Not measured yet: " in text
    assert "vector_add" in text


def test_a_rung_with_a_limit_of_its_own_has_its_own_lines(root):
    own = replace(timed(100.0), limit=timing(80.0), limit_by="tf32 matrix rate, 3 times")
    kept(root, *LADDER, receipt("online", timed(155.0)), receipt("vectorised", own))
    text = written(root)
    assert cells(text, "*the limit*")[1] == "124 us"
    assert cells(text, "*that of `vectorised`*")[1:] == ["80.0 us", "-", "-", "-"]
    assert cells(text, "`vectorised`")[1] == "100 us, 80%"
    rows = [line for line in written(root, "README.md").splitlines() if "8192x8192" in line]
    assert rows == [
        "| softmax | 8192x8192-fp32 | 124 us | 80% (`online`) | 44% | - | - |",
        "| softmax | 8192x8192-fp32 | 80.0 us, of its own | 80% (`vectorised`) | - | - | - |",
    ]


def test_many_workloads_are_lines_and_the_overview_has_the_first_of_them(root):
    names = [f"{2**n}x8192-fp32" for n in range(11)]
    for_each = {us: [timed(us, name) for name in names] for us in (700.0, 280.0)}
    kept(root, receipt("passes", *for_each[700.0]), receipt("fused", *for_each[280.0]))
    text = written(root)
    assert "| workload | *the limit* | `passes` | `fused` (torch) |" in text
    assert cells(text, "1024x8192-fp32")[1:4] == ["124 us", "700 us, 18%", "280 us, 44%"]
    assert "| rung | gain | expected | over |" in text
    assert cells(text, "`fused` (torch)")[1:] == ["2.50x", "2.00x", "`passes`"]
    overview = written(root, "README.md")
    assert overview.count("\n| softmax |") == 8
    assert "softmax: 3 more workloads are on its own page." in overview


def test_a_disputed_time_without_a_limit_is_marked_too(root):
    note = f"its kernels' own 3.3 us are {NOT_BORNE_OUT}, which stands"
    disputed = replace(timed(248.0), limit=None, limit_by="", notes=(note,))
    kept(root, receipt("fused", disputed))
    assert cells(written(root, "README.md"), "softmax")[4] == "248 us\\*"


def test_problems_that_were_not_measured_on_one_day_each_have_theirs(root):
    kept(root, *LADDER)
    later = replace(LADDER[1], created="2026-02-01T10:00:00+00:00")
    keep([later], root / "results" / "nvidia-h200" / "vector_add.jsonl")
    place = "NVIDIA H200; torch 2.11.0, driver 580"
    said = f"softmax: {place}; 2026-01-04. vector_add: {place}; 2026-02-01."
    assert said in written(root, "README.md")


def test_without_receipts_the_tables_say_so(root):
    assert "<!-- table:softmax -->\nNothing is measured yet.\n<!-- /table -->" in written(root)
    assert "Nothing is measured yet." in (root / "README.md").read_text()


def test_the_check_fails_until_the_tables_are_written(root, capsys):
    kept(root, *LADDER)
    check = ["--root", str(root), "--check"]
    assert main(check) == 1
    assert (root / "docs" / "softmax.md").read_text() == PAGE
    assert "softmax.md: its tables are not what results/ gives" in capsys.readouterr().err
    assert main(["--root", str(root)]) == 0
    assert main(check) == 0
    kept(root, receipt("passes", timed(690.0)), LADDER[1])
    assert main(check) == 1


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<!-- table:nothing -->\n<!-- /table -->\n", "no table 'nothing'; there are overview, "),
        ("<!-- table:softmax -->\n", "opened and not closed"),
    ],
)
def test_a_mark_that_cannot_be_filled_is_refused(root, page, said, capsys):
    (root / "docs" / "softmax.md").write_text(page)
    assert main(["--root", str(root)]) == 2
    assert said in capsys.readouterr().err
