import hashlib

import pytest

from warpbook.core.cost import OtherUnit
from warpbook.core.errors import BadInput
from warpbook.kernels.rung import read_rung

SOURCE = '''"""Twice as wide

Loads two at a time,
so half the loads.
"""
LANGUAGE = "triton"
EXPECTED_GAIN = 1.5
raise SystemExit("a rung is read, not run")


def double(x, out=None):
    return x
'''


def write(folder, source, name="wide.py"):
    path = folder / name
    path.write_text(source)
    return path


def test_a_rung_is_described_without_being_imported(tmp_path):
    path = write(tmp_path, SOURCE)
    rung = read_rung(path, "double")
    assert rung.name == "wide"
    assert rung.title == "Twice as wide"
    assert rung.idea == "Loads two at a time, so half the loads."
    assert rung.language == "triton"
    assert rung.expected_gain == 1.5
    assert rung.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_rung_may_name_the_unit_that_makes_its_operations(tmp_path):
    unit = 'UNIT = "tf32 matrix"\nTIMES = 3\n'
    rung = read_rung(write(tmp_path, unit + "def double(x): ..."), "double")
    assert rung.other_unit == OtherUnit("tf32 matrix", 3.0)
    once = read_rung(write(tmp_path, 'UNIT = "fp64"\ndef double(x): ...'), "double")
    assert once.other_unit == OtherUnit("fp64", 1.0)
    assert read_rung(write(tmp_path, SOURCE), "double").other_unit is None


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ('UNIT = "tensor"', "UNIT is 'tensor', and must be one of fp32, fp64, tf32 matrix"),
        ("TIMES = 3", "UNIT is None, and must be one of"),
        ('UNIT = "fp64"\nTIMES = 0', "TIMES is 0, and must be how often"),
        ('UNIT = "fp64"\nTIMES = "3"', "TIMES is '3', and must be how often"),
    ],
)
def test_a_unit_that_there_is_not_is_refused(tmp_path, source, complaint):
    with pytest.raises(BadInput, match=complaint):
        read_rung(write(tmp_path, f"{source}\ndef double(x): ..."), "double")


def test_a_bare_function_is_a_rung_named_for_its_file(tmp_path):
    rung = read_rung(write(tmp_path, "def double(x):\n    return x + x\n"), "double")
    assert (rung.title, rung.idea, rung.expected_gain) == ("wide", "", None)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("import triton", "triton"),
        ("import triton.language as tl", "triton"),
        ("from triton import jit", "triton"),
        ("import torch", "torch"),
    ],
)
def test_the_language_follows_from_what_is_imported(tmp_path, line, language):
    rung = read_rung(write(tmp_path, f"{line}\ndef double(x): ...\n"), "double")
    assert rung.language == language
    assert rung.interpreted_on_cpu == (language == "triton")


@pytest.mark.parametrize("source", ["double = abs", "from math import fabs as double"])
def test_the_function_may_be_assigned_or_imported(tmp_path, source):
    assert read_rung(write(tmp_path, source), "double").name == "wide"


def test_a_syntax_error_names_its_line(tmp_path):
    path = write(tmp_path, "import torch\n\ndef double(x:\n    return x\n")
    with pytest.raises(BadInput, match=rf"{path}:3: syntax error"):
        read_rung(path, "double")


@pytest.mark.parametrize(
    "source",
    ["", "def twice(x): ...", "class double: ...", "def outer():\n    def double(x): ...\n"],
)
def test_a_file_without_the_function_is_refused(tmp_path, source):
    with pytest.raises(BadInput, match="no function named 'double'"):
        read_rung(write(tmp_path, source), "double")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        read_rung(tmp_path / "none.py", "double")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        read_rung(tmp_path, "double")


@pytest.mark.parametrize("contents", [b"def double(x):\x00 ...", b"\xff\xfe\x00\x00"])
def test_bytes_that_are_not_python_are_refused(tmp_path, contents):
    path = tmp_path / "binary.py"
    path.write_bytes(contents)
    with pytest.raises(BadInput, match=str(path)):
        read_rung(path, "double")
