"""A run's folder, runs/R-57: its order, its log and its steps, the lock that says it is alive, and
its receipt.

Knows nothing of the database. A receipt is whole or absent: it is written beside its name, brought
to the disk and renamed.
"""

import hashlib
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from warpbook.book.processes import lock_file
from warpbook.core import steps
from warpbook.core.codec import decode, encode
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan, RunReceipt
from warpbook.core.steps import Step as Step

ORDER = "plan.json"
RECEIPT = "receipt.json"
LOG = "log"
STEPS = "steps.jsonl"
DIFF = "diff.patch"
SOURCES = "sources"
ALIVE = "alive"
OVER = b"over\n"
TAIL_BYTES = 4096


@dataclass(frozen=True)
class Order:
    """What the run's process is told. `uid` marks its processes, `nonce` its receipt; `limit_s` is
    for the whole run."""

    run: str
    uid: str
    nonce: str
    limit_s: float
    plan: Plan


def prepare(folder: Path, order: Order) -> None:
    """A fresh folder, or none. One that is there already is moved aside: it is from before the book
    was restored from a backup, or of a worker that died before its run was in the book."""
    if folder.exists():
        folder.rename(folder.with_name(f"{folder.name}.before-{time.time_ns()}"))
    folder.mkdir(parents=True)
    try:
        (folder / LOG).touch()
        (folder / ORDER).write_text(json.dumps(encode(order)), encoding="utf-8")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def read_order(path: Path) -> Order:
    return decode(Order, json.loads(path.read_text(encoding="utf-8")))


def hold(folder: Path) -> int | None:
    """The lock a run's process keeps for its life. None where the run is over for the book, or
    another process has it."""
    descriptor = lock_file(folder / ALIVE)
    if descriptor is not None and os.pread(descriptor, len(OVER), 0):
        os.close(descriptor)
        return None
    return descriptor


def forbid(folder: Path) -> None:
    """The run is over for the book: a process that comes late does not start."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / ALIVE, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.pwrite(descriptor, OVER, 0)
    finally:
        os.close(descriptor)


def is_forbidden(folder: Path) -> bool:
    try:
        return (folder / ALIVE).read_bytes() == OVER
    except OSError:
        return False


def close(folder: Path, wait_s: float) -> bool:
    """Forbid the run, and wait until its process is dead; False if it lives on."""
    forbid(folder)
    descriptor = lock_file(folder / ALIVE, wait_s)
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


def place_receipt(folder: Path, receipt: RunReceipt) -> None:
    place_text(folder, json.dumps(encode(receipt), allow_nan=False, indent=1))


def place_text(folder: Path, text: str) -> None:
    writing = folder / f".{RECEIPT}.new"
    with open(writing, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    writing.rename(folder / RECEIPT)
    sync(folder)


def sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_receipt(folder: Path, run: str, nonce: str) -> tuple[RunReceipt, str] | None:
    """The run's receipt and its sha256; None where there is none. One that is damaged, or was not
    made for this run, is BadInput."""
    path = folder / RECEIPT
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        receipt = decode(RunReceipt, json.loads(raw))
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"{path}: no receipt of a run: {error}") from None
    if receipt.run != run:
        raise BadInput(f"{path}: a receipt of {receipt.run}, not of {run}")
    if receipt.nonce != nonce:
        raise BadInput(f"{path}: not made by {run}: its nonce is another")
    return receipt, hashlib.sha256(raw).hexdigest()


def last_lines(folder: Path, lines: int = 5) -> str:
    """Of the log, for the reason why a run failed."""
    try:
        with open(folder / LOG, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def read_steps(folder: Path) -> list[Step]:
    """What the run has done so far; of a file that is missing or damaged, what can be read."""
    return steps.read(folder / STEPS)
