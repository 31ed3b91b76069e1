"""The kinds of the lines of a text that uses little of Markdown, found without a parser.

Most texts of a journal have paragraphs, headings, lists of one level, fences and comments, all at
the beginning of a line. For those this says what a Markdown parser would, ten times as fast and
without importing one; at the first line that needs more it gives up.
"""

import re

Kind = tuple[str, int]  # as a Line has them: what it is, and its level

HEADING = re.compile(r"(#{1,6})(?: |$)")
ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)]) (.*)")
# What begins something else: code, HTML, a quote, a list, a heading in a list. And within a line: a
# tab, or the end of a definition of where links lead.
ODD = re.compile(r"[ <>]|```|~~~|(?:[-+*]|\d{1,9}[.)])(?: |$)|#{1,6}(?: |$)|.*?(?:\t|\]:)")
FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
TEXT, BLANK, INSIDE, COMMENT = ("text", 0), ("blank", 0), ("fence", 0), ("comment", 0)
ITEM_KIND = ("item", 1)


def plain_kinds(rows: list[str]) -> list[Kind] | None:
    """None where a parser has to look at it."""
    kinds: list[Kind] = []
    paragraph = False  # whether the line above is text outside of lists, which few things interrupt
    end: re.Pattern[str] | None = None  # of the fence that is open
    for row in rows:
        if end:
            kinds.append(INSIDE)
            end = None if end.fullmatch(row) else end
            continue
        if not row.strip(" "):
            kinds.append(BLANK)
            paragraph = False
            continue
        if opening := FENCE.match(row):
            mark = opening[1] or opening[2]
            end = re.compile(rf" {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*")
        kind = INSIDE if end else kind_of(row, paragraph)
        if kind is None:
            return None
        paragraph = kind is TEXT and (paragraph or not kinds or kinds[-1] not in (ITEM_KIND, TEXT))
        kinds.append(kind)
    return None if end else kinds


def kind_of(row: str, paragraph: bool) -> Kind | None:
    if heading := HEADING.match(row):
        return "heading", len(heading[1])
    if row.startswith("<!--"):
        return COMMENT if "-->" in row[4:] else None
    item = ITEM.match(row)
    number, content = item.groups() if item else (None, row)
    if ODD.match(content) or not any(map(str.isalnum, content)):
        return None
    if item is None:
        return TEXT
    if paragraph and number is not None and int(number) != 1:
        return TEXT
    return ITEM_KIND
