"""What ops.topk launches, beside what the rungs do. Nothing is computed."""

from contextlib import nullcontext
from importlib import import_module

import pytest
import torch
from recorded import Recorded

topk = import_module("warpbook.kernels.ops.topk")


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(
    ("rows", "columns", "k"),
    [
        (1, 262_144, 64),
        (1, 262_144, 1000),
        (64, 50_257, 50),
        (3, 7, 2),
        (5000, 64, 64),
        (1024, 8192, 100),
        (1024, 8192, 1000),
        (9, 64, 1),
        (5000, 200, 3),
    ],
)
def test_selections_are_launched_as_the_rung_launches_them(rows, columns, k, largest, monkeypatch):
    kernel = Recorded("q" * 9, "q" * 12, "q" * 14)
    monkeypatch.setattr(topk.rung, "kernel", lambda *_: kernel)
    monkeypatch.setattr(topk, "kernel", lambda *_: kernel)
    monkeypatch.setattr(topk.rung, "ready", lambda *_: kernel)
    monkeypatch.setattr(topk.radix, "ready", lambda *_: kernel)
    monkeypatch.setattr(topk.rung, "multiprocessors", lambda device: 132)
    monkeypatch.setattr(topk, "processors", lambda device: 132)
    monkeypatch.setattr(topk, "LAUNCHES", {})
    monkeypatch.setattr(topk, "usable", lambda device: True)
    monkeypatch.setattr(topk, "at", lambda device: nullcontext())
    x, values = torch.empty(rows, columns), torch.empty(rows, k)
    indices = torch.empty(rows, k, dtype=torch.int64)
    assert topk.fill(x, k, largest, False, values, indices)
    topk.rung.topk(x, k, largest, False, (values, indices))
    straight, rung = kernel.launches
    assert straight == rung


@pytest.mark.parametrize("columns", [8, 500, 1000, 10_000, 70_001])
def test_a_warm_up_leaves_nothing_to_be_compiled(columns, monkeypatch):
    asked = []

    def kernel(*given):
        asked.append(given)
        return Recorded("q" * 9)

    def planned(dtype, largest, plan, case):
        return kernel(dtype, largest, plan.kind, case)

    monkeypatch.setattr(topk.radix, "ready", kernel)
    monkeypatch.setattr(topk.rung, "ready", planned)
    monkeypatch.setattr(topk, "kernel", kernel)
    monkeypatch.setattr(topk, "processors", lambda device: 132)
    topk.warm(0, torch.float16, columns)
    compiled = set(asked)
    for rows in (1, 5, 17, 33, 100, 131, 134, 300, 700, 1500, 5000, 100_000):
        for k in (1, 3, 6, 20, 60, 97, 120, 129, 200, 300, 513, 700, 1000, 1023):
            if k <= columns:
                topk.launch_of(0, torch.float16, rows, columns, k, True, True)
    assert set(asked) == compiled
