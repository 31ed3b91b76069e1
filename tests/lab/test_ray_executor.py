"""What is Ray's own: many nodes drain one queue, and a node may die."""

import pytest

from warpbook.book.leases import join, leave, lose, take
from warpbook.book.processes import marked
from warpbook.book.run_folder import RECEIPT, read_receipt, read_steps
from warpbook.core.errors import BadInput, Missing
from warpbook.core.run import RunStatus
from warpbook.lab.executor import Ending
from warpbook.lab.ray_executor import RayExecutor
from warpbook.lab.worker import Worker


def test_both_nodes_drain_one_queue(ray_cluster, book, plan_of):
    for i in range(3):
        book.experiments.add(plan_of(change=f"echo '{{\"m\": {i + 2}}}'"), runs=1)
    executor = RayExecutor(ray_cluster.address, ("none",))
    Worker(book, executor, until_empty=True).work()
    runs = book.runs.list()
    assert sorted(run.experiment_id for run in runs) == [1, 2, 3]
    assert {run.state for run in runs} == {"valid"}
    assert {run.executor for run in runs} == {"ray"}
    nodes = {run.place.split("/")[0] for run in runs}
    assert nodes == {node.node_id[:12] for node in ray_cluster.list_all_nodes()}
    assert book.runs.receipt("R-1").status is RunStatus.MEASURED


def test_a_receipt_that_finds_no_room_arrives_later(ray_cluster, lease_of, plan_of, wait_for):
    executor = RayExecutor(ray_cluster.address)
    place = f"{ray_cluster.head_node.node_id[:12]}/none0"
    assert place in executor.places()
    lease = lease_of(plan_of(), place)
    in_the_way = lease.folder / f".{RECEIPT}.new"
    in_the_way.mkdir()
    handle = executor.start(lease)
    with pytest.raises(IsADirectoryError):
        wait_for(handle.poll)
    with pytest.raises(IsADirectoryError):
        handle.poll()
    in_the_way.rmdir()
    assert handle.poll() == Ending()
    receipt, _ = read_receipt(lease.folder, lease.run, lease.nonce)
    assert receipt.status is RunStatus.MEASURED
    assert read_steps(lease.folder)[-1].text == "writing the receipt"
    executor.close()


def test_a_run_on_a_node_that_dies_is_lost_and_waits_again(ray_cluster, book, plan_of, wait_for):
    book.experiments.add(plan_of("echo ready; sleep 1000"), runs=1)
    third = ray_cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
    executor = RayExecutor(ray_cluster.address)
    member = join(book, executor.name)
    try:
        place = f"{third.node_id[:12]}/none0"
        wait_for(lambda: place in executor.places())
        lease = take(book, member, {place: "none"})
        handle = executor.start(lease)
        wait_for(lambda: handle.poll() or "ready" in (lease.folder / "log").read_text().split())
        ray_cluster.remove_node(third, allow_graceful=False)
        ending = wait_for(handle.poll)
        assert ending.lost
        lose(book, lease, ending.reason)
        assert book.runs.get("R-1").state == "lost"
        assert book.experiments.get("E-1").state == "queued"
        wait_for(lambda: not marked(lease.uid))
    finally:
        executor.close()
        leave(book, member)


def test_a_cluster_that_is_not_there_is_said_in_words():
    with pytest.raises(BadInput, match="give HOST:PORT"):
        RayExecutor("somewhere")
    with pytest.raises(Missing, match=r"no Ray cluster answers at 127\.0\.0\.1:1 "):
        RayExecutor("127.0.0.1:1")
