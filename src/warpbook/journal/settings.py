"""What warpbook.toml says of the journal: tracks, the editor, recall, and a teacher."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from warpbook.book.folder import SETTINGS, load_settings
from warpbook.core.errors import BadInput

TRACK = "journal"
TABLES: dict[str, tuple[str, ...]] = {
    "journal": ("track", "editor", "retention", "new_a_day", "tracks"),
    "teacher": ("endpoint", "model", "key"),
    "track": ("of", "target"),
}


@dataclass(frozen=True)
class Track:
    """`of`: how many days it is to have; `target`: the date that T - N counts down to."""

    of: int | None = None
    target: date | None = None


@dataclass(frozen=True)
class Teacher:
    """`key` is the name of the environment variable that holds the key; empty where none is."""

    endpoint: str
    model: str
    key: str = ""


@dataclass(frozen=True)
class JournalSettings:
    """`track` is that of days which name none; `editor` is empty where the environment decides."""

    track: str = TRACK
    editor: str = ""
    retention: float = 0.9
    new_a_day: int = 20
    tracks: Mapping[str, Track] = field(default_factory=dict)
    teacher: Teacher | None = None


def read(folder: Path) -> JournalSettings:
    path = folder / SETTINGS
    given = load_settings(folder)
    journal = table(given.get("journal", {}), "journal", TABLES["journal"], path)
    tracks = journal.get("tracks", {})
    if not isinstance(tracks, dict):
        raise BadInput(f"{path}: journal.tracks is tables such as [journal.tracks.gpu]")
    return JournalSettings(
        track=text(journal, "journal.track", path) or TRACK,
        editor=text(journal, "journal.editor", path),
        retention=number(journal, "journal.retention", 0.9, 0.7, 0.99, path),
        new_a_day=whole(journal, "journal.new_a_day", 20, 0, path) or 0,
        tracks={name: track(entry, name, path) for name, entry in tracks.items()},
        teacher=teacher(given["teacher"], path) if "teacher" in given else None,
    )


def track(given: Any, name: str, path: Path) -> Track:
    where = f"journal.tracks.{name}"
    entry = table(given, where, TABLES["track"], path)
    target = entry.get("target")
    if target is not None and type(target) is not date:
        raise BadInput(f"{path}: {where}.target is a date such as 2026-06-01, without quotes")
    return Track(whole(entry, f"{where}.of", None, 1, path), target)


def teacher(given: Any, path: Path) -> Teacher:
    entry = table(given, "teacher", TABLES["teacher"], path)
    endpoint = text(entry, "teacher.endpoint", path)
    if not endpoint.startswith(("http://", "https://")):
        raise BadInput(
            f"{path}: teacher.endpoint is an address such as http://127.0.0.1:8000/v1, "
            f"not {endpoint!r}"
        )
    return Teacher(endpoint, text(entry, "teacher.model", path), text(entry, "teacher.key", path))


def table(given: Any, name: str, known: tuple[str, ...], path: Path) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadInput(f"{path}: {name} is a table: a line [{name}] and its values below")
    if unknown := given.keys() - set(known):
        raise BadInput(
            f"{path}: unknown {', '.join(f'{name}.{key}' for key in sorted(unknown))}; "
            f"known: {', '.join(known)}"
        )
    return given


def value(given: Mapping[str, Any], name: str) -> Any:
    return given.get(name.rpartition(".")[2])


def text(given: Mapping[str, Any], name: str, path: Path) -> str:
    found = value(given, name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise BadInput(f"{path}: {name} is a text in quotes, not {found!r}")
    return found


def whole(
    given: Mapping[str, Any], name: str, default: int | None, least: int, path: Path
) -> int | None:
    found = value(given, name)
    if found is None:
        return default
    if type(found) is not int or not least <= found <= 10**6:
        raise BadInput(f"{path}: {name} is a whole number of at least {least}, not {found!r}")
    return found


def number(
    given: Mapping[str, Any], name: str, default: float, low: float, high: float, path: Path
) -> float:
    found = value(given, name)
    if found is None:
        return default
    if type(found) not in (int, float) or not low <= found <= high:
        raise BadInput(f"{path}: {name} is a number from {low:g} to {high:g}, not {found!r}")
    return float(found)
