"""The whole book, or one campaign, as one file that another book takes in.

Everything that would leave is looked through for key-like strings on its way into the file, and the
file only comes into being if there are none, or if somebody said that they may leave. What the file
looks like is for `bundle.py`.
"""

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from warpbook.book import folder
from warpbook.book.audit import receipts
from warpbook.book.campaigns import find
from warpbook.book.collection import Name
from warpbook.book.exchange import bundle, secrets
from warpbook.book.exchange.bundle import Manifest, Member
from warpbook.book.exchange.scope import Scope
from warpbook.book.exchange.secrets import Found
from warpbook.book.new_file import new_file
from warpbook.book.run_folder import ALIVE
from warpbook.core.codec import encode
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

SHOWN = 20
CHUNK = 1 << 20
# A member that shrinks by more is stored as it is: a file that grows so much on unpacking is
# refused on import.
MOST_SHRUNK = 100


@dataclass
class Packer:
    """Writes members, and keeps their hashes and what looks like a key in them."""

    archive: zipfile.ZipFile
    members: dict[str, Member] = field(default_factory=dict)
    keys: list[Found] = field(default_factory=list)

    def lines(self, name: str, documents: Iterable[tuple[str, dict[str, Any]]]) -> int:
        """JSON lines, each with what to call it where a key is found in it."""
        count = 0
        with self.archive.open(entry(name), "w", force_zip64=True) as file:
            writer = Hashed(file)
            for where, document in documents:
                self.keys += secrets.scan(secrets.texts_of(document, where))
                writer.write(bundle.line_of(document).encode())
                count += 1
        self.members[name] = writer.member
        return count

    def file(self, name: str, path: Path, where: str) -> None:
        self.keys += secrets.scan_file(path, where)
        made = entry(name)
        if shrinks_much(path):
            made.compress_type = zipfile.ZIP_STORED
        with open(path, "rb") as source, self.archive.open(made, "w", force_zip64=True) as file:
            writer = Hashed(file)
            while chunk := source.read(CHUNK):
                writer.write(chunk)
        self.members[name] = writer.member


class Hashed:
    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        self.file.write(chunk)
        self.digest.update(chunk)
        self.size += len(chunk)

    @property
    def member(self) -> Member:
        return Member(self.size, self.digest.hexdigest())


def export(
    book: "Book", target: Path, campaign: Name | None = None, allow_keys: bool = False
) -> Manifest:
    """`target` must be new. BadInput says where the keys are, if there are any."""
    target = Path(target).expanduser().absolute()
    with (
        new_file(target) as building,
        book.reading() as session,
        zipfile.ZipFile(building, "x", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        scope = Scope(session, None if campaign is None else find(session, campaign))
        packer = Packer(archive)
        counts = {
            table.__tablename__: packer.lines(bundle.member_of(table), scope.rows(table))
            for table in bundle.TABLES
        }
        counts["events"] = packer.lines(bundle.EVENTS, scope.events())
        pack_runs(book.folder, scope, packer)
        if packer.keys and not allow_keys:
            refuse_keys(packer.keys)
        manifest = scope.manifest(counts, packer.members)
        archive.writestr(entry(bundle.MANIFEST), json.dumps(encode(manifest), indent=1))
    return manifest


def entry(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.compress_type = zipfile.ZIP_DEFLATED
    made.external_attr = 0o600 << 16
    return made


def shrinks_much(path: Path) -> bool:
    size, small, packer = 0, 0, zlib.compressobj(1)
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            small += len(packer.compress(chunk))
    return size > MOST_SHRUNK * (small + len(packer.flush()))


def refuse_keys(keys: list[Found]) -> None:
    listed = "\n".join(f"  {found}" for found in keys[:SHOWN])
    rest = f"\n  and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
    raise BadInput(
        f"nothing was exported: {len(keys)} strings in it look like keys\n{listed}{rest}\n"
        "take them out, or export with --allow-keys if they may leave"
    )


def pack_runs(home: Path, scope: Scope, packer: Packer) -> None:
    for run, experiment in scope.runs():
        where = home / folder.RUNS / run.name
        if run.state == "valid":
            for what in receipts.problems(where, receipts.recorded(run, experiment)):
                raise BadInput(
                    f"{run.name}: {what}; another book would not take it: warpbook check says more"
                )
        for path, name in files_in(where):
            packer.file(f"{bundle.RUNS}/{run.name}/{name}", path, f"{run.name}/{name}")


def files_in(where: Path) -> Iterator[tuple[Path, str]]:
    """Plain files with names that any book accepts. Links are not followed."""
    for here, folders, files in os.walk(where):
        folders.sort()
        for name in sorted(files):
            path = Path(here) / name
            inside = path.relative_to(where).as_posix()
            if inside == ALIVE or path.is_symlink() or not path.is_file():
                continue
            if bundle.MEMBER.fullmatch(f"{bundle.RUNS}/R-1/{inside}"):
                yield path, inside
