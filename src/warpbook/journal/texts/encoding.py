"""Bytes of a text file and the text in them; what a file's line ends and mark are is kept."""

import re
from pathlib import Path

from warpbook.core.errors import BadInput

MARK = b"\xef\xbb\xbf"  # some editors begin a file with it
END = re.compile(r"\r\n|\r|\n")


def decoded(path: Path, data: bytes) -> str:
    """The text, with "\\n" at the ends of its lines."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start + (len(MARK) if data.startswith(MARK) else 0)
        line = len(END.findall(data[:start].decode("latin-1"))) + 1
        raise BadInput(
            f"{path}:{line}: not UTF-8 (byte 0x{data[start]:02x}); nothing was changed, save the "
            "file as UTF-8"
        ) from None
    return END.sub("\n", text) if "\r" in text else text


def encoded(path: Path, data: bytes | None, before: str, after: str) -> bytes:
    """`after` as bytes like `data`, whose text is `before`."""
    if data is not None and before == after:
        return data
    data = data or b""
    text = END.sub("\n", after) if "\r" in after else after
    if b"\r" in data:
        text = with_ends(data.decode("utf-8-sig"), text)
    try:
        made = text.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"{path}: the text has bytes that are no UTF-8; nothing was changed"
        ) from None
    return (MARK if data.startswith(MARK) else b"") + made


def with_ends(before: str, after: str) -> str:
    """`after` with line ends as `before` has them: lines at its beginning and end that are the same
    keep their own, the others get those that most lines have."""
    ends = END.findall(before)
    old, new = END.split(before), after.split("\n")
    usual = max(sorted(set(ends)), key=ends.count)
    head = same(old, new)
    tail = min(same(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    made = [usual] * (len(new) - 1)
    known = ends[: min(head, len(made))]
    made[: len(known)] = known
    for back in range(2, tail + 1):
        made[len(new) - back] = ends[len(old) - back]
    return "".join(line + end for line, end in zip(new, [*made, ""], strict=True))


def same(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
