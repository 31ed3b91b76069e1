"""Addresses in a line, what they are called there, and which headings stand above lists of them.

Knows nothing of days or of the reading list they end up in.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from warpbook.journal.importing.lines import BOLD_LEVEL, Line, item
from warpbook.journal.importing.marks import Mark
from warpbook.journal.reading import addresses

INSIDE = r"[^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,5}"
NAMED = re.compile(rf"!?\[([^\[\]]{{0,500}})\]\(\s*<?({INSIDE})>?(?:\s+\"[^\"]*\")?\s*\)")
BARE = re.compile(r"https?://[^\s<>\"`]+", re.IGNORECASE)
DOMAINS = "com|org|net|io|dev|ai|edu|gov|co|me|be|gg|xyz|blog|tech|app|page|site|uk|de|ch|fr|eu|in"
WITHOUT_SCHEME = re.compile(
    rf"(?<![\w@/.:-])(?:www\.[^\s<>\"`]+|(?:[a-z0-9-]{{1,63}}\.){{1,5}}(?:{DOMAINS})/[^\s<>\"`]*)",
    re.IGNORECASE,
)
TRAILING = ".,;:!?'*_~"
SEPARATORS = " \t-\u2013\u2014:|,;\u00b7\u2022>=*_()[]\u2192"
QUOTES = "*_` \"'"
GENERIC = frozenset((
    "here", "link", "this", "url", "source", "this one", "post", "article", "code", "github",
    "repo", "paper", "pdf", "arxiv", "blog", "video", "slides",
))  # fmt: skip
READING = re.compile(
    r"\b(?:read(?:ing)?s?|to read|links?|resources?|references?|papers?|blogs?|articles?|posts?"
    r"|books?|chapters?|videos?|lectures?|talks?|courses?|repos?|repositories|code|threads?"
    r"|bookmarks?|watch(?:list)?|material)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[^\W\d]{3}[.!?])\s+")  # the end of one, not of "Vol. 2"
LONGEST_TITLE = 120
MOST_NAME_WORDS = 8  # of a title behind an address
# Words of somebody who says what they think or did, rather than what a thing is called.
SAID = re.compile(
    r"\b(?:i|i'?m|i'?ve|me|my|we|this|that|it|it'?s|is|was|are|were|did(?:n'?t)?|do(?:n'?t)?|not?|never"
    r"|great|good|best|better|nice|cool|bad|worst|ok(?:ay)?|meh|love[ds]?|liked?|awesome|amazing"
    r"|excellent|fantastic|useful|helpful|clear|boring|long|short|hard|easy|dense|worth|must|favou?rite"
    r"|recommend(?:ed)?|skip(?:ped)?|skim(?:med)?|read|reread|watch(?:ed)?|finish(?:ed)?|start(?:ed)?"
    r"|done|todo|later|again|today|tomorrow|yesterday|very|really|too|so|wow|lol|still|just)\b"
    r"|[!?\u2600-\u27bf\U0001f300-\U0001faff]|\.\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Link:
    """`words`: what the line calls it, empty where it says nothing."""

    address: str
    words: str
    start: int
    end: int

    @property
    def cut(self) -> bool:
        return addresses.cut(self.address)


def in_text(text: str) -> list[Link]:
    if "/" not in text and "www." not in text.lower():
        return []
    found = [
        Link(match[2], match[1].strip(), *match.span())
        for match in NAMED.finditer(text)
        if addresses.looks_like_one(match[2]) or addresses.cut(match[2])
    ]
    for form in (BARE, WITHOUT_SCHEME):
        for match in form.finditer(text):
            if any(match.start() < one.end and match.end() > one.start for one in found):
                continue
            address = ended(match[0])
            found.append(Link(address, "", match.start(), match.start() + len(address)))
    return sorted(found, key=lambda link: link.start)


def ended(address: str) -> str:
    """Without the punctuation of the sentence around it."""
    if addresses.cut(address):
        return address
    while address and (
        address[-1] in TRAILING
        or (
            address[-1] in ")]}"
            and address.count("([{"[")]}".index(address[-1])]) < address.count(address[-1])
        )
    ):
        if addresses.cut(address):
            return address
        address = address[:-1]
    return address


def words_around(text: str, found: Sequence[Link]) -> tuple[str, str]:
    """What stands before the first and after the last of them, without separators."""
    before, after = text[: found[0].start], text[found[-1].end :]
    words = after.strip().lstrip(SEPARATORS).strip()
    if words.endswith(")") and words.count("(") < words.count(")"):
        words = words[:-1].rstrip()
    return before.strip(SEPARATORS), words


def title(link: Link, before: str) -> str:
    """Empty where nothing on the line is one: `before` is a title only if it is short."""
    words = link.words.strip("*_` ")
    if words and words.lower() not in GENERIC and not addresses.looks_like_one(words):
        return words
    last = SENTENCE.split(before)[-1].strip("*_ ")
    return last if len(last) <= LONGEST_TITLE else ""


def is_name(words: str) -> bool:
    """Whether words behind an address are its title, and not what somebody thinks of it."""
    known = words.strip(QUOTES)
    return (
        0 < len(known.split()) <= MOST_NAME_WORDS
        and (known[0].isupper() or known[0].isdigit())
        and any(c.isalpha() for c in known)
        and not SAID.search(known)
    )


def plain_title(address: str) -> str:
    """For an item that nothing gives a name."""
    return re.sub(r"^https?://(?:www\.)?", "", address, flags=re.IGNORECASE) or address


def sections(lines: Sequence[Line], marks: Mapping[int, Mark]) -> set[int]:
    """The numbers of headings above lists of things to read, or above others that are."""
    found: set[int] = set()
    below: Line | None = None
    for heading, inside in reversed([*headed(lines, marks)]):
        items = [one for line in inside if (one := item(line.text)) and not one.indent]
        linked = [line for line in inside if not line.fenced and in_text(line.text)]
        first = next((line for line in inside if not line.blank), None)
        named = bool(READING.search(heading.inner)) and len(heading.inner) < LONGEST_TITLE
        begins = first is not None and first in linked
        most = len(linked) * 2 >= max(len(items), 1)
        lists = named or begins or most if linked else named and bool(items)
        deeper = first is None and below is not None and below.level > heading.level
        if lists or (deeper and below is not None and below.number in found):
            found.add(heading.number)
        below = heading
    return found


def headed(lines: Sequence[Line], marks: Mapping[int, Mark]) -> Iterator[tuple[Line, list[Line]]]:
    """Each heading that is no mark, with the lines up to the next heading or mark."""
    heading, inside = None, list[Line]()
    for line in lines:
        begins = line.level <= BOLD_LEVEL and not line.fenced
        if line.number not in marks and not begins:
            inside.append(line)
            continue
        if heading:
            yield heading, inside
        heading, inside = (line if begins and line.number not in marks else None), []
    if heading:
        yield heading, inside
