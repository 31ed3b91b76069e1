"""`judge --watch`: judge a file again each time it is saved, until Ctrl-C."""

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path

from warpbook.cli.guard import say
from warpbook.cli.judgements import legend, show_judgement
from warpbook.cli.recording import record_judgements
from warpbook.cli.screen import console
from warpbook.cli.session import Session
from warpbook.cli.standing import show_standing
from warpbook.core.errors import BadInput
from warpbook.kernels.library import file_rung

POLL_S = 0.3


def watch_file(
    session: Session, path: Path, only: tuple[str, ...] | None, book: Path | None
) -> int:
    screen = console()
    screen.print(legend(session.device), style="dim")
    try:
        while True:
            seen = fingerprint(path)
            try:
                rung = file_rung(session.outline, path)
                judgement = session.judgement(rung, only)
                show_judgement(screen, session.problem, judgement, rung.title)
                found = session.standings(rung, judgement)
                show_standing(screen, session.asked.problem, found, judgement.environment)
                record_judgements(book, session, [judgement], only, str(path))
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


def stamped(path: Path) -> list[tuple[int, int, int]]:
    stamps = []
    for file in (path, path.with_suffix(".cu")):
        with suppress(OSError):
            status = os.stat(file)
            stamps.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return stamps


def fingerprint(path: Path) -> str | None:
    """Of the file and of the `.cu` beside it; None while the file is not there."""
    try:
        contents = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        contents += path.with_suffix(".cu").read_bytes()
    return hashlib.sha256(contents).hexdigest()
