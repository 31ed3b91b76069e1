"""Items written into a topic's file: each change touches lines of that one item alone.

Functions from text to text. Whatever notes and titles hold, they read back as they were given, and
never hide or begin another item.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.cards import cards
from warpbook.journal.ids import plain
from warpbook.journal.reading.reading import ID, INDENTED, Item, item_of
from warpbook.journal.reading.reading_lines import (
    COMMENT,
    FIELDS,
    HEADING,
    Section,
    after_front_matter,
    closed,
    hidden_lines,
    sections,
    without_blank_ends,
)

REPLACEMENT = "\ufffd"
LOOKS_CLOSING = re.compile(r"(^|[ \t])(\\*#+)$")
FENCES = re.compile(r"`{3,}|~{3,}")
# HTML that goes on past a blank line, until something ends it.
GOES_ON = re.compile(r"^( {0,3})(?=<(?:[!?]|script|pre|style|textarea))", re.MULTILINE | re.I)
DATED = re.compile(r"### (\d{4}-\d\d-\d\d)\s*")


def one_line(text: str) -> str:
    """With spaces between words alone, and a mark for each character that no text should have."""
    return "".join(map(fit, " ".join(text.split())))


def fit(character: str) -> str:
    return REPLACEMENT if unicodedata.category(character) in ("Cc", "Cs") else character


def tidy(notes: str) -> str:
    """Notes as they can be written: no blank lines around them, and nothing in them left open."""
    text = re.sub(r"\r\n?", "\n", notes)
    text = "".join(c if c in "\n\t" else fit(c) for c in text)
    lines = without_blank_ends(text.split("\n"))
    if not closed(lines):
        lines = closing(lines)
    hidden = hidden_lines(lines)
    return "\n".join(
        line[1:] if INDENTED.fullmatch(line) and at not in hidden else line
        for at, line in enumerate(lines)
    )


def closing(lines: list[str]) -> list[str]:
    """With the fence that is open closed, or what opens HTML no longer HTML."""
    longest = max(map(len, FENCES.findall("\n".join(lines))), default=3)
    ends = ("`" * longest, "~" * longest)
    for tried in (lines, GOES_ON.sub(r"\1\\", "\n".join(lines)).split("\n")):
        for added in ([], [ends[0]], [ends[1]]):
            if closed([*tried, *added]):
                return [*tried, *added]
    return [f"    {line}" for line in lines]


def written_notes(notes: str) -> list[str]:
    """The lines of tidy notes. A heading that would begin an item is moved in by one space: to
    Markdown it is the same."""
    lines = notes.split("\n") if notes else []
    hidden = hidden_lines(lines)
    return [
        f" {line}" if HEADING.fullmatch(line) and at not in hidden else line
        for at, line in enumerate(lines)
    ]


def heading(title: str) -> str:
    """Markdown drops number signs at a heading's end; a backslash keeps them."""
    kept = LOOKS_CLOSING.sub(r"\g<1>\\\g<2>", title)
    return f"## {kept}"


def field_line(name: str, value: str) -> str:
    return f"- {name}: {value}"


def values_of(item: Item) -> dict[str, str]:
    """What the file says of it, by the names used there; empty where it says nothing."""
    found = {}
    for name, attribute in FIELDS.items():
        value = getattr(item, attribute)
        found[name] = ("yes" if value else "") if name == "cut" else str(value or "")
    return found


def block(item: Item) -> str:
    """The item as its lines in a file, without the blank line that parts it from the next."""
    lines = [heading(item.title), f"<!-- reading:{item.id} -->"]
    lines += [field_line(name, value) for name, value in values_of(item).items() if value]
    notes = written_notes(item.notes)
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def fitting(item: Item) -> Item:
    """With texts as they can be written; `block` of it reads back as the same item."""
    return replace(
        item,
        title=one_line(item.title),
        address=one_line(item.address),
        up_to=one_line(item.up_to),
        feed=one_line(item.feed),
        notes=tidy(item.notes),
    )


def with_blocks(path: str, text: str, topic_title: str, blocks: list[str]) -> str:
    """The text with items at its end."""
    if not text.strip():
        text = f"# {one_line(topic_title)}\n"
    lines = text.split("\n")
    found = sections(lines)
    begin = found[-1].start if found else after_front_matter(lines)
    require_closed(path, lines, begin, len(lines))
    gap = "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + "\n".join(blocks)


