"""Runs belong to one worker at a time, and are recorded once, whoever dies when."""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import time
from dataclasses import replace

import pytest

from warpbook.book import leases, run_folder, sqlite
from warpbook.book.backup import backup
from warpbook.book.book import Book
from warpbook.book.leases import finish, join, leave, lose, recover, renew, take
from warpbook.book.processes import FOLDER, MARK
from warpbook.book.tables import Run
from warpbook.core.codec import encode
from warpbook.core.effect import Better, Metric
from warpbook.core.errors import Missing
from warpbook.core.run import Arm, MetricSamples, Plan, RunReceipt, RunStatus

METRIC = Metric("m", "", Better.HIGHER)
NONE = {"none": "none"}


@pytest.fixture
def add(book):
    def add(number=1, device="none", runs=3):
        arms = [
            Arm(text, hashlib.sha256(text.encode()).hexdigest(), command=text)
            for text in ("old", f"new {number}")
        ]
        plan = Plan("command", "w", device, arms[0], arms[1], (METRIC,))
        return book.experiments.add(plan, runs=runs)

    return add


@pytest.fixture
def member(book):
    member = join(book, "local")
    yield member
    leave(book, member)


@pytest.fixture
def dead(book):
    """A worker that died: its lock is free, and nobody said that it ended."""
    member = join(book, "local")
    os.close(member.lock)
    return member


def receipt_of(lease, status=RunStatus.MEASURED, reason=""):
    samples = MetricSamples(METRIC, (1.0,) * 8, (2.0,) * 8, 0.6931471805599453, 0.0)
    metrics = (samples,) if status is RunStatus.MEASURED else ()
    return RunReceipt(
        lease.run, lease.nonce, "command", status, reason, "2026-01-04T10:00:00+00:00",
        "2026-01-04T10:00:02+00:00", 2.0, metrics, "ABBA", lease.plan, {"device": "cpu"}, {},
    )  # fmt: skip


def failed(lease):
    return receipt_of(lease, RunStatus.FAILED, "its process was ended")


def kinds(book, subject):
    return [event.kind for event in book.log.list(subject=subject, limit=1000)]


def state_of(book, lease):
    return book.runs.get(lease.run).state, book.experiments.get(lease.experiment).state


def test_a_run_has_its_id_nonce_and_folder_before_anything_starts(book, add, member):
    add()
    lease = take(book, member, NONE)
    run = book.runs.get("R-1")
    assert (lease.run, lease.nonce, lease.uid) == ("R-1", run.nonce, run.uid)
    assert run_folder.read_order(lease.folder / "plan.json") == lease.order
    assert state_of(book, lease) == ("running", "running")
    assert take(book, member, NONE) is None


def test_a_folder_left_from_before_a_restore_is_moved_aside(book, add, member):
    add()
    old = book.folder / "runs" / "R-1"
    old.mkdir()
    (old / "receipt.json").write_text("{}")
    lease = take(book, member, NONE)
    assert not (lease.folder / "receipt.json").exists()
    (kept,) = book.folder.glob("runs/R-1.before-*")
    assert (kept / "receipt.json").read_text() == "{}"


def test_one_run_at_a_time_on_a_place_of_any_worker(book, add, member):
    add(1, "cpu")
    add(2, "cpu")
    add(3, "none")
    other = join(book, "local")
    places = {"cpu": "cpu", "none": "none"}
    first = [take(book, member, places), take(book, member, places)]
    assert {lease.place for lease in first} == {"cpu", "none"}
    assert take(book, other, places) is None
    on_cpu = next(lease for lease in first if lease.place == "cpu")
    finish(book, on_cpu, 0.0, failed(on_cpu))
    assert take(book, other, places).place == "cpu"
    leave(book, other)


def test_what_measures_nothing_here_runs_side_by_side(book, add, member):
    add(1)
    add(2)
    assert [take(book, member, NONE).place for _ in range(2)] == ["none", "none"]


def test_a_receipt_is_recorded_once_with_its_cost(book, add, member):
    add(runs=1)
    lease = take(book, member, NONE)
    run_folder.place_receipt(lease.folder, receipt_of(lease))
    assert finish(book, lease, 1800.0, failed(lease))
    assert not finish(book, lease, 1800.0, failed(lease))
    assert state_of(book, lease) == ("valid", "done")
    assert book.runs.get("R-1").money == pytest.approx(1.0)
    assert kinds(book, "R-1") == ["run.started", "run.valid"]


