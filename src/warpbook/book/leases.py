"""Leases: which worker has which run, and what becomes of a run whose worker is gone.

Each change is one transaction. A run is recorded once, by the worker that has it or by whoever
recovers it: whichever comes second finds that it is no longer running. Knows nothing of how a run
is executed.
"""

import os
import secrets
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from warpbook.book import learning, life, names, run_folder
from warpbook.book.events import now
from warpbook.book.folder import RUNS
from warpbook.book.processes import end_marked, lock_file
from warpbook.book.run_folder import Order
from warpbook.book.runs import purpose_of
from warpbook.book.sources import plan_of
from warpbook.book.store import Write
from warpbook.book.tables import Experiment, Run, Worker
from warpbook.core.errors import BadInput, Missing
from warpbook.core.run import Plan, RunReceipt

if TYPE_CHECKING:
    from warpbook.book.book import Book

WORKERS = "workers"
LEASE_S = 60.0  # longer than a heartbeat may wait for the file, which is `sqlite.BUSY_S`
LOSSES = 3
DYING_S = 5.0


@dataclass(frozen=True)
class Member:
    """A worker of a book. It holds the lock on its file for as long as it lives."""

    id: int
    name: str
    executor: str
    lock: int


@dataclass(frozen=True)
class Lease:
    """A run that a worker has. `place` is a GPU's UUID or cpu; `limit_s` is for the whole run."""

    run: str
    uid: str
    nonce: str
    experiment: str
    plan: Plan
    folder: Path
    place: str
    worker: int
    limit_s: float

    @property
    def order(self) -> Order:
        return Order(self.run, self.uid, self.nonce, self.limit_s, self.plan)


def join(book: "Book", executor: str) -> Member:
    """Register this process as a worker."""
    (book.folder / WORKERS).mkdir(exist_ok=True)
    with book.writing() as write:
        host, pid = socket.gethostname(), os.getpid()
        worker = write.add(
            Worker(
                host=host, pid=pid, executor=executor, started_at=now(), heartbeat_at=time.time()
            ),
            "worker.started",
            f"{{name}} works here, process {pid} on {host}",
        )
        # Before anyone can see the worker: one without a lock is taken for dead.
        lock = lock_file(lock_path(book, worker.id))
    if lock is None:
        raise BadInput(f"{lock_path(book, worker.id)} is held by another process")
    return Member(worker.id, worker.name, executor, lock)


def leave(book: "Book", member: Member) -> None:
    with book.writing() as write:
        worker = write.session.get_one(Worker, member.id)
        write.set(worker, "worker.ended", f"{member.name} ended", ended_at=now())
    lock_path(book, member.id).unlink(missing_ok=True)
    os.close(member.lock)


def lock_path(book: "Book", worker: int) -> Path:
    return book.folder / WORKERS / f"W-{worker}.lock"


def take(
    book: "Book", member: Member, places: Mapping[str, str], limit_s: float | None = None
) -> Lease | None:
    """Lease the next experiment that one of `places` (its name: its device) can run, if any is
    free. The run has its id, nonce and folder before anything is started."""
    with book.writing() as write:
        free = without_busy(write.session, places)
        experiment = book.queue.next(write.session, set(free.values())) if free else None
        if experiment is None:
            return None
        place = next(name for name, device in free.items() if device == experiment.device)
        plan = with_variables(plan_of(write.session, experiment.plan), book.settings.variables)
        run = Run(
            experiment_id=experiment.id,
            nonce=secrets.token_hex(16),
            state="running",
            purpose=purpose_of(experiment),
            worker_id=member.id,
            executor=member.executor,
            place=place,
            started_at=now(),
            lease_until=time.time() + LEASE_S,
        )
        write.add(run, "run.started", f"{{name}} of {experiment.name} on {place}, by {member.name}")
        started = f"{experiment.name} runs as {run.name}"
        write.set(experiment, "experiment.started", started, state="running", state_reason="")
        lease = lease_of(book, run, experiment.name, plan, limit_s or whole_run_s(plan))
        # Before anyone can see the run: a folder that comes late would undo `run_folder.forbid`.
        try:
            run_folder.prepare(lease.folder, lease.order)
        except OSError as error:
            raise Missing(f"{lease.folder}: cannot be made: {error.strerror}") from None
    return lease


