"""The foreman: keeps a worker's process running beside this one, and ends it with this one.

One thread starts the worker, passes on its lines, and starts it again if it dies. The kernel tells
the worker to end when that thread is gone, so a killed parent leaves nobody behind. Knows nothing
of what the worker does.
"""

import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from warpbook.book.book import Book
from warpbook.book.processes import die_with_parent
from warpbook.core.errors import WarpbookError

WARPBOOK = (sys.executable, "-P", "-m", "warpbook")
STARTS = 3
WITHIN_S = 60.0


class Foreman(threading.Thread):
    """`tell` is given each line of the worker's, and what becomes of it."""

    def __init__(self, book: Path, options: Sequence[str], tell: Callable[[str], None]) -> None:
        super().__init__(name="foreman", daemon=True)
        self.book = book
        self.command = [*WARPBOOK, "work", "--book", str(book), *options]
        self.tell = tell
        self._ending = threading.Event()
        self._starting = threading.Lock()
        self._worker: subprocess.Popen[str] | None = None

    def run(self) -> None:
        starts: deque[float] = deque(maxlen=STARTS)
        while not self._ending.wait(pause_s(starts)):
            starts.append(time.monotonic())
            status = self._work()
            if status is not None and not self._ending.is_set():
                self._mourn(status)

    def _work(self) -> int | None:
        """One life of a worker: how it ended."""
        with self._starting:
            if self._ending.is_set():
                return None
            worker = self._worker = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # a Ctrl-C is for this process, which then ends the worker
                preexec_fn=lambda: die_with_parent(signal.SIGTERM),
            )
        assert worker.stderr is not None
        with worker.stderr:
            for line in worker.stderr:
                self.tell(line.rstrip("\n"))
        return worker.wait()

    def _mourn(self, status: int) -> None:
        how = f"was ended by {signal_name(-status)}" if status < 0 else f"ended with {status}"
        text = f"the dashboard's worker {how}; it is started again"
        self.tell(text)
        with suppress(WarpbookError, OSError):
            book = Book.open(self.book)
            try:
                book.log.note(text)
            finally:
                book.close()

    def end(self) -> None:
        """Have the worker put back what is under way, and end; `join` waits for it."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """At once: the next worker finds what is under way, and puts it back."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        with self._starting:
            self._ending.set()
            if self._worker is not None and self._worker.poll() is None:
                self._worker.send_signal(number)


def pause_s(starts: Sequence[float]) -> float:
    """Until the next start: a worker that cannot live is started a few times a minute."""
    if len(starts) < STARTS:
        return 0.0
    return max(starts[0] + WITHIN_S - time.monotonic(), 0.0)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
