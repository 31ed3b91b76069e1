"""The starter campaign: planted once, in a book that is still empty, with claims that can run."""

from dataclasses import replace

import pytest
import torch

from warpbook.book.audit.check import check
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.errors import BadInput
from warpbook.lab import starter
from warpbook.lab.local import LocalExecutor
from warpbook.lab.starter import IN_FLOAT32, IN_PIECES, NAME, ON_CPU, ON_GPU, plant
from warpbook.lab.worker import Worker


def function(text, name):
    found = {}
    exec(text, found)
    return found[name]


def test_a_new_book_gets_claims_with_reasons_and_locked_predictions(book):
    campaign = plant(book)
    assert (campaign.name, campaign.state) == (NAME, "active")
    claims = book.hypotheses.list(campaign=NAME)
    assert 3 <= len(claims) <= 4
    assert all(claim.because for claim in claims)
    waiting = [place.experiment for place in book.queue.order()]
    assert len(waiting) == len(claims)
    for experiment in waiting:
        (prediction,) = book.experiments.predictions(experiment.name)
        assert prediction.locked_at
        assert book.experiments.plan(experiment.name).cwd == str(book.folder)
    assert waiting[0].priority > 0
    assert check(book.folder).problems == []


def test_it_comes_once_whatever_became_of_it(book):
    plant(book)
    book.campaigns.archive(NAME)
    events = book.log.last()
    assert plant(book) is None
    assert book.log.last() == events


def test_a_book_in_which_something_was_claimed_is_left_alone(book):
    book.hypotheses.add("mine", KERNEL_TIME, 0.1)
    assert plant(book) is None
    assert [campaign.name for campaign in book.campaigns.list()] == ["inbox"]


def test_all_of_it_is_planted_or_nothing(book, monkeypatch):
    """The last idea cannot be made."""
    broken = (*ON_CPU[:-1], replace(ON_CPU[-1], against="no_such_rung"))
    monkeypatch.setattr(starter, "ON_CPU", broken)
    monkeypatch.setattr(starter, "ON_GPU", broken)
    before = book.log.last()
    with pytest.raises(BadInput, match="no_such_rung"):
        plant(book)
    assert book.log.last() == before
    assert book.hypotheses.list() == []


@pytest.mark.parametrize(("ideas", "device"), [(ON_CPU, "cpu"), (ON_GPU, "cuda")])
def test_the_claims_of_either_device_can_be_made_here(book, tmp_path, ideas, device):
    """Rungs, workloads and intervals as their ladders have them; the first pair of a workload
    teaches what the second costs."""
    book.campaigns.add(NAME)
    for idea in ideas:
        starter.try_out(book, idea, device, tmp_path)
    workloads = [(one.plan["problem"], one.workload) for one in book.experiments.list()]
    assert len(set(workloads)) == len(workloads) / 2


@pytest.mark.parametrize("length", [1, 4095, 4096, 10_001])
def test_in_pieces_is_an_addition(length):
    a, b, out = torch.randn(length), torch.randn(length), torch.full((length,), torch.nan)
    function(IN_PIECES, "vector_add")(a, b, out)
    assert torch.equal(out, a + b)


def test_by_way_of_float32_is_a_softmax():
    x = torch.randn(7, 1000, dtype=torch.bfloat16)
    out = torch.full_like(x, torch.nan)
    function(IN_FLOAT32, "softmax")(x, out)
    assert torch.equal(out, torch.softmax(x.float(), dim=-1).bfloat16())


def test_archived_it_is_no_longer_taken_and_the_log_says_so(book):
    plant(book)
    book.campaigns.archive(NAME)
    Worker(book, LocalExecutor(), until_empty=True).work()
    assert book.runs.list() == []
    assert [e.text for e in book.log.list(kind="campaign.archived")] == [
        f"{NAME} is archived: nothing of it is taken"
    ]
    assert {place.blocked for place in book.queue.order()} == {f"{NAME} is archived"}
