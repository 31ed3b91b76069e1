"""What was taken in before: one line for each entry, and the logs themselves as they came.

Both lie in `journal/imported/`. Knows nothing of what an entry says, only its hash.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from warpbook.book.new_file import new_file
from warpbook.journal.ids import plain
from warpbook.journal.texts import textfile

FOLDER = ("journal", "imported")
NAME = "ledger.jsonl"
LENGTH = 16
ODD = re.compile(r"[^\w.+-]+")
LONGEST_NAME = 80


def entry_hash(kind: str, *parts: str) -> str:
    """The same for texts that differ in spaces alone: an edit of those is no new entry."""
    said = "\0".join([kind, *map(plain, parts)])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


@dataclass(frozen=True)
class Note:
    """An entry that was taken in: its hash, and where it went. `line` is that of the log."""

    hash: str
    kind: str
    into: str
    line: int


class Ledger:
    def __init__(self, folder: Path) -> None:
        self.path = folder.joinpath(*FOLDER, NAME)
        self.taken = set(hashes(self.path))

    def __contains__(self, hash: object) -> bool:
        return hash in self.taken

    def note(self, notes: Sequence[Note], source: str, at: str) -> None:
        """Written after the entries themselves: whoever is killed between the two finds their text
        there, and adds nothing."""
        new = {one.hash: one for one in notes if one.hash not in self.taken}
        rows = [
            json.dumps(
                {
                    "entry": one.hash,
                    "kind": one.kind,
                    "into": one.into,
                    "from": source,
                    "line": one.line,
                    "at": at,
                }
            )
            for one in new.values()
        ]
        if len(rows) == 1:
            textfile.append_line(self.path, rows[0])
        elif rows:
            textfile.edit(self.path, lambda text: whole(text) + "\n".join(rows) + "\n")
        self.taken |= new.keys()


def whole(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def hashes(path: Path) -> Iterable[str]:
    """Lines that cannot be read are left: at worst an entry is looked at again."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and isinstance(said.get("entry"), str):
            yield said["entry"]


def kept_name(name: str, sha256: str) -> str:
    safe = ODD.sub("-", name).strip("-")[-LONGEST_NAME:] or "log"
    return f"{sha256[:8]}-{safe}"


def keep(folder: Path, name: str, data: bytes) -> str:
    """The log as it came, below the book's folder; one that is there already stays."""
    kept = kept_name(name, hashlib.sha256(data).hexdigest())
    target = folder.joinpath(*FOLDER, kept)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with new_file(target) as building:
            building.write_bytes(data)
    return "/".join((*FOLDER, kept))
