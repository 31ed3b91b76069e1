"""Roofs: what this device reaches at best, measured here once and then kept.

Kept per device, driver and torch version under `$XDG_CACHE_HOME/warpbook/roofs`. Theoretical peaks
are never kept: what the judge calls impossible does not hang on a file that anyone may edit.
"""

import contextlib
import json
import math
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from warpbook.core.roofs import Peaks, Roofs
from warpbook.measure.device import device_facts, environment
from warpbook.measure.lock import device_lock
from warpbook.measure.peaks import peaks_of

FORMAT = 1


@dataclass(frozen=True)
class Measured:
    """Bytes and operations a second, and the cost of a launch."""

    copy_bytes_per_s: float
    read_bytes_per_s: float
    write_bytes_per_s: float
    rates: dict[str, float]
    launch_us: float


def roofs_of(
    device: str,
    fresh: bool = False,
    progress: Callable[[str], None] | None = None,
    lock: bool = False,
) -> Roofs:
    """The kept roofs of this device, or new ones. `lock`: hold the device's lock while measuring;
    a caller that holds it already must not ask, or it waits for itself."""
    seen = environment(device)
    peaks = peaks_of(device)
    path = kept_path(device, seen)
    measured = None if fresh else read_kept(path, peaks)
    if measured is None:
        with device_lock(device) if lock else contextlib.nullcontext():
            # Another process may have measured while this one waited.
            measured = None if fresh else read_kept(path, peaks)
            if measured is None:
                measured = measure(device, progress or (lambda _: None))
                keep(path, measured, seen)
    return Roofs(device=device, peaks=peaks, environment=seen, **asdict(measured))


def measure(device: str, progress: Callable[[str], None]) -> Measured:
    if device == "cuda":
        from warpbook.measure.roofs_cuda import measure_cuda

        return Measured(**measure_cuda(progress))
    from warpbook.measure.roofs_cpu import measure_cpu

    return Measured(**measure_cpu(progress))


def kept_path(device: str, seen: dict[str, str]) -> Path:
    root = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(root) if root.startswith("/") else Path.home() / ".cache"
    facts = device_facts(device)
    words = (facts.name, facts.uuid, f"{facts.cores}cores", facts.driver, seen["torch"])
    name = re.sub(r"[^A-Za-z0-9.+-]+", "_", "-".join(words))
    return base / "warpbook" / "roofs" / f"{name}.json"


def read_kept(path: Path, peaks: Peaks) -> Measured | None:
    """None for a file that is absent, broken, of another format, or says what cannot be."""
    try:
        kept = json.loads(path.read_text())
        if kept["format"] != FORMAT:
            return None
        measured = Measured(**kept["roofs"])
        return measured if plausible(measured, peaks) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def plausible(measured: Measured, peaks: Peaks) -> bool:
    bandwidths = (
        measured.copy_bytes_per_s,
        measured.read_bytes_per_s,
        measured.write_bytes_per_s,
    )
    numbers = (*bandwidths, measured.launch_us, *measured.rates.values())
    return (
        all(math.isfinite(number) and number > 0 for number in numbers)
        and max(bandwidths) <= peaks.bytes_per_s
        and all(rate <= peaks.rates.get(unit, rate) for unit, rate in measured.rates.items())
    )


def keep(path: Path, measured: Measured, seen: dict[str, str]) -> None:
    """Written whole or not at all; where it cannot be written, the next process measures again."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "roofs": asdict(measured),
        "environment": seen,
    }
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(document, file, indent=1)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
