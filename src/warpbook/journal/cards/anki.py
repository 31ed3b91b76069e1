"""The deck as an Anki package: a zip with Anki's own SQLite file in it.

Ids of notes and decks follow from those of cards and topics, so that importing a later export into
Anki updates what is there. Schedules stay here.
"""

import hashlib
import html
import itertools
import re
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpbook.book.new_file import new_file
from warpbook.core.errors import NotFound
from warpbook.journal.cards import cloze, deck
from warpbook.journal.cards.card_files import FENCE
from warpbook.journal.cards.deck import Held

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

DECK = "Warpbook"
QUESTION_MODEL, CLOZE_MODEL = 1_704_310_211, 1_704_310_212
CSS = (
    ".card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 40em; "
    "margin: 0 auto; }\npre { background: #8882; padding: .5em; overflow-x: auto; }\n"
    ".cloze { font-weight: bold; }\n"
)
CODE = re.compile(r"`([^`]+)`")
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # one of them parts the fields of a note


@dataclass(frozen=True)
class Exported:
    path: str
    decks: int
    notes: int
    cards: int


def export(journal: "Journal", target: Path, topic: str | None = None) -> Exported:
    """`target` must be new."""
    held = deck.cards(journal, topic)
    if not held:
        raise NotFound(f"no cards{f' of the topic {topic!r}' if topic else ''} to export")
    notes: dict[str, list[Held]] = {}
    for one in held:
        notes.setdefault(one.card.base, []).append(one)
    decks = decks_of(list(notes.values()))
    with new_file(target) as building:
        write(building, decks, journal.now().timestamp())
    return Exported(str(target), len(decks), len(notes), len(held))


def decks_of(notes: list[list[Held]]) -> list[Any]:
    import genanki

    question, clozes = models()
    decks: dict[str, Any] = {}
    for cards in notes:
        first = cards[0].card
        name = f"{DECK}::{first.topic}"
        if name not in decks:
            decks[name] = genanki.Deck(number_of("deck", name), name)
        tags = [tag(first.topic), *(["flagged"] if any(c.recall.flagged for c in cards) else [])]
        fields = (
            [cloze_html(first.text), ""]
            if first.text
            else [to_html(first.question), to_html(first.answer)]
        )
        guid = genanki.guid_for("warpbook", first.base)
        note = genanki.Note(clozes if first.text else question, fields, tags=tags, guid=guid)
        resting = {ordinal(c) for c in cards if c.recall.suspended}
        for made in note.cards:
            made.suspend = made.ord in resting
        decks[name].add_note(note)
    return list(decks.values())


def ordinal(held: Held) -> int:
    card = held.card
    return int(card.id.rpartition(".")[2]) - 1 if card.text else 0


def models() -> tuple[Any, Any]:
    import genanki

    question = genanki.Model(
        QUESTION_MODEL,
        "Warpbook question",
        fields=[{"name": "Question"}, {"name": "Answer"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Question}}",
                "afmt": "{{FrontSide}}\n<hr id=answer>\n{{Answer}}",
            }
        ],
        css=CSS,
    )
    clozes = genanki.Model(
        CLOZE_MODEL,
        "Warpbook cloze",
        fields=[{"name": "Text"}, {"name": "Extra"}],
        templates=[
            {"name": "Cloze", "qfmt": "{{cloze:Text}}", "afmt": "{{cloze:Text}}<br>{{Extra}}"}
        ],
        css=CSS,
        model_type=genanki.Model.CLOZE,
    )
    return question, clozes


def write(path: Path, decks: list[Any], timestamp: float) -> None:
    """What genanki's own `write_to_file` does, without the copy that leaves in the temporary
    folder."""
    import genanki

    with tempfile.TemporaryDirectory() as folder:
        collection = Path(folder) / "collection.anki2"
        with closing(sqlite3.connect(collection)) as connection:
            ids = itertools.count(int(timestamp * 1000))
            genanki.Package(decks).write_to_db(connection.cursor(), timestamp, ids)
            connection.commit()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            package.write(collection, collection.name)
            package.writestr("media", "{}")


def number_of(*parts: str) -> int:
    """As Anki numbers decks: the same for the same name, wherever it is exported."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return (1 << 30) + int.from_bytes(digest[:4], "big") % (1 << 30)


def tag(topic: str) -> str:
    return re.sub(r"\s+", "_", topic.strip()) or "journal"


def cloze_html(text: str) -> str:
    """Anki parts a hint by `::` alone, so those inside an answer are spelled out."""

    def show(one: cloze.Cloze) -> str:
        inner = "".join(
            part.replace("::", "&#58;&#58;") if isinstance(part, str) else show(part)
            for part in one.parts
        )
        hint = f"::{one.hint}" if one.hint else ""
        return f"{{{{c{one.number}::{inner}{hint}}}}}"

    return cloze.rendered(cloze.parse(to_html(text)), show)


def to_html(text: str) -> str:
    """Escaped; fences as `<pre>`, code in a line as `<code>`, lines as lines."""
    made: list[str] = []
    code: list[str] = []
    closing = ""
    for line in UNSEEN.sub(" ", text).split("\n"):
        mark = FENCE.match(line)
        if closing and mark and mark[1].startswith(closing) and not line.strip(f" {closing[0]}"):
            made.append(preformatted(code))
            code, closing = [], ""
        elif closing:
            code.append(line)
        elif mark:
            closing = mark[1]
        else:
            made.append(CODE.sub(r"<code>\1</code>", html.escape(line, quote=False)) + "<br>")
    if closing:
        made.append(preformatted(code))
    return "".join(made).removesuffix("<br>")


def preformatted(code: list[str]) -> str:
    return f"<pre><code>{html.escape(chr(10).join(code), quote=False)}</code></pre>"
