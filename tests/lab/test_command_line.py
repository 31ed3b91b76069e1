"""How the measuring process is called."""

import pytest

from warpbook.core.effect import KERNEL_TIME, Metric
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan
from warpbook.lab.command_line import command_line, safe_stem

FILE = Arm("mine", "b" * 64, "../mine too.py", text="print()\n", cuda="// none\n")
KERNEL = Plan("kernel", "64x64", "cpu", Arm("online", "a" * 64, "online"), FILE, (KERNEL_TIME,),
              "softmax", limit_s=5)  # fmt: skip


def test_a_kernel_s_files_are_written_where_only_the_run_is(tmp_path):
    line = command_line(KERNEL, tmp_path)
    path = tmp_path / "arms" / "change" / "mine_too.py"
    assert line[-4:] == ["--", "softmax", "online", str(path)]
    assert path.read_text() == "print()\n"
    assert path.with_suffix(".cu").read_text() == "// none\n"
    assert {"compare", "--workload=64x64", "--device=cpu", "--limit=5", "--json"} <= set(line)


def test_a_command_keeps_its_text_whatever_it_begins_with(tmp_path, plan_of):
    line = command_line(plan_of("--odd 'x'", "two\nlines", metrics=(Metric("m", "s"),)), tmp_path)
    assert line[4:] == [
        "compare-commands", "--baseline=--odd 'x'", "--change=two\nlines",
        "--metric=m:lower:ratio:s", "--blocks=4", "--device=none", "--limit=600", "--json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rung", "stem"),
    [
        ("mine.py", "mine"),
        ("/etc/passwd", "passwd"),
        ("2x.cu", "rung_2x"),
        ("..", "__"),
        ("", "rung_"),
    ],
)
def test_file_names_are_safe(rung, stem):
    assert safe_stem(rung) == stem


def test_a_kind_from_a_newer_version_is_refused(tmp_path):
    with pytest.raises(BadInput, match="'llm'"):
        command_line(Plan("llm", "w", "cpu", KERNEL.baseline, FILE, (KERNEL_TIME,)), tmp_path)