def with_variables(plan: Plan, more: Sequence[str]) -> Plan:
    """Those that the settings name are recorded with every run."""
    return replace(plan, variables=tuple(dict.fromkeys([*plan.variables, *more])))


def without_busy(session: Session, places: Mapping[str, str]) -> dict[str, str]:
    """One run at a time on a place. What measures nothing here needs none to itself."""
    busy = set(session.scalars(select(Run.place).where(Run.state == "running")))
    return {name: device for name, device in places.items() if device == "none" or name not in busy}


def lease_of(book: "Book", run: Run, experiment: str, plan: Plan, limit_s: float) -> Lease:
    return Lease(
        run.name, run.uid, run.nonce, experiment, plan, folder_of(book, run), run.place,
        run.worker_id or 0, limit_s,
    )  # fmt: skip


def folder_of(book: "Book", run: Run) -> Path:
    return book.folder / RUNS / run.name


def whole_run_s(plan: Plan) -> float:
    """A limit for a run whose parts have theirs: all of them at their limit, and the wait for the
    device. A comparison of kernels makes some hundred calls, far from their limit."""
    invocations = 4 * plan.blocks if plan.kind == "command" else 6
    return invocations * plan.limit_s + 600.0


def renew(book: "Book", member: Member) -> None:
    """A heartbeat: on the worker's lock first, which no long transaction holds up."""
    os.utime(member.lock)
    now_s = time.time()
    with book.writing() as write:
        mine = (Run.worker_id == member.id) & (Run.state == "running")
        write.session.execute(update(Run).where(mine).values(lease_until=now_s + LEASE_S))
        write.session.execute(
            update(Worker).where(Worker.id == member.id).values(heartbeat_at=now_s)
        )


def held(book: "Book", member: Member) -> dict[str, bool]:
    """The runs a worker has, and whether someone asked to stop each. One that it had and that is
    missing was taken from it."""
    with book.reading() as session:
        mine = (Run.worker_id == member.id) & (Run.state == "running")
        return {run.name: run.stop_asked for run in session.scalars(select(Run).where(mine))}


def finish(book: "Book", lease: Lease, price_per_hour: float, otherwise: RunReceipt) -> bool:
    """Record the receipt in the run's folder, or `otherwise` where its process left none. False
    where the run is no longer this worker's: then nothing is recorded."""
    return settle(book, lease.run, lease.worker, price_per_hour, otherwise)


def lose(book: "Book", lease: Lease, reason: str) -> bool:
    """The run broke off through nobody's doing, and its experiment waits again; unless it left a
    receipt all the same."""
    return settle(book, lease.run, lease.worker, 0.0, Lost(reason))


def recover(book: "Book", member: Member | None = None) -> list[str]:
    """Settle the runs whose workers are dead, or have not been heard of for too long."""
    settled = []
    for run, reason in abandoned(book, member):
        folder = folder_of(book, run)
        run_folder.forbid(folder)
        end_marked(run.uid, folder=folder)
        if not run_folder.close(folder, DYING_S):
            continue
        price = book.settings.prices.get(run.executor, 0.0)
        if settle(book, run.name, run.worker_id, price, Lost(reason), adopt=True):
            settled.append(run.name)
    return settled


@dataclass(frozen=True)
class Lost:
    """What becomes of a run without a receipt, and why."""

    reason: str


