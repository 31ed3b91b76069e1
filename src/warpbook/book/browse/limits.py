"""The largest gain that the floor leaves over a baseline, as the receipt of a run tells it.

Knows one field of a receipt. A receipt never changes once it is recorded, so that what was read of
one is kept.
"""

import json
import math
import statistics
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from warpbook.book.folder import RUNS
from warpbook.book.run_folder import RECEIPT

LARGEST = 16 * 1024 * 1024
KEPT = 512


@dataclass(frozen=True)
class Limit:
    """`gain` is of a kernel that would run at the floor. `binds` is the roof that sets it."""

    gain: float
    floor_us: float
    baseline_us: float
    binds: str
    run: str


def limit_of(folder: Path, run: int, sha256: str | None) -> Limit | None:
    """Of the book in `folder`; None where the receipt tells no floor."""
    return read(folder / RUNS / f"R-{run}" / RECEIPT, sha256)


@lru_cache(KEPT)
def read(path: Path, sha256: str | None) -> Limit | None:
    try:
        if path.stat().st_size > LARGEST:
            return None
        return found(json.loads(path.read_bytes()), path.parent.name)
    except (OSError, ArithmeticError, LookupError, ValueError, TypeError, AttributeError):
        return None


def found(receipt: Any, run: str) -> Limit | None:
    comparison = receipt.get("comparison") or {}
    floor = comparison.get("floor")
    if floor is None:
        return None
    least, baseline = float(floor["us"]), statistics.median(map(float, comparison["a_us"]))
    gain = math.log(baseline / least)
    return Limit(gain, least, baseline, str(floor["binds"]), run) if math.isfinite(gain) else None