def test_a_run_without_a_receipt_is_recorded_by_the_worker_s_own(book, add, member):
    add()
    lease = take(book, member, NONE)
    assert finish(book, lease, 0.0, failed(lease))
    assert state_of(book, lease) == ("failed", "failed")
    assert book.runs.receipt("R-1").reason == "its process was ended"


def test_a_dead_worker_s_run_is_lost_and_waits_again(book, add, dead, member):
    add()
    lease = take(book, dead, NONE)
    assert recover(book, member) == ["R-1"]
    assert state_of(book, lease) == ("lost", "queued")
    assert kinds(book, "R-1") == ["run.started", "run.lost"]
    assert recover(book, member) == []


def test_a_dead_worker_s_receipt_is_adopted_once(book, add, dead, member):
    add(runs=1)
    lease = take(book, dead, NONE)
    run_folder.place_receipt(lease.folder, receipt_of(lease))
    assert recover(book) == ["R-1"]
    assert recover(book) == []
    assert state_of(book, lease) == ("valid", "done")
    assert kinds(book, "R-1") == ["run.started", "run.adopted", "run.valid"]
    assert book.experiments.get("E-1").runs_valid == 1


def test_a_worker_that_died_before_it_made_the_folder_loses_its_run(book, add, dead):
    add()
    lease = take(book, dead, NONE)
    for file in lease.folder.iterdir():
        file.unlink()
    lease.folder.rmdir()
    assert recover(book) == ["R-1"]
    assert state_of(book, lease) == ("lost", "queued")


def test_a_crash_while_recording_leaves_all_as_it_was(book, add, dead, monkeypatch):
    """The transaction is what guards it: nothing of a half recorded run stays."""
    add(runs=1)
    lease = take(book, dead, NONE)
    run_folder.place_receipt(lease.folder, receipt_of(lease))
    before = book.log.last()
    record = leases.learning.record

    def dies(*arguments):
        record(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(leases.learning, "record", dies)
    with pytest.raises(KeyboardInterrupt):
        finish(book, lease, 0.0, failed(lease))
    assert (book.log.last(), state_of(book, lease)) == (before, ("running", "running"))
    monkeypatch.undo()
    assert recover(book) == ["R-1"]
    assert state_of(book, lease) == ("valid", "done")


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda lease: replace(receipt_of(lease), nonce="0" * 32), "its nonce is another"),
        (lambda lease: replace(receipt_of(lease), run="R-9"), "a receipt of R-9"),
        (lambda lease: "half", "no receipt of a run"),
    ],
)
def test_a_forged_or_half_receipt_is_refused(book, add, dead, forge, said):
    add()
    lease = take(book, dead, NONE)
    text = json.dumps(encode(forge(lease)))
    run_folder.place_text(lease.folder, text if text != '"half"' else '{"run": "R-1", "non')
    assert recover(book) == ["R-1"]
    assert state_of(book, lease) == ("lost", "queued")
    assert said in book.runs.get("R-1").reason


def test_after_three_losses_in_a_row_the_experiment_is_held(book, add, member):
    add()
    for _ in range(3):
        lease = take(book, member, NONE)
        lose(book, lease, "its node died")
    assert state_of(book, lease) == ("lost", "held")
    assert "3 runs in a row" in book.experiments.get("E-1").state_reason
    assert take(book, member, NONE) is None


def test_losses_with_a_result_between_them_do_not_count(book, add, member):
    add()
    for turn in range(4):
        lease = take(book, member, NONE)
        if turn == 1:
            run_folder.place_receipt(lease.folder, receipt_of(lease))
        lose(book, lease, "its node died")
    assert [run.state for run in book.runs.list()] == ["lost", "lost", "valid", "lost"]
    assert state_of(book, lease) == ("lost", "queued")


def test_a_worker_that_wakes_late_records_nothing(book, add, member):
    """Its lock is held, for it lives; but its lease ran out and another took the run."""
    add()
    lease = take(book, member, NONE)
    expire(book, lease)
    assert recover(book) == ["R-1"]
    run_folder.place_receipt(lease.folder, receipt_of(lease))
    assert not finish(book, lease, 0.0, failed(lease))
    assert state_of(book, lease) == ("lost", "queued")
    assert leases.held(book, member) == {}


