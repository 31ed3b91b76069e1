"""Measured plans on the disk."""

import inspect
import json
from importlib import import_module

import pytest
import torch

from warpbook import __version__
from warpbook.kernels.ops import plans
from warpbook.kernels.ops.memory import when_contiguous
from warpbook.kernels.ops.warmup import ROWWISE

FEW, MANY, OTHER = {"threads": 64}, {"threads": 128}, {"threads": 256}
KEY = plans.key("softmax", torch.bfloat16, 8192)
SHIPPED = sorted(plans.SHIPPED.glob("*.json"))


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(plans, "SHIPPED", tmp_path / "choices")
    forget()
    yield
    forget()


def forget():
    plans.tuned.cache_clear()
    plans.shipped.cache_clear()


def write(file, entries, version=__version__):
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": version, "plans": entries}))


def test_the_key_is_operation_dtype_and_columns_and_never_the_rows():
    assert KEY == "softmax bfloat16 8192"
    assert list(inspect.signature(plans.key).parameters) == ["op", "dtype", "columns"]


def test_where_nothing_was_measured_there_is_nothing():
    assert plans.measured("gpu", KEY, few=True) is None


def test_what_is_kept_is_found_by_this_process_and_the_next():
    plans.measured("gpu", KEY, few=True)
    file = plans.keep("gpu", KEY, {"few": FEW, "many": MANY})
    assert file.is_file()
    for _ in range(2):
        assert plans.measured("gpu", KEY, few=True) == FEW
        assert plans.measured("gpu", KEY, few=False) == MANY
        forget()
    assert plans.measured("other-gpu", KEY, few=True) is None


def test_what_was_tuned_here_goes_before_what_is_shipped():
    write(plans.SHIPPED / "gpu.json", {KEY: {"few": OTHER, "many": OTHER}})
    assert plans.measured("gpu", KEY, few=True) == OTHER
    plans.keep("gpu", KEY, {"few": FEW, "many": MANY})
    assert plans.measured("gpu", KEY, few=True) == FEW


def test_keeping_one_keeps_those_that_another_process_has_written():
    plans.measured("gpu", KEY, few=True)  # has read the file, which is empty
    theirs = plans.key("rms_norm", torch.float32, 64)
    write(plans.tuned_file("gpu"), {theirs: {"few": OTHER, "many": OTHER}})
    plans.keep("gpu", KEY, {"few": FEW, "many": MANY})
    assert plans.measured("gpu", theirs, few=True) == OTHER


def test_the_file_is_replaced_in_one_step_and_nothing_is_left_beside_it():
    file = plans.keep("gpu", KEY, {"few": FEW, "many": MANY})
    with file.open() as before:
        plans.keep("gpu", KEY, {"few": OTHER, "many": OTHER})
        assert json.load(before)["plans"][KEY]["few"] == FEW
    assert [path.name for path in file.parent.iterdir()] == ["gpu.json"]


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"version": "0", "plans": []}',
        b'{"version": "0", "plans": {"softmax float32 1": {"few": {"threads": 1}}}}',
        b'{"version": "0", "plans": {"softmax float32 1": {"few": {"threads": "1"}, "many": {}}}}',
        b'{"version": "0", "plans": {"softmax float32 1": {"few": 3, "many": {}}}}',
    ],
)
def test_a_broken_file_is_ignored_with_a_warning(text):
    file = plans.tuned_file("gpu")
    file.parent.mkdir(parents=True)
    file.write_bytes(text)
    with pytest.warns(RuntimeWarning, match=r"gpu\.json: .*; it is ignored"):
        assert plans.measured("gpu", KEY, few=True) is None
    assert plans.measured("gpu", KEY, few=True) is None  # read once, and warned of once


def test_what_another_version_tuned_is_passed_over():
    entries = {KEY: {"few": OTHER, "many": OTHER}}
    write(plans.tuned_file("gpu"), entries, version="0.0.0")
    assert plans.measured("gpu", KEY, few=True) is None


@pytest.mark.skipif(not SHIPPED, reason="every GPU has the rule's plans")
@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_what_is_shipped_can_be_used(file):
    for name, entry in plans.read(file)[1].items():
        op, dtype, columns = name.split()
        asked = (int(columns), getattr(torch, dtype))
        rung = import_module(ROWWISE[op].rung)
        for fields in entry.values():
            assert rung.recalled(fields, *asked, when_contiguous(*asked)), name
