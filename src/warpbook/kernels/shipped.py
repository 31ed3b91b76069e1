"""Receipts that come with Warpbook, from real devices: `results/<device>/<problem>.jsonl`.

They lie beside the source tree, or in the package where it was installed from a wheel. Reads them
without torch, and knows nothing of any book.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from warpbook.core.codec import decode
from warpbook.core.judgement import Judgement
from warpbook.core.receipt import Receipt
from warpbook.core.roofs import Roofs
from warpbook.kernels.library import BUILT_IN, problem_names

PACKAGE = BUILT_IN.parent
LABELS = ("kind", "format")  # of a line, beside the receipt itself
PLACES = (PACKAGE.parents[1] / "results", PACKAGE / "results")


@dataclass(frozen=True)
class Shipped:
    """One problem on one device, as its last bench left it. `name` is the device's folder, `device`
    what the device calls itself. The samples are left out."""

    name: str
    device: str
    problem: str
    problem_sha256: str
    created: str
    judgements: tuple[Judgement, ...]
    roofs: Roofs | None


def results() -> Path | None:
    """The folder of all of them, where there is one."""
    if PACKAGE.parent.name == "src" and PLACES[0].is_dir():
        return PLACES[0]
    return PLACES[1] if PLACES[1].is_dir() else None


def shipped(problem: str) -> list[Shipped]:
    """Of each device that has receipts of this problem."""
    found = [read(file, file.stat().st_mtime_ns) for file in files(problem)]
    return [one for one in found if one]


def files(problem: str) -> list[Path]:
    folder = results()
    if folder is None or problem not in problem_names():
        return []
    return sorted(folder.glob(f"*/{problem}.jsonl"))


def records(file: Path) -> Iterator[dict[str, Any]]:
    """The receipts in a file as the documents they are; what is no document is passed over."""
    for line in file.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):
            record = json.loads(line, object_hook=without_samples)
            if isinstance(record, dict):
                yield {key: record[key] for key in record if key not in LABELS}


@lru_cache(maxsize=64)
def read(file: Path, changed_ns: int) -> Shipped | None:
    """None where there is no judgement in it; what is not a receipt is passed over."""
    kept = []
    for record in records(file):
        with suppress(ValueError, TypeError):
            kept.append(decode(Receipt, record))
    judged = [(receipt, receipt.judgement) for receipt in kept if receipt.judgement]
    if not judged:
        return None
    last, judgement = judged[-1]
    return Shipped(
        name=file.parent.name,
        device=judgement.environment.get("device", judgement.device),
        problem=judgement.problem,
        problem_sha256=last.request.problem_sha256,
        created=last.created,
        judgements=tuple(found for _, found in judged),
        roofs=last.roofs,
    )


def without_samples(found: dict[str, Any]) -> dict[str, Any]:
    """They are nearly all of a receipt, and take nearly all of the time to read it."""
    return found | {"samples_us": []} if "samples_us" in found else found
