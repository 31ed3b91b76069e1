"""The worker: takes runs from the queue, watches over them, and records what comes of them.

One loop, several runs at once, one to a place. Knows executors by their contract only.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from warpbook.book import commits, leases
from warpbook.book.book import Book
from warpbook.book.events import now
from warpbook.book.leases import Lease, Member
from warpbook.book.queue import is_paused, line
from warpbook.book.watch import Watch
from warpbook.core.errors import Missing, WarpbookError
from warpbook.core.run import ORDER, RunReceipt, RunStatus
from warpbook.lab.executor import Ending, Executor, Handle
from warpbook.lab.telemetry import Sampler

BEAT_S = 5.0
RECOVER_S = 5.0
COMMITS_S = 30.0
BUSY_PAUSE_S = 0.02
IDLE_PAUSE_S = 0.2
TROUBLE_S = 1.0
PATIENCE = 120  # seconds in a row in which the book cannot be written to


@dataclass
class Running:
    lease: Lease
    handle: Handle
    began: float = field(default_factory=time.monotonic)
    started: str = field(default_factory=now)
    ending: Ending | None = None
    stopped_for: str = ""


@dataclass
class Worker:
    """`runs` is how many to take, None for no end. `ended` is told each run that ended."""

    book: Book
    executor: Executor
    runs: int | None = None
    until_empty: bool = False
    run_limit_s: float | None = None
    ended: Callable[[str], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    under_way: list[Running] = field(default_factory=list)
    taken: int = 0

    def __post_init__(self) -> None:
        self._ending = False
        self._price = self.book.settings.prices.get(self.executor.name, 0.0)
        self._due: dict[str, float] = {}

    def end(self) -> None:
        """From a signal or another thread: stop what is under way, and return."""
        self._ending = True

    def work(self) -> Member:
        member = leases.join(self.book, self.executor.name)
        heartbeat = Heartbeat(self.book, member)
        sampler = Sampler(self.book)
        changes = Watch(self.book)
        heartbeat.start()
        sampler.start()
        try:
            self._loop(member, changes)
        finally:
            self._hand_back()
            heartbeat.end()
            sampler.end()
            changes.close()
            self.executor.close()
            leases.leave(self.book, member)
        return member

    def _loop(self, member: Member, changes: Watch) -> None:
        trouble = 0
        while not self._ending:
            try:
                done = self._step(member, changes.seen())
                trouble = 0
            except (Missing, OSError) as error:
                trouble += 1
                if trouble == 1:
                    self.say(f"{error}; trying again")
                if trouble > PATIENCE:
                    raise
                time.sleep(TROUBLE_S)
                continue
            if done:
                return
            time.sleep(BUSY_PAUSE_S if self.under_way else IDLE_PAUSE_S)

    def _step(self, member: Member, changed: bool) -> bool:
        """One round; True when there is nothing more to do."""
        if self._is_due("commits", COMMITS_S):
            commits.sync(self.book, self.say)
        if self._is_due("recover", RECOVER_S):
            for name in leases.recover(self.book, member):
                self.ended(name)
            changed = True
        if changed:
            self._heed_stops(member)
        ended = self._collect()
        if changed or ended:
            self._take(member)
            return not self.under_way and self._nothing_left()
        return False

    def _is_due(self, what: str, every_s: float) -> bool:
        if time.monotonic() < self._due.get(what, 0.0):
            return False
        self._due[what] = time.monotonic() + every_s
        return True

    def _take(self, member: Member) -> None:
        while self.runs is None or self.taken < self.runs:
            places = self._free_places()
            lease = leases.take(self.book, member, places, self.run_limit_s) if places else None
            if lease is None:
                return
            self.taken += 1
            self.say(f"{lease.run} of {lease.experiment} on {lease.place}")
            try:
                handle = self.executor.start(lease)
            except OSError as error:
                leases.lose(self.book, lease, f"it could not be started: {error}")
                self.ended(lease.run)
                continue
            self.under_way.append(Running(lease, handle))

    def _free_places(self) -> dict[str, str]:
        used = {running.lease.place for running in self.under_way}
        return {n: device for n, device in self.executor.places().items() if n not in used}

    def _nothing_left(self) -> bool:
        if self.runs is not None and self.taken >= self.runs:
            return True
        if not self.until_empty:
            return False
        with self.book.reading() as session:
            devices = set(self.executor.places().values())
            return is_paused(session) or not line(session, 1, devices)

    def _heed_stops(self, member: Member) -> None:
        """End the runs that someone asked to stop, and those that another has recovered."""
        mine = leases.held(self.book, member)
        for running in self.under_way:
            name = running.lease.run
            if running.ending is None and mine.get(name, True):
                running.stopped_for = "someone asked to stop it"
                running.handle.stop()

    def _collect(self) -> bool:
        """Record what has ended. A run stays on the list until it is recorded."""
        before = len(self.under_way)
        for running in [*self.under_way]:
            running.ending = running.ending or running.handle.poll()
            if running.ending is not None:
                self._record(running, running.ending)
                self.under_way.remove(running)
        return len(self.under_way) < before

    def _record(self, running: Running, ending: Ending) -> None:
        lease = running.lease
        if ending.lost and not running.stopped_for:
            mine = leases.lose(self.book, lease, ending.reason)
        else:
            mine = leases.finish(self.book, lease, self._price, receipt_without(running, ending))
        if mine:
            self.ended(lease.run)
        else:
            self.say(f"{lease.run} was taken over meanwhile; what came of it here is not recorded")

    def _hand_back(self) -> None:
        if self.under_way:
            self.say("what is under way goes back to the queue")
        for running in self.under_way:
            running.stopped_for = running.stopped_for or "its worker was ended"
            running.handle.stop()
            self._record(running, running.handle.poll() or Ending())
        self.under_way = []


def receipt_without(running: Running, ending: Ending) -> RunReceipt:
    """For a run whose process left none: it was stopped, or it broke."""
    lease, stopped = running.lease, running.stopped_for
    return RunReceipt(
        run=lease.run,
        nonce=lease.nonce,
        kind=lease.plan.kind,
        status=RunStatus.STOPPED if stopped else RunStatus.FAILED,
        reason=stopped or ending.reason,
        started=running.started,
        ended=now(),
        seconds=time.monotonic() - running.began,
        metrics=(),
        order=ORDER,
        plan=lease.plan,
        environment={},
        capture={},
    )


class Heartbeat(threading.Thread):
    """Renews the worker's leases. Missing a beat is no harm: the next one comes in time."""

    def __init__(self, book: Book, member: Member) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.book = book
        self.member = member
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(BEAT_S):
            try:
                leases.renew(self.book, self.member)
            except (WarpbookError, OSError):
                continue

    def end(self) -> None:
        self._ended.set()
        self.join()