def test_a_heartbeat_keeps_the_lease(book, add, member):
    add()
    lease = take(book, member, NONE)
    expire(book, lease)
    renew(book, member)
    assert recover(book) == []
    assert state_of(book, lease) == ("running", "running")


def expire(book, lease):
    """Its worker was last heard of too long ago."""
    then = time.time() - leases.LEASE_S - 1
    os.utime(leases.lock_path(book, lease.worker), (then, then))
    with book.store.write("test") as write:
        write.session.get_one(Run, int(lease.run[2:])).lease_until = then


def test_a_long_transaction_of_another_is_no_silence(book, add, member, monkeypatch):
    """A heartbeat that cannot be written is not a worker that is gone."""
    add()
    lease = take(book, member, NONE)
    child = hold_alive(lease)
    expire(book, lease)
    monkeypatch.setattr(sqlite, "BUSY_S", 0.05)
    with book.store.write("another") as write:
        write.event("note", "", "something long")
        with pytest.raises(Missing, match="has held the book"):
            renew(book, member)
    assert recover(book) == []
    assert child.poll() is None
    child.kill()
    child.wait()


def test_a_run_that_someone_asked_to_stop_is_not_made_again(book, add, dead):
    add()
    lease = take(book, dead, NONE)
    book.runs.ask_stop("R-1")
    assert recover(book) == ["R-1"]
    assert state_of(book, lease) == ("lost", "cancelled")


def test_nobody_sees_a_run_before_its_folder_is_made(book, add, member, monkeypatch):
    """A worker that is stopped in between, and wakes when its run was recovered, would make the
    folder anew and run it there."""
    add()
    other, prepare, seen = Book.open(book.folder), run_folder.prepare, []

    def slow(folder, order):
        seen.append([run.name for run in other.runs.list()])
        prepare(folder, order)

    monkeypatch.setattr(run_folder, "prepare", slow)
    take(book, member, NONE)
    other.close()
    assert seen == [[]]


def test_without_a_folder_there_is_no_run(book, add, member):
    add()
    (book.folder / "runs").rmdir()
    (book.folder / "runs").write_text("in the way")
    with pytest.raises(Missing, match="cannot be made"):
        take(book, member, NONE)
    assert book.runs.list() == []
    assert book.experiments.get("E-1").state == "queued"


def test_the_processes_of_a_run_are_dead_before_it_is_given_away(book, add, member):
    add()
    lease = take(book, member, NONE)
    child = hold_alive(lease)
    expire(book, lease)
    assert recover(book) == ["R-1"]
    assert child.wait(60) == -9


def test_a_process_that_comes_late_finds_its_run_over(book, add, dead):
    add()
    lease = take(book, dead, NONE)
    recover(book)
    assert run_folder.hold(lease.folder) is None


def test_a_restored_copy_leaves_the_processes_of_the_book_it_is_of(book, add, member, tmp_path):
    add()
    child = hold_alive(take(book, member, NONE))
    (tmp_path / "again").mkdir()
    with tarfile.open(backup(book)) as archive:
        archive.extractall(tmp_path / "again", filter="data")
    again = Book.open(tmp_path / "again")
    assert recover(again) == ["R-1"]
    again.close()
    assert child.poll() is None
    child.kill()
    child.wait()


def hold_alive(lease):
    """A process of the run, which holds its lock."""
    script = "import sys, time; from warpbook.book import run_folder as r; from pathlib import Path"
    script += "; held = r.hold(Path('.')); print(held, flush=True); time.sleep(1000)"
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=lease.folder,
        env={**os.environ, MARK: lease.uid, FOLDER: str(lease.folder.resolve())},
        stdout=subprocess.PIPE,
    )
    with child.stdout:
        assert child.stdout.readline().strip().isdigit()
    return child


def test_a_worker_s_lock_is_held_for_its_life(book):
    member = join(book, "local")
    with open(leases.lock_path(book, member.id)) as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    leave(book, member)
    assert not leases.lock_path(book, member.id).exists()
    assert kinds(book, member.name) == ["worker.started", "worker.ended"]
