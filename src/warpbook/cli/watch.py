"""`judge --watch`: judge a file again each time it is saved, until Ctrl-C."""

import hashlib
import os
import time
from pathlib import Path

from warpbook.cli.guard import say
from warpbook.cli.judgements import legend, show_judgement
from warpbook.cli.screen import console
from warpbook.cli.session import Session
from warpbook.core.errors import BadInput
from warpbook.kernels.library import file_rung

POLL_S = 0.3


def watch_file(session: Session, path: Path, only: tuple[str, ...] | None) -> int:
    screen = console()
    screen.print(legend(session.device), style="dim")
    try:
        while True:
            seen = fingerprint(path)
            try:
                rung = file_rung(session.outline, path)
                judgement = session.judgement(rung, only)
                show_judgement(screen, session.problem, judgement, rung.title)
            except BadInput as error:
                say(str(error))
            screen.print(f"watching {path}; Ctrl-C ends", style="dim")
            wait_for_change(path, seen)
    except KeyboardInterrupt:
        return 0


def wait_for_change(path: Path, seen: str | None) -> None:
    """Return once the file is there with other contents. A save that changes nothing, or the
    moment in which an editor has moved the old file away, is not a change."""
    stamp = None
    while True:
        if (now := stamped(path)) != stamp:
            stamp = now
            if fingerprint(path) not in (None, seen):
                return
        time.sleep(POLL_S)


def stamped(path: Path) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def fingerprint(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
