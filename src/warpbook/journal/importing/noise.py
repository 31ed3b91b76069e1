"""What comes along when posts are copied off a page: names, handles, ages, counts, buttons.

Says of one line whether it is such a sign. Knows nothing of who wrote the posts.
"""

import re

from warpbook.journal.importing import dates
from warpbook.journal.importing.dates import Written

HANDLE = re.compile(r"@(\w{1,30})")
AGE = (
    r"\d{1,3}\s?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?"
    r"|y|yrs?|years?)"
)
COUNT = r"\d[\d,.]*\s?[KkMm]?"
COUNTED = (
    r"(?:likes?|repl(?:y|ies)|re(?:posts?|tweets?)|views?|comments?|bookmarks?|quotes?|points?"
    r"|shares?|reactions?|impressions?)"
)
DOT = r"[\u00b7\u2022\u2027|]"
ONLY_HANDLE = re.compile(rf"@\w{{1,30}}(?:\s*{DOT}.*)?")
NAME_AND_HANDLE = re.compile(
    rf"[^@\n]{{1,60}}?\(?@\w{{1,30}}\)?\s*(?:{DOT}\s*(?:{AGE}|.{{0,30}}\d.{{0,30}}))?"
)
FOOTER = re.compile(rf"\d{{1,2}}:\d\d\s*(?:[AP]M)?\s*{DOT}\s*(?P<date>.+)", re.IGNORECASE)
SIGNED = re.compile(r"[\u2014\u2013-]\s*[^@]{1,60}\(@\w{1,30}\)\s*(?P<date>.+)")
STRONG = (
    ONLY_HANDLE,
    FOOTER,
    SIGNED,
    re.compile(r"replying to\b.{0,200}", re.IGNORECASE),
    re.compile(rf"(?:{COUNT}\s*{COUNTED}\b\W*){{1,6}}", re.IGNORECASE),
    re.compile(rf"{AGE}\s+ago\W*(?:edited)?\W*", re.IGNORECASE),
    re.compile(
        r"(?:show (?:more|less|this thread|replies)|see (?:more|translation)"
        r"|translate (?:post|tweet)|read \d+ repl(?:y|ies)|quote|repost|retweet|reply|share|like"
        r"|pinned(?: post| tweet)?|follow(?:ing)?|you (?:reposted|retweeted)"
        r"|.{1,50} (?:reposted|retweeted|liked)|promoted|most relevant)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:{DOT}\s*)+"),
)
WEAK = re.compile(rf"(?:{COUNT}(?:\s+|$)){{1,6}}|{AGE}", re.IGNORECASE)
MOST_NAME_WORDS = 5
LONGEST = 300


def is_sign(text: str) -> bool:
    said = text.strip()
    if len(said) > LONGEST:
        return False
    return any(form.fullmatch(said) for form in STRONG) or is_header(said)


def is_header(said: str) -> bool:
    """ "Jane Doe @jane \u00b7 3h", not a sentence that ends with somebody's handle."""
    if not NAME_AND_HANDLE.fullmatch(said):
        return False
    name = said[: said.index("@")].strip(" (")
    capital = all(word[:1].isupper() or not word[:1].isalpha() for word in name.split())
    return (
        len(name.split()) <= MOST_NAME_WORDS and capital and not name.endswith((":", ",", ".", "!"))
    )


def is_weak(text: str) -> bool:
    """A number or an age by itself: a sign only among others."""
    return len(text) < LONGEST and bool(WEAK.fullmatch(text.strip()))


def handle(text: str) -> str:
    """The one that a header names; not the one replied to."""
    said = text.strip()
    if not (ONLY_HANDLE.fullmatch(said) or SIGNED.fullmatch(said) or is_header(said)):
        return ""
    found = HANDLE.search(said)
    return found[1].lower() if found else ""


def date_in(text: str) -> Written | None:
    """Of a header, "Jane @jane \u00b7 Jan 4", which dates the post below it."""
    said = text.strip()
    if not handle(said) or SIGNED.fullmatch(said):
        return None
    return dates.found(said[HANDLE.search(said).end() :])  # type: ignore[union-attr]


def date_of_above(text: str) -> Written | None:
    """Of a footer, "9:30 PM \u00b7 Jan 4, 2026", which dates the post above it."""
    said = text.strip()
    found = FOOTER.fullmatch(said) or SIGNED.fullmatch(said)
    return dates.found(found["date"]) if found else None


def is_name(text: str) -> bool:
    """Whether it could be the name above a handle."""
    words = text.split()
    if not 1 <= len(words) <= MOST_NAME_WORDS or len(text.strip()) > 50:
        return False
    return not text.rstrip().endswith((".", "!", "?", ":", ",", ";")) and "://" not in text
