"""Text that others wrote, made fit to be shown: nothing in it drives a terminal or hides."""

import unicodedata

# Control and format characters, lone surrogates, and the two separators that end a line.
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def printable(text: str, lines: bool = False) -> str:
    """With every character that would drive a terminal, or not be seen, spelled out; `lines` keeps
    line ends and tabs."""
    if text.isascii() and text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(
        c if c in kept or unicodedata.category(c) not in UNSEEN else escaped(c) for c in text
    )


def escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
