"""What the lab's tests share: plans of shell commands, leases made by hand, a Ray of two nodes."""

import hashlib
import os
import time
import uuid

import pytest

from warpbook.book import run_folder
from warpbook.book.book import Book
from warpbook.book.leases import Lease
from warpbook.core.effect import Better, Metric
from warpbook.core.run import Arm, Plan

ONE, TWO = ("echo '{\"m\": 1}'", "echo '{\"m\": 2}'")
RAY_MEMORY = 80 << 20


def command_arm(label, command):
    return Arm(label, hashlib.sha256(command.encode()).hexdigest(), command=command)


def command_plan(baseline=ONE, change=TWO, **more):
    more = {"workload": "w", "device": "none", "metrics": (Metric("m", "", Better.HIGHER),)} | more
    arms = command_arm("one", baseline), command_arm("two", change)
    return Plan("command", baseline=arms[0], change=arms[1], **more)


@pytest.fixture(name="plan_of")
def plan_of_fixture():
    """A plan of two shell commands that measures nothing on this machine."""
    return command_plan


@pytest.fixture
def wait_for():
    """A condition's value once it is true; fails after a time that only a broken one takes."""

    def wait(condition, seconds=180.0):
        until = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < until, "it never came true"
            time.sleep(0.02)
        return found

    return wait


@pytest.fixture
def lease_of(tmp_path):
    """A lease as a worker gets it, for a plan."""

    def make(plan, place="none", limit_s=600.0):
        run = f"R-{uuid.uuid4().int % 10**9}"
        folder = tmp_path / "book" / "runs" / run
        marks = uuid.uuid4().hex, uuid.uuid4().hex
        lease = Lease(run, *marks, "E-1", plan, folder, place, 1, limit_s)
        run_folder.prepare(folder, lease.order)
        return lease

    return make


@pytest.fixture
def book(tmp_path):
    book = Book.create(tmp_path / "book", "ana")
    yield book
    book.close()


@pytest.fixture(scope="session")
def ray_cluster():
    """A real Ray of two nodes on this machine, one for all tests."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 2, "object_store_memory": RAY_MEMORY}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    yield cluster
    cluster.shutdown()
