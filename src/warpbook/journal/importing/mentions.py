"""What a day links to, with what it says of it there.

The text stays in the day, so these have no lines of their own. Knows nothing of lists of links;
those are in `lists`.
"""

import re
from collections.abc import Sequence

from warpbook.journal.importing import links
from warpbook.journal.importing.lines import Item, Line, indent, item
from warpbook.journal.importing.lists import STATES, Found, dedented

NAMES = (":", "-", "\u2013", "\u2014")  # what stands between a title and its address
BESIDE = re.compile(r"\s*[)\]]?\s*[-\u2013\u2014:(\u2192]")
SILENT = " .,;:!?)]*_"


def find(lines: Sequence[Line], topic: str, added: str) -> list[Found]:
    made = []
    for at, line in enumerate(lines):
        found = [] if line.fenced else links.in_text(line.text)
        bullet = item(line.text) if found else None
        for link in found:
            title, notes = "", ""
            if len(found) == 1 and not line.text.lstrip().startswith("|"):
                title, notes = said_of(lines, at)
            title = links.title(link, "") or title or links.plain_title(link.address)
            made.append(
                Found(
                    line.number,
                    title,
                    link.address,
                    topic,
                    state=STATES.get(bullet.box, "") if bullet else "",
                    added=added,
                    cut=link.cut,
                    notes=notes,
                )
            )
    return made


def said_of(lines: Sequence[Line], at: int) -> tuple[str, str]:
    """What the line of one link calls it, and the note: words behind it that are set apart, and
    what stands beneath."""
    bullet = item(lines[at].text)
    text = bullet.text if bullet else lines[at].inner
    found = links.in_text(text)
    if not found:
        return "", ""
    before, after = links.words_around(text, found)
    title = ""
    if text[: found[0].start].rstrip().endswith(NAMES):
        title = links.title(found[0], before)
    elif not before and not found[0].words and links.is_name(after):
        title, after = after.strip(links.QUOTES), ""
    apart = not before or BESIDE.match(text[found[0].end :])
    note = after if apart and after.strip(SILENT) else ""
    below = beneath(lines, at, bullet, alone=not before and not note)
    return title, "\n\n".join(part for part in (note, dedented(below)) if part)


def beneath(lines: Sequence[Line], at: int, bullet: Item | None, alone: bool) -> list[Line]:
    """Lines deeper than the link's own item; items right below a link that has a line to itself."""
    made = []
    for line in lines[at + 1 :]:
        if line.blank or (not line.fenced and links.in_text(line.text)):
            break
        if indent(line.text) <= bullet.indent if bullet else not (alone and item(line.text)):
            break
        made.append(line)
    return made
