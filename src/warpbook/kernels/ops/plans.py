"""Plans that were measured: tuned on this machine, or shipped.

A plan is looked up by operation, dtype and columns, never by the number of rows: an entry has one
for few rows and one for many. Tuned entries are kept in the user's cache folder, a file for each
GPU, which is read once and replaced as a whole; shipped ones are in `choices/`, in the same form.
What another version of Warpbook tuned is passed over: its kernels may have been others. Knows
nothing of what is in a plan, nor how plans are measured.
"""

import json
import os
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import torch

from warpbook import __version__

SHIPPED = Path(__file__).resolve().parent / "choices"

Fields = dict[str, int]
Entry = dict[str, Fields]  # by "few" and "many"


def key(op: str, dtype: torch.dtype, columns: int) -> str:
    return f"{op} {str(dtype).removeprefix('torch.')} {columns}"


def measured(device: str, key: str, few: bool) -> Fields | None:
    """The plan that was measured best on a device, if any was."""
    for entries in (tuned(device), shipped(device)):
        entry = entries.get(key)
        if entry is not None:
            return entry["few" if few else "many"]
    return None


@cache
def shipped(device: str) -> dict[str, Entry]:
    return read(SHIPPED / f"{device}.json")[1]


@cache
def tuned(device: str) -> dict[str, Entry]:
    version, entries = read(tuned_file(device))
    return entries if version == __version__ else {}


def tuned_file(device: str) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "warpbook" / "plans" / f"{device}.json"


def read(file: Path) -> tuple[str, dict[str, Entry]]:
    """The version that wrote it, and the entries: none where there is no file. A file that is
    broken is as good as none, and said to be."""
    try:
        text = file.read_text()
    except FileNotFoundError:
        return __version__, {}
    except (OSError, UnicodeDecodeError) as error:
        return ignored(file, str(error))
    try:
        document = json.loads(text)
    except ValueError as error:
        return ignored(file, f"not JSON: {error}")
    problem = wrong_with(document)
    return ignored(file, problem) if problem else (document["version"], document["plans"])


def wrong_with(document: Any) -> str | None:
    if not isinstance(document, dict) or set(document) != {"version", "plans"}:
        return "not a file of plans"
    plans = document["plans"]
    if not isinstance(plans, dict):
        return "its plans are not by name"
    for name, entry in plans.items():
        if not isinstance(entry, dict) or set(entry) != {"few", "many"}:
            return f"{name!r} has no plan for few and many rows"
        for fields in entry.values():
            if not isinstance(fields, dict) or any(type(v) is not int for v in fields.values()):
                return f"{name!r} is not made of whole numbers"
    return None


def ignored(file: Path, why: str) -> tuple[str, dict[str, Entry]]:
    warnings.warn(f"{file}: {why}; it is ignored", RuntimeWarning, stacklevel=2)
    return __version__, {}


def keep(device: str, key: str, entry: Entry) -> Path:
    """Write an entry to the disk and use it from now on. Another process may have written since
    this one read: the file is read again, and replaced in one step."""
    file = tuned_file(device)
    tuned.cache_clear()
    document = {"version": __version__, "plans": {**tuned(device), key: entry}}
    file.parent.mkdir(parents=True, exist_ok=True)
    mine = file.with_suffix(f".{os.getpid()}")
    mine.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
    mine.replace(file)
    tuned.cache_clear()
    return file