def require_closed(path: str, lines: list[str], start: int, end: int) -> None:
    if not closed(lines[start:end]):
        raise BadInput(
            f"{path}:{start + 1}: below this a code fence or HTML is never closed; close it first, "
            "nothing was changed"
        )


def find(path: str, lines: list[str], id: str) -> Section:
    found = [one for one in sections(lines) if id_at(path, lines, one) == id]
    if not found:
        raise NotFound(f"{path}: the reading {id} is no longer there; nothing was changed")
    if len(found) > 1:
        at = " and ".join(str(one.start + 1) for one in found)
        raise Taken(f"{path}: the reading {id} is there twice, on lines {at}; make them one")
    return found[0]


def has(path: str, text: str, id: str) -> bool:
    lines = text.split("\n")
    return any(id_at(path, lines, one) == id for one in sections(lines))


def id_at(path: str, lines: list[str], one: Section) -> str:
    said = COMMENT.fullmatch(lines[one.comment]) if one.comment is not None else None
    return said[1] if said and ID.fullmatch(said[1]) else item_of(path, lines, one, []).id


def block_of(path: str, text: str, id: str) -> str:
    """The item's own lines, as they are."""
    lines = text.split("\n")
    one = find(path, lines, id)
    return "\n".join(without_blank_ends(lines[one.start : one.end])) + "\n"


def without(path: str, text: str, id: str) -> str:
    """The text without the item, and the blank lines below it."""
    lines = text.split("\n")
    one = find(path, lines, id)
    left = "\n".join([*lines[: one.start], *lines[one.end :]])
    return left if not left or left.endswith("\n") else f"{left}\n"


def with_values(
    path: str, text: str, id: str, values: Mapping[str, str], title: str | None = None
) -> str:
    """The item with these fields, by the names used in the file; an empty value takes its line
    away. Its id is written where it was not."""
    lines = text.split("\n")
    one = find(path, lines, id)
    own = lines[one.start : one.end]
    at = {name: number - one.start for name, number in one.fields.items()}
    new_lines: list[str | None] = list(own)
    for name, value in values.items():
        if name in at:
            new_lines[at[name]] = field_line(name, one_line(value)) if value else None
    more = [field_line(n, one_line(v)) for n, v in values.items() if v and n not in at]
    if title is not None:
        new_lines[0] = heading(one_line(title))
    below = max(at.values(), default=-1)
    first = (one.comment - one.start if one.comment is not None else 0) if below < 0 else below
    made = [line for line in new_lines[: first + 1] if line is not None]
    rest = [line for line in new_lines[first + 1 :] if line is not None]
    if below < 0 and more and rest and rest[0].strip():
        more.append("")
    made += more
    if one.comment is None:
        made.insert(1, f"<!-- reading:{id} -->")
    return "\n".join([*lines[: one.start], *made, *rest, *lines[one.end :]])


def with_note(path: str, text: str, id: str, note: str, day: str) -> str:
    """The note at the item's end, under a heading with the day unless the last one there is it."""
    lines = text.split("\n")
    one = find(path, lines, id)
    hidden = hidden_lines(lines[one.start : one.end])
    days = [
        found[1]
        for at, line in enumerate(lines[one.start : one.end])
        if at not in hidden and (found := DATED.fullmatch(line))
    ]
    head = [] if days and days[-1] == day else [f"### {day}", ""]
    return appended(path, lines, one, [*head, *written_notes(tidy(note))])


def with_question(path: str, text: str, id: str, question: str, answer: str = "") -> str:
    """`Q:` at the item's end, or the answer below it where it was asked already."""
    lines = text.split("\n")
    one = find(path, lines, id)
    said = [f"A: {one_line(answer)}"] if answer.strip() else []
    for found in cards.find("\n".join(lines[one.start : one.end])).found:
        if plain(found.question) == plain(question):
            if found.answer and said and plain(found.answer) != plain(answer):
                line = one.start + found.first
                raise Taken(f"{path}:{line}: this has an answer; change it there")
            at = one.start + found.last
            return "\n".join([*lines[:at], *([] if found.answer else said), *lines[at:]])
    return appended(path, lines, one, [f"Q: {one_line(question)}", *said])


def appended(path: str, lines: list[str], one: Section, more: list[str]) -> str:
    """Lines at an item's end, apart from what is there and from the next item."""
    require_closed(path, lines, one.start, one.end)
    filled = one.start + len(without_blank_ends(lines[one.start : one.end]))
    below = lines[filled : one.end] or [""]
    return "\n".join([*lines[:filled], "", *more, *below, *lines[one.end :]])
