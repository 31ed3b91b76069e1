"""Short stable ids, made from what is named, so that a thing found twice has one id."""

import base64
import hashlib
import re
import unicodedata

LENGTH = 8
ID = re.compile(r"[a-z2-7]{4,16}(?:\.\d{1,3})?")


def id_of(*parts: str) -> str:
    digest = hashlib.sha256("\0".join(map(plain, parts)).encode()).digest()
    return base64.b32encode(digest).decode().lower()[:LENGTH]


def plain(text: str) -> str:
    """Without what does not make two texts different: case, spaces, forms of characters."""
    if text.isascii():  # has one form only: 3 times quicker, over all titles of a large book
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
