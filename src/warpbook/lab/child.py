"""The process of a run: `python -m warpbook.lab.child plan.json PARENT`, in the run's folder.

It notes what is needed to repeat the run, calls the measuring command line, and leaves a receipt.
It dies with its parent, and what it started dies with it. It never opens the book.
"""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from warpbook.book import run_folder
from warpbook.book.processes import MARK, die_with_parent, end_marked
from warpbook.book.run_folder import Order
from warpbook.core import machine
from warpbook.core.command import changes
from warpbook.core.errors import WarpbookError
from warpbook.core.run import ORDER, Plan, RunReceipt, RunStatus
from warpbook.core.steps import VARIABLE, Steps
from warpbook.lab import outcome
from warpbook.lab.capture import capture
from warpbook.lab.command_line import command_line
from warpbook.lab.outcome import Outcome

LAST_LINES = 8
NOT_MINE = 4
FULL = (errno.ENOSPC, errno.EDQUOT)
ROOM_S = 600.0
PAUSE_S = 1.0


@dataclass
class Output:
    """What a process printed: all of stdout, the last lines of stderr."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)

    def last_lines(self) -> str:
        lines = bytes(self.stderr).decode(errors="replace").splitlines()
        return "\n".join(line for line in lines[-LAST_LINES:] if line.strip())


def main(arguments: Sequence[str]) -> int:
    folder = Path.cwd()
    die_with_parent()
    if os.getppid() != int(arguments[1]):
        return NOT_MINE
    held = run_folder.hold(folder)
    if held is None:
        return NOT_MINE
    order = run_folder.read_order(folder / arguments[0])
    leave(folder, execute(order, folder))
    return 0


def leave(folder: Path, receipt: RunReceipt) -> None:
    """Hours of measuring are not given up for a disk that is full just now."""
    until = time.monotonic() + ROOM_S
    while True:
        try:
            run_folder.place_receipt(folder, receipt)
        except OSError as error:
            if error.errno not in FULL or time.monotonic() > until:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def execute(order: Order, folder: Path) -> RunReceipt:
    plan = order.plan
    blank = RunReceipt(
        order.run, order.nonce, plan.kind, RunStatus.FAILED, "", now(), "", 0.0, (), ORDER, plan,
        {}, {},
    )  # fmt: skip
    began = time.monotonic()
    step = Steps(folder / run_folder.STEPS)
    notes: Mapping[str, Any] = {}
    try:
        line = command_line(plan, folder)
        step("noting what it takes to repeat the run")
        notes = noted(plan, line, folder)
        step(f"starting the measuring process: {about(plan)}")
        found = unchanged(order, line, folder)
        step("writing the receipt")
    except (WarpbookError, OSError) as error:
        found = Outcome(RunStatus.FAILED, f"the run could not start: {error}")
    return replace(
        blank,
        status=found.status,
        reason=found.reason,
        metrics=found.metrics,
        comparison=found.comparison,
        environment=found.environment or surroundings(plan.device),
        capture=notes,
        ended=now(),
        seconds=time.monotonic() - began,
    )


def about(plan: Plan) -> str:
    if plan.baseline.sha256 == plan.change.sha256:
        return f"noise, {plan.baseline.label} against itself"
    return f"{plan.change.label} against {plan.baseline.label}"


def noted(plan: Plan, line: Sequence[str], folder: Path) -> dict[str, Any]:
    """A repository that cannot be read is no reason not to measure."""
    try:
        return capture(plan, line, folder)
    except OSError as error:
        return {"note": f"what it takes to repeat the run could not be noted: {error}"}


def unchanged(order: Order, line: Sequence[str], folder: Path) -> Outcome:
    """Samples of two versions of a script are not to be mixed."""
    if edited := changes(order.plan, "since it was queued"):
        return Outcome(RunStatus.FAILED, f"{', '.join(edited)}: try it again")
    found = measure(order, line, folder)
    if found.status not in (RunStatus.MEASURED, RunStatus.DISQUALIFIED):
        return found
    if edited := changes(order.plan, "while it ran"):
        reason = f"{', '.join(edited)}: try it again (if the command writes it, remove it first)"
        return Outcome(RunStatus.FAILED, reason, environment=found.environment)
    return found


def measure(order: Order, line: Sequence[str], folder: Path) -> Outcome:
    """Run the measuring process to its end, or to the run's time limit."""
    output = Output()
    own = {"WARPBOOK_RUN": order.run, MARK: order.uid, VARIABLE: str(folder / run_folder.STEPS)}
    process = subprocess.Popen(
        line,
        cwd=order.plan.cwd or folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **own},
        process_group=0,
        preexec_fn=die_with_parent,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    pumps = [
        threading.Thread(target=keep, args=(process.stdout, output.stdout), daemon=True),
        threading.Thread(target=pass_on, args=(process.stderr, output.stderr), daemon=True),
    ]
    for pump in pumps:
        pump.start()
    try:
        status = process.wait(order.limit_s)
    except subprocess.TimeoutExpired:
        end_marked(order.uid, keep={os.getpid()})
        process.kill()
        process.wait()
        return Outcome(
            RunStatus.FAILED, f"timed out: the run took more than {order.limit_s:g} s and was ended"
        )
    # Whatever a command left behind would disturb the next run, and holds the pipes open.
    end_marked(order.uid, keep={os.getpid()})
    for pump in pumps:
        pump.join()
    if status < 0:
        name = signal.Signals(-status).name
        return Outcome(RunStatus.FAILED, f"the measuring process was ended by {name}")
    return outcome.read(order.plan, status, bytes(output.stdout), output.last_lines())


def keep(pipe: IO[bytes], kept: bytearray) -> None:
    while chunk := os.read(pipe.fileno(), 65536):
        kept += chunk


def pass_on(pipe: IO[bytes], last: bytearray) -> None:
    """To the run's log as it comes. On a full disk the log has a gap; the pipe is emptied all the
    same, or the measurement would wait for it."""
    while chunk := os.read(pipe.fileno(), 65536):
        with suppress(OSError):
            os.write(sys.stderr.fileno(), chunk)
        last += chunk
        del last[: -run_folder.TAIL_BYTES]


def surroundings(device: str) -> dict[str, str]:
    try:
        return machine.environment(device)
    except (WarpbookError, ModuleNotFoundError) as error:
        return {"device": device, "note": str(error)}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
