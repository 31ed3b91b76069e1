"""How long a post is, as the network counts: composed characters, each address 23, most letters 1,
all else 2, and an emoji 2 however many characters it is made of.

Knows nothing of what a post says.
"""

import re
import unicodedata
from collections.abc import Iterator

ADDRESS = 23
LIGHT = ((0, 0x10FF), (0x2000, 0x200D), (0x2010, 0x201F), (0x2032, 0x2037))  # these count 1

PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
SHADE = "[\ufe0f\U0001f3fb-\U0001f3ff]"
EMOJI = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3"
    f"|{PICTURE}{SHADE}{{0,2}}(?:\u200d{PICTURE}{SHADE}{{0,2}}){{0,9}}"
)
JOINERS = "\u200c\u200d"

# What networks make a link of. Its path ends with a letter, a digit or one of a few marks, so that
# the full stop of a sentence is no part of it. Repeats are bounded: a text full of beginnings would
# take forever otherwise.
NAME = r"(?:[A-Za-z0-9][A-Za-z0-9_-]{0,62}\.){1,9}"
PATH = r"(?::\d{1,5})?(?:[/?#](?:[!#-;=?-Z\[\]_a-z|~]{0,4000}[A-Za-z0-9/=_#&+~-])?)?"
WITH_SCHEME = rf"(?<![A-Za-z0-9@$#])https?://{NAME}[A-Za-z]{{2,24}}{PATH}"
# Without a scheme it is a link if it ends as names do, and files often have such an ending: main.py
# and kernel.cu are names in Paraguay and Cuba.
ENDINGS = (
    "com org net edu gov mil int info biz name pro dev app blog cloud online site tech store xyz "
    "page wiki news live link zip mov run cpp "
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs "
    "bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec "
    "ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy "
    "hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz "
    "la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx "
    "my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re "
    "ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th "
    "tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
)
BARE = rf"(?<![\w@$#./:-]){NAME}(?:{'|'.join(ENDINGS.split())})(?![\w-]|\.\w){PATH}"
LINK = re.compile(f"(?:{WITH_SCHEME})|(?:{BARE})", re.IGNORECASE)


def weight(text: str) -> int:
    """Of any text; one that is not composed yet is composed first."""
    composed = unicodedata.normalize("NFC", text)
    if "." not in composed:
        return plain(composed)
    total, end = 0, 0
    for found in LINK.finditer(composed):
        total += plain(composed[end : found.start()]) + link(found[0])
        end = found.end()
    return total + plain(composed[end:])


def link(text: str) -> int:
    """One without a scheme may be taken for a link or for words: the larger of both."""
    if text[:4].lower() == "http" and "://" in text:
        return ADDRESS
    return max(ADDRESS, plain(text))


def plain(text: str) -> int:
    """Of a text that has no address."""
    if text.isascii():
        return len(text)
    total, end = 0, 0
    for found in EMOJI.finditer(text):
        if len(found[0]) > 1:
            total += letters(text[end : found.start()]) + 2
            end = found.end()
    return total + letters(text[end:])


def letters(text: str) -> int:
    return sum(1 if any(low <= ord(c) <= high for low, high in LIGHT) else 2 for c in text)


def atoms(word: str) -> Iterator[str]:
    """What is not to be cut in two: addresses, and characters with all that belongs to them."""
    end = 0
    for found in LINK.finditer(word):
        yield from clusters(word[end : found.start()])
        yield found[0]
        end = found.end()
    yield from clusters(word[end:])


def clusters(text: str) -> Iterator[str]:
    """Characters as people see them: a letter with its marks, an emoji with its parts."""
    at = 0
    while at < len(text):
        found = EMOJI.match(text, at)
        end = found.end() if found else at + 1
        while end < len(text) and belongs(text[end]):
            end += 1 + (text[end] in JOINERS and end + 1 < len(text))
        yield text[at:end]
        at = end


def belongs(character: str) -> bool:
    """To the character before it."""
    return character in JOINERS or unicodedata.category(character).startswith("M")
