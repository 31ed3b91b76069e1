import importlib.util
import sys

import pytest

from warpbook.kernels.library import problem_names
from warpbook.kernels.rung import read_rung
from warpbook.kernels.shelf import load_problem

PEERS = [(name, peer) for name in problem_names() for peer in load_problem(name).peers]


@pytest.mark.parametrize(("name", "peer"), PEERS)
def test_every_peer_is_a_rung_with_an_idea(name, peer):
    rung = read_rung(load_problem(name).folder / "rungs" / f"{peer}.py", name)
    assert rung.title != peer
    assert rung.idea


@pytest.mark.parametrize("name", [name for name, peer in PEERS if peer == "liger"])
def test_liger_says_that_it_is_not_installed(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "liger_kernel", None)
    path = load_problem(name).folder / "rungs" / "liger.py"
    spec = importlib.util.spec_from_file_location("liger_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "pip install liger-kernel" in module.unavailable()