def settle(
    book: "Book",
    name: str,
    worker: int | None,
    price_per_hour: float,
    otherwise: RunReceipt | Lost,
    adopt: bool = False,
) -> bool:
    """End a run that `worker` has, by its receipt where it left one. False if another did so."""
    try:
        with book.writing() as write:
            run = running(write.session, name, worker)
            if run is None:
                return False
            found = receipt_of(folder_of(book, run), run, otherwise)
            if isinstance(found, Lost):
                end_lost(write, run, found)
                return True
            if adopt:
                write.event("run.adopted", run.name, f"{run.name} had left its receipt")
            receipt, sha256 = found
            money = receipt.seconds / 3600 * price_per_hour
            run.lease_until = None
            learning.record(write, book.settings, run, receipt, sha256, money)
            return True
    except BadInput as error:
        refused = Lost(f"its receipt is refused: {error}")
    # Whatever was recorded up to the refusal is undone by now.
    with book.writing() as write:
        run = running(write.session, name, worker)
        if run is None:
            return False
        end_lost(write, run, refused)
        return True


def receipt_of(
    folder: Path, run: Run, otherwise: RunReceipt | Lost
) -> tuple[RunReceipt, str] | Lost:
    """A receipt that was made by the worker is left in the folder like any other: should it die
    before it is recorded, it is found there."""
    found = run_folder.read_receipt(folder, run.name, run.nonce)
    if found is None and isinstance(otherwise, RunReceipt):
        run_folder.place_receipt(folder, otherwise)
        found = run_folder.read_receipt(folder, run.name, run.nonce)
    return found or Lost(getattr(otherwise, "reason", ""))


def running(session: Session, name: str, worker: int | None) -> Run | None:
    """The run, if it still runs and is that worker's."""
    run = names.get(session, Run, name)
    return run if run.state == "running" and run.worker_id == worker else None


def end_lost(write: Write, run: Run, lost: Lost) -> None:
    experiment = write.session.get_one(Experiment, run.experiment_id)
    run.lease_until = None
    text = f"{run.name} of {experiment.name} is lost: {lost.reason}"
    write.set(run, "run.lost", text, state="lost", reason=lost.reason, ended_at=now())
    if experiment.state != "running":
        return
    if run.stop_asked and not life.others_running(write.session, experiment):
        life.end(write, experiment, "cancelled", f"{run.name} was stopped")
        return
    states = write.session.scalars(
        select(Run.state)
        .where(Run.experiment_id == experiment.id)
        .order_by(Run.id.desc())
        .limit(LOSSES)
    ).all()
    if list(states) == ["lost"] * LOSSES:
        often = f"{LOSSES} runs in a row were lost, the last one since {lost.reason}"
        life.end(write, experiment, "held", often)
    else:
        life.goes_on(write, experiment)


def abandoned(book: "Book", member: Member | None) -> list[tuple[Run, str]]:
    with book.reading() as session:
        running = session.scalars(select(Run).where(Run.state == "running")).all()
    dead: dict[int, bool] = {}
    found = []
    for run in running:
        worker = run.worker_id or 0
        if member is not None and worker == member.id:
            continue
        if worker not in dead:
            dead[worker] = is_dead(book, worker)
        if dead[worker]:
            found.append((run, f"its worker W-{worker} died"))
        elif is_silent(book, worker, run.lease_until or 0.0):
            found.append((run, f"its worker W-{worker} was not heard of for {LEASE_S:g} s"))
    return found


def is_silent(book: "Book", worker: int, lease_until: float) -> bool:
    """Neither its lease nor its lock was renewed: it is stopped, or stuck."""
    try:
        beat = lock_path(book, worker).stat().st_mtime
    except FileNotFoundError:
        return True
    return max(lease_until, beat + LEASE_S) < time.time()


def is_dead(book: "Book", worker: int) -> bool:
    """A dead worker's lock is free. Its file goes, so that they do not gather."""
    path = lock_path(book, worker)
    if not path.exists():
        return True
    lock = lock_file(path)
    if lock is None:
        return False
    path.unlink(missing_ok=True)
    os.close(lock)
    return True
