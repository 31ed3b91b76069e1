"""Opening a file that somebody sent: every member named, sized and hashed as its manifest says, and
laid out in a folder of its own before anything of it is believed.

Knows the shape of the file and nothing of the book.
"""

import hashlib
import json
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warpbook.book.exchange import bundle
from warpbook.book.exchange.bundle import MANIFEST, Manifest, Member
from warpbook.core.codec import decode
from warpbook.core.errors import BadInput, Missing

CHUNK = 1 << 20
LARGEST_MANIFEST = 256 << 20
# What we export never grows so much on unpacking; see `export.MOST_SHRUNK`.
MOST_GROWN = 200
SMALL = 1 << 20
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@contextmanager
def unpacked(file: Path, home: Path) -> Iterator[tuple[Path, Manifest]]:
    """The members in a folder under `home`, which is gone afterwards, and the manifest."""
    if not file.is_file():
        raise BadInput(f"{file}: there is no such file")
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = read_manifest(file, archive)
            check_members(file, archive, manifest)
            check_room(file, home, manifest)
            staged = make_folder(home)
            try:
                for name, member in manifest.members.items():
                    extract(file, archive, name, member, staged / name)
                yield staged, manifest
            finally:
                shutil.rmtree(staged, ignore_errors=True)
    except DAMAGE as error:
        raise BadInput(f"{file}: is no export of a book, or a damaged one: {error}") from None


def read_manifest(file: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
    except KeyError:
        raise BadInput(f"{file}: is no export of a book: it has no {MANIFEST}") from None
    if info.file_size > LARGEST_MANIFEST:
        raise BadInput(f"{file}: its {MANIFEST} is too large to be one")
    try:
        with archive.open(info) as opened:
            document = json.loads(opened.read(LARGEST_MANIFEST))
        number = document["format"]
        if isinstance(number, int) and number > bundle.FORMAT:
            raise Missing(
                f"{file}: was exported by a newer Warpbook (its format is {number}, this one knows "
                f"{bundle.FORMAT}); update Warpbook, nothing was changed"
            )
        return decode(Manifest, document)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadInput(f"{file}: its {MANIFEST} is none: {error}") from None


def check_members(file: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    found = [info for info in archive.infolist() if info.filename != MANIFEST]
    names = [info.filename for info in found]
    if len(archive.infolist()) != len(found) + 1 or len(set(names)) != len(names):
        raise BadInput(f"{file}: has a member twice")
    for name in names:
        if not bundle.MEMBER.fullmatch(name):
            raise BadInput(f"{file}: the member {name[:100]!r} does not belong into an export")
    expected = {bundle.EVENTS, *(bundle.member_of(table) for table in bundle.TABLES)}
    if set(names) != manifest.members.keys() or not expected <= set(names):
        odd = sorted(set(names) ^ (manifest.members.keys() | expected))
        raise BadInput(f"{file}: what it holds is not what its {MANIFEST} says: {odd[:3]}")
    for info in found:
        if info.file_size != manifest.members[info.filename].bytes:
            raise BadInput(f"{file}: {info.filename} is not as long as its {MANIFEST} says")
        if info.file_size > SMALL and info.file_size > MOST_GROWN * info.compress_size:
            raise BadInput(
                f"{file}: {info.filename} would grow from {info.compress_size} to "
                f"{info.file_size} bytes; that is no honest export, and nothing was unpacked"
            )


def check_room(file: Path, home: Path, manifest: Manifest) -> None:
    needed = sum(member.bytes for member in manifest.members.values())
    free = shutil.disk_usage(home).free
    if needed > free:
        raise Missing(f"{file}: needs {needed} bytes, and {home} has {free} left; free some space")


def make_folder(home: Path) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=".import-", dir=home))
    except OSError as error:
        raise Missing(f"{home}: nothing can be unpacked there: {error.strerror}") from None


def extract(file: Path, archive: zipfile.ZipFile, name: str, member: Member, target: Path) -> None:
    digest, left = hashlib.sha256(), member.bytes
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as source, open(target, "xb") as copy:
            while chunk := source.read(CHUNK):
                left -= len(chunk)
                if left < 0:
                    break
                digest.update(chunk)
                copy.write(chunk)
    except OSError as error:
        raise Missing(f"{file}: could not be unpacked: {error.strerror or error}") from None
    if left or digest.hexdigest() != member.sha256:
        raise BadInput(f"{file}: {name} is damaged: its hash is not the one in the {MANIFEST}")
