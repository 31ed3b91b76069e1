import json

from warpbook.kernels.costing import worked_out
from warpbook.kernels.costs import FILE, costs_of
from warpbook.kernels.shipped import shipped


def test_the_kept_costs_are_those_of_the_problems():
    """`python -m warpbook.kernels.costing` writes them anew."""
    assert json.loads(FILE.read_text()) == worked_out()


def test_a_problem_that_is_not_shipped_has_no_costs():
    assert costs_of("/home/ana/mine") == {}


def test_receipts_from_a_real_device_are_found_with_their_times():
    (found,) = [one for one in shipped("softmax") if one.name == "nvidia-h200"]
    assert found.device == "NVIDIA H200"
    outcomes = {j.rung: j.outcomes[0] for j in found.judgements}
    assert outcomes["fused"].device.median_us > outcomes["fused"].floor.us
    assert found.roofs.rates["fp32"] > 1e13


def test_a_name_that_is_no_problem_finds_nothing():
    assert shipped("../../tests") == []
    assert shipped("*") == []
