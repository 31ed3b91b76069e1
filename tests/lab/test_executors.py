"""What every executor promises, tried on each of them."""

import os
import signal

import pytest

from warpbook.book.processes import end_marked, marked
from warpbook.book.run_folder import LOG, RECEIPT, forbid, read_receipt
from warpbook.core.run import RunStatus
from warpbook.lab import ray_executor
from warpbook.lab.local import LocalExecutor
from warpbook.lab.ray_executor import RayExecutor

SLEEPERS = "echo ready; sleep 1000 & setsid sleep 1000 & sleep 1000"


@pytest.fixture(scope="module", params=["local", "ray"])
def executor(request):
    if request.param == "local":
        made = LocalExecutor()
    else:
        made = RayExecutor(request.getfixturevalue("ray_cluster").address)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Ray's task ends its processes before it is killed, however slow they are."""
    monkeypatch.setattr(ray_executor, "STOPPING_S", 120.0)


@pytest.fixture
def start(executor, lease_of, plan_of):
    """Start a run of two commands on the first place that fits; stop it if the test does not."""
    handles = []

    def start(*commands, **more):
        place = next(name for name, device in executor.places().items() if device == "none")
        lease = lease_of(plan_of(*commands), place, **more)
        handles.append(executor.start(lease))
        return lease, handles[-1]

    yield start
    for handle in handles:
        handle.stop()


def read(lease):
    found = read_receipt(lease.folder, lease.run, lease.nonce)
    return found and found[0]


def printed(lease, handle, line):
    """Whether the log has the line by now, while the run goes on."""
    assert handle.poll() is None
    return line in (lease.folder / LOG).read_text().splitlines()


def test_output_is_live_and_the_result_comes_back(start, wait_for, tmp_path):
    go = tmp_path / "go"
    command = f"echo ready; until [ -e {go} ]; do sleep 0.02; done; echo '{{\"m\": 4}}'"
    lease, handle = start(command, "echo '{\"m\": 2}'")
    wait_for(lambda: printed(lease, handle, "ready"))
    go.touch()
    ending = wait_for(handle.poll)
    receipt = read(lease)
    assert (ending.reason, ending.lost) == ("", False)
    assert receipt.status is RunStatus.MEASURED
    assert receipt.metrics[0].baseline == (4.0,) * 8
    assert receipt.metrics[0].change == (2.0,) * 8
    assert '{"m": 2}' in (lease.folder / LOG).read_text()


def test_stopping_ends_every_process(start, wait_for):
    lease, handle = start(SLEEPERS)
    wait_for(lambda: printed(lease, handle, "ready"))
    wait_for(lambda: len(marked(lease.uid)) >= 6)
    handle.stop()
    assert marked(lease.uid) == []
    assert handle.poll() is not None
    assert not (lease.folder / RECEIPT).exists()


def test_a_crash_of_the_run_s_process_is_reported(start, wait_for):
    lease, handle = start(SLEEPERS)
    wait_for(lambda: printed(lease, handle, "ready"))
    (child,) = [pid for pid in marked(lease.uid) if "warpbook.lab.child" in words(pid)]
    os.kill(child, signal.SIGKILL)
    ending = wait_for(handle.poll)
    assert "SIGKILL" in ending.reason
    assert "ready" in ending.reason
    assert read(lease) is None
    assert marked(lease.uid) == []


def words(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().decode().split("\0")


def test_a_run_past_its_limit_is_ended_and_says_so(start, wait_for):
    lease, handle = start(SLEEPERS, limit_s=1.0)
    wait_for(handle.poll)
    receipt = read(lease)
    assert receipt.status is RunStatus.FAILED
    assert "timed out" in receipt.reason
    assert marked(lease.uid) == []


def test_a_command_that_fails_disqualifies_its_arm(start, wait_for):
    lease, handle = start("echo '{\"m\": 1}'", "echo out of memory >&2; exit 3")
    wait_for(handle.poll)
    receipt = read(lease)
    assert receipt.status is RunStatus.DISQUALIFIED
    assert "change" in receipt.reason
    assert "out of memory" in receipt.reason
    assert receipt.metrics == ()


def test_a_run_that_was_taken_over_has_not_failed(lease_of, plan_of, wait_for):
    """Whoever recovers a run forbids it, then ends it. Its worker may look in between."""
    lease = lease_of(plan_of(SLEEPERS))
    handle = LocalExecutor().start(lease)
    wait_for(lambda: printed(lease, handle, "ready"))
    forbid(lease.folder)
    assert end_marked(lease.uid)
    ending = wait_for(handle.poll)
    assert ending.lost
