"""Receipts on disk: one line of JSON each, one file an invocation.

A file is written whole beside its final name and then moved there, so that no crash or interrupt
leaves half of one. Never imports torch, so that a bad path is answered at once.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warpbook.core.codec import decode, encode
from warpbook.core.errors import BadInput
from warpbook.core.receipt import Receipt, Request, Source
from warpbook.kernels.library import BUILT_IN, Outline
from warpbook.kernels.rung import Rung, hash_of, read_source

FORMAT = 1


def request(
    outline: Outline,
    rungs: Sequence[Rung],
    workloads: tuple[str, ...] | None,
    device: str,
    warm: bool,
    limit_s: float,
) -> Request:
    built_in = outline.folder.parent == BUILT_IN
    return Request(
        problem=outline.name if built_in else str(outline.folder),
        problem_sha256=hashlib.sha256(read_source(outline.folder / "problem.py")).hexdigest(),
        sources=tuple(source(outline, rung) for rung in rungs),
        workloads=workloads,
        device=device,
        warm=warm,
        limit_s=limit_s,
    )


def source(outline: Outline, rung: Rung) -> Source:
    if rung.path.parent == outline.folder / "rungs":
        return Source(rung.name, rung.sha256)
    contents = {file.suffix: read_source(file) for file in rung.files}
    if hash_of(rung.files) != rung.sha256:
        raise BadInput(f"{rung.path}: was changed while it was judged, so no receipt is kept")
    texts = {
        suffix: source.decode("utf-8", errors="surrogateescape")
        for suffix, source in contents.items()
    }
    return Source(rung.name, rung.sha256, texts.get(".py"), texts.get(".cu"))


def check_new(path: Path) -> None:
    """Refuse, before any work is done, a path that a receipt could not be kept at."""
    if path.exists():
        raise BadInput(f"{path}: already there; a receipt is never overwritten, name another file")
    if not path.parent.is_dir():
        raise BadInput(f"{path}: no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(f"{path}: the folder {path.parent} cannot be written to")


def keep(receipts: Sequence[Receipt], path: Path) -> None:
    """Write all of `receipts`; a file this invocation wrote before is replaced in one step."""
    text = "".join(to_line(receipt) + "\n" for receipt in receipts)
    try:
        replace_whole(path, text)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from error


def replace_whole(path: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A moved file survives a power cut only once its folder is on disk as well."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read(path: Path) -> list[Receipt]:
    try:
        lines = path.read_text(encoding="utf-8").strip("\n").split("\n")
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}:1: not a receipt: not text") from None
    if lines == [""]:
        raise BadInput(f"{path}: holds no receipts")
    return [from_line(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def to_line(receipt: Receipt) -> str:
    record = {"kind": receipt.kind, "format": FORMAT} | encode(receipt)
    return json.dumps(record, allow_nan=False, separators=(",", ":"))


def from_line(line: str, where: str) -> Receipt:
    try:
        record: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where}: not a whole receipt: {error.msg}") from None
    if not isinstance(record, dict) or "format" not in record:
        raise BadInput(f"{where}: not a receipt")
    if record.pop("format") != FORMAT:
        raise BadInput(f"{where}: a receipt of another format; this Warpbook reads {FORMAT}")
    kind = record.pop("kind", None)
    try:
        receipt = decode(Receipt, record)
    except ValueError as error:
        raise BadInput(f"{where}: not a receipt: {error}") from None
    if kind != receipt.kind:
        raise BadInput(f"{where}: says it is a {kind} and holds a {receipt.kind}")
    return receipt
