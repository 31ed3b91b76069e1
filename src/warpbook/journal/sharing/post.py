"""A day as the text of a post, whatever its length: its count, then what was written, in plain
words.

The count is the derived one; one that the text claims otherwise stands beside it. How long a post
may be is for `post_cut`.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput
from warpbook.journal.days import counters, figures
from warpbook.journal.days.counters import Counter
from warpbook.journal.days.day_document import counted
from warpbook.journal.sharing import post_text

if TYPE_CHECKING:
    from warpbook.journal.days.days import Day
    from warpbook.journal.journal import Journal

LONGEST_TRACK = 60
MOST_TEXT = 200_000  # characters of a day; more than 700 posts
# What a day may begin with and the count before it says already: "Day 22/365 of CUDA (T - 154):".
OPENING = re.compile(
    r"(?:day\s*#?\s*\d{1,5}(?:\s*/\s*\d{1,5})?|\d{1,5}\s*/\s*\d{2,5}(?=\s+of\s))", re.IGNORECASE
)
LEFT = re.compile(r"[\s(,;-]*\bT\s*[-+\u2212\u2013]\s*\d{1,5}\)?(?![\w.])")
MARKS = " \t:,;-–—|."


def whole(journal: "Journal", day: "Day", track: str | None = None) -> str:
    """`Day 21/365 of gpu: ...`, whatever its length."""
    counter = counter_of(counted(journal, day), day, track)
    figure_of = figures.each_once(journal.index.connection)
    body = without_opening(post_text.plain(day.body[:MOST_TEXT], figure_of), counter)
    return f"{head(counter)}: {body}" if body else head(counter)


def counter_of(counts: Sequence[Counter], day: "Day", track: str | None) -> Counter:
    found = {one.track: one for one in counts}
    if track is None:
        return found[day.tracks[0]]
    if track not in found:
        raise BadInput(f"{day.date} is of {', '.join(day.tracks)}, not of {track!r}")
    return found[track]


def head(counter: Counter) -> str:
    """`Day 21/365 of gpu (the text says 22), T - 154`."""
    of = f"/{counter.of}" if counter.of else ""
    name = post_text.tidy([post_text.visible(counter.track)]).replace("\n", " ")
    if len(name) > LONGEST_TRACK:
        name = f"{name[: LONGEST_TRACK - 1]}…"
    said = dict.fromkeys(claim.day for claim in counter.claims if claim.day is not None)
    other = [str(number) for number in said if number != counter.day]
    beside = f" (the text says {' and '.join(other)})" if other else ""
    left = f", {counters.left_words(counter.left)}" if counter.left is not None else ""
    return f"Day {counter.day}{of} of {name}{beside}{left}"


def without_opening(text: str, counter: Counter) -> str:
    """The first line without a count of the same track that it begins with."""
    first, line_end, rest = text.partition("\n")
    found = OPENING.match(first)
    if found is None or not counter.claims:
        return text
    kept = without_name(first[found.end() :], counter)
    if counter.left is not None and counter.left in (claim.left for claim in counter.claims):
        kept = LEFT.sub("", kept, count=1)
    return f"{kept.lstrip(MARKS)}{line_end}{rest}".strip()


def without_name(text: str, counter: Counter) -> str:
    """` of CUDA: softmax` without the track's name."""
    names: Sequence[str] = [claim.name for claim in counter.claims if claim.name]
    for name in names:
        if found := re.match(rf"\s+of\s+{re.escape(name)}", text, re.IGNORECASE):
            return text[found.end() :]
    if found := re.match(r"\s+of\s+\d{1,5}(?:\s+days)?", text, re.IGNORECASE):
        return text[found.end() :]
    return text
