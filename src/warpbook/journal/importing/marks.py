"""Lines that begin something: a date, a post's count, a year.

One line at a time, with what stands right above and below it. Which of them hold is for `entries`
and `settling`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from warpbook.journal.days import counters
from warpbook.journal.days.counters import Claimed
from warpbook.journal.importing import dates
from warpbook.journal.importing.dates import Written
from warpbook.journal.importing.lines import BOLD_LEVEL, PLAIN_LEVEL, Line, is_rule, item
from warpbook.journal.texts.blocks import Line as BlockLine

LEADING = re.compile(r"[^\w@]+")
LEFT = r"T\s*[-+\u2212\u2013]\s*\d{1,5}(?!\w)"
ONLY_LEFT = re.compile(rf"{LEFT}\s*[:.)\]]*(?:\s*(?:[-\u2013\u2014|:(]\s*.*)?)")
# What may stand behind a date that has a plain line to itself.
QUIET = re.compile(
    rf"[\s:)\]]*(?:[-\u2013\u2014|,\u00b7]?\s*[(\[]?\s*{LEFT}\s*[)\]]?)?[\s:]*(?:\([^()]{{1,60}}\))?\s*"
)
COUNTED = re.compile(
    r"\s*[-\u2013\u2014|:,(\u00b7]*\s*#?(?:day\s*#?\s*\d|\d{1,5}\s*/\s*\d{2,5}\s+of\b)", re.I
)
SEPARATED = re.compile(r"\s*(?:[:|\u2013\u2014]|-(?=\s)|\()\s*\S")
RANGE = re.compile(r"\s?[-\u2013\u2014]\s?(?:\d{1,2}(?:st|nd|rd|th)?(?![\w:])|(?=(?P<date>.+)))")
LAST = re.compile(r"\s?[-\u2013\u2014]\s?\d{1,2}(?:st|nd|rd|th)?\s*:?")
POST = re.compile(
    r"#?day\s*#?\s*\d{1,5}\s*/\s*\d{1,5}(?![\d/])"
    r"|\d{1,5}\s*/\s*\d{2,5}(?![\d/])\s+of\s+\S"
    r"|#?day\s*#?\s*\d{1,5}(?![\w/%.]|\s*(?:[,.]?\s*(?!of\b|out\b|T\b)[^\W_]))",
    re.IGNORECASE,
)
# All that stands before a date which is a count's own, as in "Day 9 of CUDA (October 23): tiles".
COUNT = re.compile(
    r"#?day\s*#?\s*\d{1,5}(?:\s*/\s*\d{1,5})?(?:\s+of\s+[^-\u2013\u2014|:,()]{1,60})?"
    r"\s*[-\u2013\u2014|:,(\[\u00b7]*\s*",
    re.IGNORECASE,
)
YEAR = re.compile(r"\W*(?:year:?\s+)?((?:19|20)\d\d)\W*", re.IGNORECASE)
IN_TITLE = re.compile(r"(?<![\w/.-])((?:19|20)\d\d)(?![\w/.]|-\d)")
DIGIT = re.compile(r"\d")
ITEM_LEVEL = PLAIN_LEVEL + 1
LONGEST = 400  # characters of a line that may say what begins with it


@dataclass(frozen=True)
class Mark:
    """`compact`: more text follows on the line itself, as in "Jan 4: read about warps"."""

    kind: str  # date, post or year
    number: int
    level: int
    text: str
    written: Written | None = None
    claimed: Claimed | None = None
    year: int = 0
    month: int = 0
    compact: bool = False
    note: str = ""


def find(lines: Sequence[Line]) -> dict[int, Mark]:
    """By the number of their line. Dates with more text on a plain line count where no heading has
    one, and those of items only where nothing else has."""
    found: dict[int, Mark] = {}
    for at, line in enumerate(lines):
        above = "" if begins_a_line(found.get(at)) else lines[at - 1].text if at else ""
        below = lines[at + 1].text if at + 1 < len(lines) else ""
        if not line.fenced and not line.blank and (mark := of_line(line, above, below)):
            found[line.number] = mark
    dated = [mark for mark in found.values() if mark.kind == "date" and not mark.compact]
    headed = any(mark.level <= BOLD_LEVEL for mark in dated)
    plain = any(m.kind == "date" and m.compact and m.level < ITEM_LEVEL for m in found.values())
    posts = any(mark.kind == "post" and mark.level == PLAIN_LEVEL for mark in found.values())
    for number, mark in list(found.items()):
        if mark.kind == "year":
            if mark.compact and (posts or mark.text != str(mark.year)):  # else 2024 views of a post
                del found[number]
            continue
        below_all = mark.level == ITEM_LEVEL and (dated or plain)
        if mark.compact and (below_all or (headed and mark.level == PLAIN_LEVEL)):
            del found[number]
    return found


def begins_a_line(above: Mark | None) -> bool:
    """Of "Jan 4: read" right above "Jan 5: wrote"."""
    return above is not None and above.kind == "date" and (above.compact or above.text[-1:] == ":")


def of_line(line: Line, above: str, below: str) -> Mark | None:
    level, inner = line.level, line.inner[:LONGEST]
    if level == PLAIN_LEVEL and not DIGIT.search(inner):
        return None
    if level == PLAIN_LEVEL and inner.startswith("|") and (mark := row(line)):
        return mark
    if level == PLAIN_LEVEL and (bullet := item(line.text)):
        if bullet.indent or bullet.box:
            return None
        level, inner = ITEM_LEVEL, bullet.text[:LONGEST]
    text = LEADING.sub("", inner, count=1) if LEADING.match(inner) else inner
    if level < ITEM_LEVEL and (mark := year(line, level, inner, above, below)):
        return mark
    return dated(line, level, text, above) or (
        post(line, level, text) if level < ITEM_LEVEL else None
    )


def row(line: Line) -> Mark | None:
    """Of a table that has a date in a cell of its own."""
    cells = [cell.strip("* `") for cell in line.inner[:LONGEST].strip("|").split("|")]
    for cell in cells:
        written = dates.found(cell)
        if written and written.text == cell and not written.is_fraction:
            text = line.text.strip()
            claimed = next((one for other in cells if (one := claims(line, other))), None)
            return Mark("date", line.number, ITEM_LEVEL, text, written, claimed, compact=True)
    return None


def year(line: Line, level: int, inner: str, above: str, below: str) -> Mark | None:
    """`compact` where it ends a paragraph, and could be the text of one."""
    ends = level <= BOLD_LEVEL or not below.strip() or below.startswith("#") or is_rule(below)
    beneath = level > BOLD_LEVEL and bool(above.strip()) and not is_rule(above)
    if ends and (found := YEAR.fullmatch(inner)):
        text = line.text.strip()
        return Mark("year", line.number, level, text, year=int(found[1]), compact=beneath)
    if level <= BOLD_LEVEL and (both := dates.month_and_year(inner)):
        month, number = both
        return Mark("year", line.number, level, line.text.strip(), year=number, month=month)
    return None


def dated(line: Line, level: int, text: str, above: str) -> Mark | None:
    written = dates.found(text)
    if written is None and level <= BOLD_LEVEL:
        written = dates.weekday_alone(text)
    if written is None:
        return counted_down(line, level, text)
    before, after = text[: written.start], text[written.end :]
    if written.is_fraction and after.lstrip()[:3] == "of ":
        return None
    claimed = claims(line, f"{before} {after}")
    compact = False
    alone = bool(QUIET.fullmatch(after) or LAST.fullmatch(after))
    if level <= BOLD_LEVEL:
        if before and not ends_a_heading(before, after):
            return None
        if written.is_fraction and not (alone or COUNTED.match(after) or SEPARATED.match(after)):
            return None
    else:
        if before:
            return None
        alone = alone or (level == PLAIN_LEVEL and bool(COUNTED.match(after)))
        if not alone and (not SEPARATED.match(after) or (level == PLAIN_LEVEL and above.strip())):
            return None
        compact = not alone or level == ITEM_LEVEL
    note = "a span of days, under its first" if spans_days(after) else ""
    return Mark(
        "date", line.number, level, line.text.strip(), written, claimed, compact=compact, note=note
    )


def ends_a_heading(before: str, after: str) -> bool:
    """As in "Day 9 of CUDA (October 23)" and "Notes: 2026-01-04"; not a date amid a sentence."""
    if COUNT.fullmatch(before):
        return True
    quiet = bool(QUIET.fullmatch(after))
    return quiet and (
        before.rstrip()[-1:] in "-\u2013\u2014|:,([\u00b7" or bool(POST.match(before.strip() + " "))
    )


def spans_days(after: str) -> bool:
    found = RANGE.match(after)
    if found is None:
        return False
    if found["date"] is None:
        return True
    other = dates.found(found["date"])
    return other is not None and other.start == 0


def counted_down(line: Line, level: int, text: str) -> Mark | None:
    """ "T - 154" in a line of its own says the date where the target is known."""
    found = ONLY_LEFT.fullmatch(text)
    if found is None or level > PLAIN_LEVEL:
        return None
    if level == PLAIN_LEVEL and not re.fullmatch(rf"{LEFT}\s*[:.)\]]*", text):
        return None
    return Mark("date", line.number, level, line.text.strip(), None, claims(line, text))


def post(line: Line, level: int, text: str) -> Mark | None:
    strong = POST.match(text)
    if not strong and not (level <= BOLD_LEVEL and re.match(r"#?day\s*#?\s*\d", text, re.I)):
        return None
    claimed = claims(line, text)
    if claimed is None or claimed.day is None:
        return None
    return Mark("post", line.number, level, line.text.strip(), own_date(text), claimed)


def own_date(text: str) -> Written | None:
    """Of a post that begins "Day 9 (October 23)"."""
    written = dates.found(text)
    if written is None or written.is_fraction or not COUNT.fullmatch(text[: written.start]):
        return None
    after = text[written.end :]
    return written if QUIET.fullmatch(after) or SEPARATED.match(after.lstrip(")] ")) else None


def claims(line: Line, text: str) -> Claimed | None:
    cleaned = (
        LEADING.sub("", text.strip(), count=1) if LEADING.match(text.strip()) else text.strip()
    )
    return counters.in_line(BlockLine(line.number, cleaned, "heading", 1), False)


def years_in(text: str) -> list[int]:
    """Years named in a title."""
    return [int(year) for year in IN_TITLE.findall(text)]
