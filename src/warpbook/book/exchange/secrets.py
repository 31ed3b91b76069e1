"""Strings that look like keys, in whatever is about to leave the book.

Knows the shapes that well-known services give their keys, and names such as `password=` with a
value that looks drawn at random. A hash, a UUID or a base64 text is no key for being random: it
must have such a shape or such a name. Shown are its first characters only.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Texts are looked through in windows, and two of them share enough that no key falls between.
WINDOW = 1 << 20
OVERLAP = 1 << 14
# A value under such a name counts from this many bits a character on; words have about 3 or less.
LEAST_BITS = 3.0
LEAST_VALUE = 12
JSON_FILE_BYTES = 64 << 20

START = r"(?<![A-Za-z0-9])"
END = r"(?![A-Za-z0-9])"
NAMES = ("password", "passwd", "passphrase", "secret", "token", "key", "credential")
NAME = r"(?:pass(?:word|wd|phrase)|secret|token|(?:api|access|secret|auth)[_-]?key|credential)"
VALUE = r"([^\s\"'\\,;<>(){}\[\]]{8,512})"


@dataclass(frozen=True)
class Shape:
    """`hints`: one of them, in small letters, is in any text that has such a key; looking for them
    first is what makes a scan quick, and most patterns are then never compiled. Where `judged`,
    what the group caught must look random."""

    kind: str
    hints: tuple[str, ...]
    pattern: str
    judged: bool = False


def shape(kind: str, hints: str, pattern: str, judged: bool = False) -> Shape:
    return Shape(kind, tuple(hints.split()), pattern, judged)


SHAPES = (
    shape(
        "private key", "-----begin", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    ),
    shape("AWS key", "akia asia", rf"{START}(?:AKIA|ASIA)[A-Z2-7]{{16}}{END}"),
    shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{START}gh[pousr]_[A-Za-z0-9]{{36,255}}"),
    shape("GitHub token", "github_pat_", rf"{START}github_pat_\w{{22,255}}"),
    shape("GitLab token", "glpat- gldt- glrt-", rf"{START}gl(?:pat|dt|rt)-[A-Za-z0-9_-]{{20,255}}"),
    shape(
        "Hugging Face token", "hf_ api_org_", rf"{START}(?:hf|api_org)_[A-Za-z0-9]{{30,64}}{END}"
    ),
    shape("Slack token", "xox xapp", rf"{START}(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{{10,255}}"),
    shape("Slack hook", "hooks.slack", r"hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,64}"),
    shape("Google API key", "aiza", rf"{START}AIza[0-9A-Za-z_-]{{35}}(?![0-9A-Za-z_-])"),
    shape("Stripe key", "k_live_", rf"{START}[rs]k_live_[0-9A-Za-z]{{16,255}}"),
    shape("npm token", "npm_", rf"{START}npm_[A-Za-z0-9]{{36}}{END}"),
    shape("PyPI token", "pypi-age", rf"{START}pypi-AgE[A-Za-z0-9_-]{{40,512}}"),
    shape("JWT", ".eyj", rf"{START}eyJ[\w-]{{10,4000}}\.eyJ[\w-]{{10,4000}}\.[\w-]{{10,1024}}"),
    shape("address with a password", "://", r"[a-z]://[^\s:/@\"']{0,128}:([^\s@/\"']{3,256})@"),
    shape("API key", "sk-", rf"{START}(sk-[A-Za-z0-9_-]{{20,255}})", judged=True),
    shape(
        "bearer token", "bearer", r"(?i)\bbearer[ \t]{1,3}([\w.~+/-]{20,4000}={0,2})", judged=True
    ),
    Shape(
        "key by its name",
        NAMES,
        rf"(?i){NAME}[\\\"']{{0,3}}[ \t]{{0,3}}[:=]{{1,2}}[ \t]{{0,3}}[\\\"']{{0,3}}{VALUE}",
        judged=True,
    ),
    Shape(
        "key by its option",
        tuple(f"-{name}" for name in (*NAMES, "api", "access", "auth")),
        rf"(?i)--?{NAME}[ \t]{{1,3}}[\"']?{VALUE}",
        judged=True,
    ),
)
STAND_INS = re.compile(r"(?i)^(?:\$|%|<|\*+$|x+$|\.+$|pass(?:word|wd)?$|secret$|token$|redacted)")


@dataclass(frozen=True)
class Found:
    where: str
    kind: str
    redacted: str

    def __str__(self) -> str:
        return f"{self.where}: {self.kind} {self.redacted}"


def scan(texts: Iterable[tuple[str, str]]) -> list[Found]:
    """Of (where, text) pairs; a text of several lines is told by line."""
    return [found for where, text in texts for found in scan_text(where, text)]


def scan_text(where: str, text: str) -> Iterator[Found]:
    several = "\n" in text
    seen: set[tuple[int, str]] = set()
    for start in range(0, max(len(text), 1), WINDOW - OVERLAP):
        for at, kind, key in keys_in(text[start : start + WINDOW]):
            if (start + at, key) not in seen:
                seen.add((start + at, key))
                line = text.count("\n", 0, start + at) + 1
                yield Found(f"{where}, line {line}" if several else where, kind, redacted(key))


def keys_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Where it starts, its kind, and the key; one key counts once, under the first kind it fits."""
    small = text.lower()
    taken: list[tuple[int, int]] = []
    for shape in SHAPES:
        if not any(hint in small for hint in shape.hints):
            continue
        for match in re.finditer(shape.pattern, text):
            group = match.lastindex or 0
            start, end, key = match.start(group), match.end(group), match[group]
            if STAND_INS.match(key) or (shape.judged and not looks_random(key)):
                continue
            if any(start < other_end and other < end for other, other_end in taken):
                continue
            taken.append((start, end))
            yield start, shape.kind, key


def looks_random(value: str) -> bool:
    """Long, of letters and digits mixed, and with many different characters."""
    if len(value) < LEAST_VALUE:
        return False
    if not re.search(r"[A-Za-z]", value) or not re.search(r"[0-9]", value):
        return False
    return bits(value) >= LEAST_BITS


def bits(value: str) -> float:
    """Shannon's entropy of its characters."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def redacted(key: str) -> str:
    return f"{key[: min(4, len(key) // 4)]}... ({len(key)} characters)"


def texts_of(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """The texts within a JSON value. A name goes with its value, as an environment does."""
    if isinstance(value, dict):
        for key, item in value.items():
            inner = f"{where}.{key}"
            if isinstance(item, str):
                yield inner, f"{key}={item}"
            else:
                yield inner, str(key)
                yield from texts_of(item, inner)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from texts_of(item, f"{where}[{i}]")
    elif isinstance(value, str):
        yield where, value


def scan_file(path: Path, where: str) -> list[Found]:
    """A JSON file by its values, any other line by line."""
    if path.suffix == ".json" and path.stat().st_size <= JSON_FILE_BYTES:
        try:
            return scan(texts_of(json.loads(path.read_bytes()), where))
        except (ValueError, RecursionError):
            pass
    found: list[Found] = []
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        line, tail = 1, ""
        while text := file.read(WINDOW):
            text = tail + text + file.readline(OVERLAP)
            found += [
                Found(f"{where}, line {line + text.count(chr(10), 0, at)}", kind, redacted(key))
                for at, kind, key in keys_in(text)
            ]
            tail = "" if text.endswith("\n") else text[-OVERLAP:]
            line += text.count("\n") - tail.count("\n")
    return list(dict.fromkeys(found))
