"""A run on a Ray node: JSON in, log lines and at last the receipt out.

Runs where there is no book; imports nothing of the database.
"""

import json
import os
import select
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from warpbook.book import run_folder
from warpbook.book.run_folder import DIFF, RECEIPT, SOURCES, STEPS, Order
from warpbook.core.codec import decode
from warpbook.lab.local import end, spawn, why

EVERY_S = 0.2
CHUNK = 1 << 16


def attempt(text: str) -> Iterator[dict[str, Any]]:
    """Yields {"log": ...} as it comes, and {"files": ..., "why": ...} at the end."""
    order = decode(Order, json.loads(text))
    with tempfile.TemporaryDirectory(prefix="warpbook-run-") as scratch:
        folder = Path(scratch) / "runs" / order.run
        run_folder.prepare(folder, order)
        reading, writing = os.pipe()
        child = spawn(folder, order.run, order.uid, "", writing)
        os.close(writing)
        try:
            yield from output(child, reading, folder)
            yield {"files": files(folder), "why": why(child.wait(), folder)}
        finally:
            end(child, order.uid)
            os.close(reading)


def output(
    child: "subprocess.Popen[bytes]", reading: int, folder: Path
) -> Iterator[dict[str, Any]]:
    """Until the child has ended and all it printed is passed on. Looks up often, since a run is
    cancelled by an exception in here."""
    with open(folder / run_folder.LOG, "ab", buffering=0) as log:
        while True:
            ended = child.poll() is not None
            ready, _, _ = select.select([reading], [], [], 0 if ended else EVERY_S)
            chunk = os.read(reading, CHUNK) if ready else b""
            if chunk:
                log.write(chunk)
                yield {"log": chunk}
            elif ended:
                return


def files(folder: Path) -> dict[str, bytes]:
    """What belongs into the run's folder in the book, the receipt among it if there is one."""
    found = {name: folder / name for name in (DIFF, STEPS, RECEIPT)}
    found |= {f"{SOURCES}/{path.name}": path for path in (folder / SOURCES).glob("*")}
    return {name: path.read_bytes() for name, path in found.items() if path.is_file()}
