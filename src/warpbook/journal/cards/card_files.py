"""Writing cards into their files: new ones at the end, and ids beside those that have none yet.

What is written reads back as the card that was meant, whatever is in it.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput, WarpbookError
from warpbook.journal.cards.cards import Card, Found, find
from warpbook.journal.entry import Entry

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
SPECIAL = re.compile(r"^(\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\*\*)?[QA]):", re.MULTILINE)
HEADING = re.compile(r"^(\s{0,3})(#{1,6}(?:\s|$)|=+\s*$|-+\s*$)", re.MULTILINE)
TOPIC = re.compile(r"[^\w.-]+")
MOST_TOPIC = 60


def topic_of(name: str) -> str:
    """As a file's name: `GPU::Memory hierarchy` is `gpu-memory-hierarchy`."""
    made = TOPIC.sub("-", name.strip().lower()).strip("-.")[:MOST_TOPIC].rstrip("-.")
    if not made:
        raise BadInput(f"{name!r} is no topic: give a word, such as softmax")
    return "proposed-cards" if made == "proposed" else made


def block(question: str, answer: str, comment: str, text: str = "") -> str:
    """A card as it stands in a file. `text` is that of a cloze, instead of the other two."""
    said = fit(text) if text else f"Q: {fit(question)}\nA: {fit(answer)}"
    return f"{said}\n<!-- {comment} -->\n"


def fit(text: str) -> str:
    """Without what would end a card early: blank lines outside fences go, lines that look like a
    question, a heading or a comment are escaped as Markdown has it, an open fence is closed."""
    lines: list[str] = []
    closing = ""
    for line in text.strip().replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        mark = FENCE.match(line)
        if closing:
            lines.append(line)
            if mark and mark[1].startswith(closing) and not line.strip().strip(closing[0]):
                closing = ""
        elif mark:
            closing = mark[1]
            lines.append(line)
        elif line.strip():
            lines.append(escaped(line))
    if lines and FENCE.match(lines[0]):
        lines.insert(0, "")  # it begins a line
    return "\n".join([*lines, closing] if closing else lines)


def escaped(line: str) -> str:
    line = SPECIAL.sub(r"\1\\:", line.replace("<!--", "<\\!--"))
    line = HEADING.sub(r"\1\\\2", line)
    # Whatever else would begin a block of HTML, which ends who knows where.
    return re.sub(r"^(\s{0,3})<(?=[a-zA-Z/!?])", r"\1\\<", line)


def appended(content: str, topic: str, blocks: Sequence[str]) -> str:
    if not content.strip():
        content = f"# {topic}\n"
    return content.rstrip("\n") + "\n\n" + "\n".join(blocks)


def add(journal: "Journal", topic: str, cards: Sequence[Card]) -> None:
    """Puts them into the file of their topic, those apart whose ids are in it already."""

    def change(content: str) -> str:
        here = {found.id for found in find(content).found}
        new = [card for card in cards if card.base not in here]
        if not new:
            return content
        blocks = [block(c.question, c.answer, f"card:{c.base}", c.text) for c in new]
        return appended(content, topic, blocks)

    journal.edit(f"cards/{topic}.md", change)


def stamped(content: str, card: str) -> str:
    """With the id of a card in a comment below it; as it was where the card is not in it, or where
    a comment would not be read as one."""
    for found in find(content).found:
        if found.id == card and not found.mark:
            lines = content.split("\n")
            lines.insert(found.last, f"<!-- card:{card} -->")
            made = "\n".join(lines)
            return made if same_card(found, made) else content
    return content


def same_card(found: Found, content: str) -> bool:
    return any(
        (one.id, one.question, one.answer, one.text, one.mark)
        == (found.id, found.question, found.answer, found.text, "card")
        for one in find(content).found
    )


def stamp(journal: "Journal", entry: Entry | None) -> bool:
    """Writes a card's id into its file, so that an edit keeps its history; whether it is there. A
    file that cannot be written now is left for the next time."""
    if entry is None or entry.document.get("written"):
        return entry is not None
    card = entry.key
    base = card.rpartition(".")[0] if entry.document.get("text") else card
    try:
        text = journal.edit(entry.path, lambda content: stamped(content, base))
    except (WarpbookError, OSError):
        return False
    return any(one.id == base and one.mark for one in find(text.content).found)
