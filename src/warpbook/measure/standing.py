"""Marks kept on this machine, and where a judgement stands among them.

One file a device and problem under `$XDG_DATA_HOME/warpbook/standings`, one line a mark, only ever
added to. A rung without a mark there takes that of the receipts in `results/`, where this code
runs from a checkout. Only marks of a rung as it is now count. Never imports torch.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from warpbook.core.codec import decode, encode
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement
from warpbook.core.standing import SLACK, Mark, Standing, marks_of, stand
from warpbook.kernels.library import BUILT_IN, Outline, readable_rungs
from warpbook.kernels.rung import Rung
from warpbook.measure import receipts

FORMAT = 1
CHECKOUT = Path(__file__).resolve().parents[3]


def record(outline: Outline, judgement: Judgement, own: bool) -> str | None:
    """Keep a judgement's marks, made with caches cold; the reason if they cannot be kept."""
    marks = marks_of(judgement, datetime.now(UTC).isoformat(timespec="seconds"), own)
    if not marks:
        return None
    path = path_of(outline, marks[0].device)
    try:
        append(path, "".join(map(to_line, marks)))
    except OSError as error:
        return f"{path}: where this stands cannot be kept: {error.strerror}"
    return None


def standings(outline: Outline, judgement: Judgement) -> tuple[list[Standing], list[str]]:
    """Of a file of the user's, for each timed workload; and what was wrong with lines that were
    read on the way."""
    timed = [outcome for outcome in judgement.outcomes if outcome.device]
    if not timed:
        return [], []
    # One that cannot be read has no marks; the judgement at hand is not lost for it.
    rungs = {rung.name: rung for rung in readable_rungs(outline)}
    latest, warnings = latest_marks(outline, judgement.environment.get("device", ""), rungs)
    found = []
    for outcome in timed:
        here = {name: latest.get((name, outcome.workload)) for name in outline.rungs}
        standing = stand(
            outcome,
            ladder=[mark for name in outline.ladder if (mark := here[name])],
            unmeasured=tuple(name for name in outline.ladder if not here[name]),
            peers=[mark for name in outline.peers if (mark := here[name])],
            torch=next(iter(outline.peers), None),
            slack=SLACK[judgement.device],
        )
        if standing.next_rung:
            above = rungs[standing.next_rung]
            standing = replace(standing, title=above.title, idea=above.idea)
        found.append(standing)
    return found, warnings


def latest_marks(
    outline: Outline, device: str, rungs: dict[str, Rung]
) -> tuple[dict[tuple[str, str], Mark], list[str]]:
    """By rung and workload; what was measured on this machine goes before what was shipped."""
    kept, warnings = read(path_of(outline, device))
    latest: dict[tuple[str, str], Mark] = {}
    for mark in (*shipped(slug(device), outline), *kept):
        rung = rungs.get(mark.rung)
        if rung and not mark.own and mark.sha256 == rung.sha256:
            latest[mark.rung, mark.workload] = mark
    return latest, warnings


def store() -> Path:
    root = os.environ.get("XDG_DATA_HOME", "")
    base = Path(root) if root.startswith("/") else Path.home() / ".local" / "share"
    return base / "warpbook" / "standings"


def path_of(outline: Outline, device: str) -> Path:
    return store() / slug(device) / f"{key_of(outline)}.jsonl"


def key_of(outline: Outline) -> str:
    """Two problems of users' own may have the same name."""
    if outline.folder.parent == BUILT_IN:
        return outline.name
    return f"{outline.name}-{hashlib.sha256(str(outline.folder).encode()).hexdigest()[:8]}"


def slug(device: str) -> str:
    """A device's name as a folder is called after it: `NVIDIA H200` is `nvidia-h200`."""
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-") or "unknown"


def append(path: Path, text: str) -> None:
    """Whole, whoever else appends; a line that was cut off before is left behind as a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        torn = size and os.pread(handle, 1, size - 1) != b"\n"
        data = (b"\n" if torn else b"") + text.encode()
        while data:
            data = data[os.write(handle, data) :]
    finally:
        os.close(handle)


def read(path: Path) -> tuple[list[Mark], list[str]]:
    """The marks in a file, oldest first, and a warning for each line that is not one."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [f"{path}: cannot be read: {error.strerror}"]
    marks, warnings = [], []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                marks.append(from_line(line))
            except ValueError as error:
                warnings.append(f"{path}:{number}: skipped, not a mark: {error}")
    return marks, warnings


def to_line(mark: Mark) -> str:
    record = {"format": FORMAT} | encode(mark)
    return json.dumps(record, allow_nan=False, separators=(",", ":")) + "\n"


def from_line(line: str) -> Mark:
    record: Any = json.loads(line)
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise ValueError("of another format")
    mark = decode(Mark, record)
    if not mark.us > 0:
        raise ValueError("its time is not one")
    return mark


def shipped(device: str, outline: Outline | None = None) -> Iterator[Mark]:
    """Marks in the receipts that this checkout holds for a device, given by its slug; only those
    of one problem if it is named."""
    if not (CHECKOUT / "pyproject.toml").is_file():
        return
    if outline and outline.folder.parent != BUILT_IN:
        return
    for path in sorted((CHECKOUT / "results" / device).glob("*.jsonl")):
        with suppress(BadInput):  # of another version; `recheck` says so
            for receipt in sorted(receipts.read(path), key=lambda receipt: receipt.created):
                request, judgement = receipt.request, receipt.judgement
                named = outline is None or request.problem == outline.name
                if judgement and named and not request.warm:
                    own = not all(source.shipped for source in request.sources)
                    yield from marks_of(judgement, receipt.created, own)


def history(outline: Outline | None, device: str | None) -> tuple[list[Mark], list[str]]:
    """How things stood: every mark of a user's file and the latest of each rung, by problem,
    workload and time; and warnings of lines that are not marks."""
    devices = known_devices()
    if device is not None and device not in devices:
        known = ", ".join(devices) or "none yet"
        raise BadInput(f"no marks of a device {device!r} here; there are: {known}")
    own: list[Mark] = []
    latest: dict[tuple[str, ...], Mark] = {}
    warnings: list[str] = []
    for name in [device] if device else devices:
        marks = list(shipped(name, outline))
        for path in sorted((store() / name).glob(f"{key_of(outline) if outline else '*'}.jsonl")):
            kept, wrong = read(path)
            marks += kept
            warnings += wrong
        own += [mark for mark in marks if mark.own]
        for mark in marks:
            if not mark.own:
                latest[name, mark.problem, mark.rung, mark.workload] = mark
    ordered = sorted([*own, *latest.values()], key=lambda m: (m.problem, m.workload, m.when))
    return ordered, warnings


def known_devices() -> list[str]:
    """The slugs of those that have marks here."""
    folders = (store(), CHECKOUT / "results")
    return sorted({path.name for folder in folders for path in folder.glob("*") if path.is_dir()})
