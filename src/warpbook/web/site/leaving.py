"""What must not leave with a site: paths of the machine it was made on.

Keys are looked for by `book.exchange.secrets`; private days never get here.
"""

import os
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import warpbook

# Any path; the slash of a tag that closes, of a relative link and of an address begins none.
ANY = re.compile(r"(?:file://|(?<![\w/.~:<-]))/(?:[\w.+@~-]+/)+([\w.+@~-]+)")
PLAIN = re.compile(r"[\w. -]+")
LEAST = 4  # characters: a home of / is no secret


def roots(folder: Path) -> list[tuple[str, str]]:
    """Folders that are never told, and what stands for each; the longest first."""
    name = folder.name if PLAIN.fullmatch(folder.name) else "book"  # it goes into markup
    named = [
        (folder, name),
        (Path(os.path.expanduser("~")), "~"),
        (Path(warpbook.__file__).parent, "warpbook"),
    ]
    found = {
        form: shown
        for path, shown in named
        for form in (str(path), os.path.realpath(path), escape(str(path)))
        if len(form) >= LEAST
    }
    return sorted(found.items(), key=lambda pair: -len(pair[0]))


def without(text: str, hidden: Sequence[tuple[str, str]]) -> str:
    """The text, or markup, with what stands for those folders."""
    for path, shown in hidden:
        if path in text:
            text = re.sub(rf"(?<![\w.]){re.escape(path)}(?![\w.-])", shown, text)
    return text


def without_any(markup: str) -> str:
    """For what only machines wrote: of each path its last part."""
    return ANY.sub(r"\1", markup)
