"""Taking back what `export log` wrote: days, reading and cards, to the letter.

Where the book has a file already, only what it lacks is added: a day's text at its end, and items
and cards whose ids are nowhere yet.
"""

from collections.abc import Callable, Sequence

from warpbook.core.errors import WarpbookError
from warpbook.journal.cards import cards
from warpbook.journal.days import day_text, days
from warpbook.journal.importing.apply import contains
from warpbook.journal.importing.contents import Contents, part_hash
from warpbook.journal.importing.fresh import Done
from warpbook.journal.importing.ledger import Ledger, Note
from warpbook.journal.journal import Journal
from warpbook.journal.reading import reading
from warpbook.journal.sharing.marked import DAY, HEAD, READING, Part
from warpbook.journal.texts import front

Progress = Callable[[str], None]


def path_of(part: Part) -> str:
    return (
        days.relative(days.date_of(part.name))
        if part.kind == DAY
        else f"{part.kind}/{part.name}.md"
    )


def apply(
    journal: Journal, contents: Contents, kept: str, progress: Progress | None = None
) -> Done:
    ledger = Ledger(journal.folder)
    fresh = [part for part in contents.parts if part_hash(part) not in ledger]
    done = Done(before=len(contents.parts) - len(fresh))
    files: dict[str, list[Part]] = {}
    for part in fresh:
        files.setdefault(path_of(part), []).append(part)
    known = Known(journal)
    at = journal.now().isoformat(timespec="seconds")
    for number, (path, parts) in enumerate(files.items(), 1):
        if progress:
            progress(f"{path}, {number} of {len(files)}")
        try:
            if parts[0].kind == DAY:
                add_day(journal, path, parts, done)
            else:
                add_pieces(journal, path, parts, known.elsewhere(parts[0].kind, path), done)
        except WarpbookError as error:
            done.failed.append(f"{contents.name}:{parts[0].line}: {error}")
            continue
        notes = [Note(part_hash(one), f"part {one.kind}", path, one.line) for one in parts]
        ledger.note(notes, kept, at)
    return done


def add_day(journal: Journal, path: str, parts: Sequence[Part], done: Done) -> None:
    for part in parts:
        added = False

        def change(content: str, part: Part = part) -> str:
            nonlocal added
            there = journal.path(path).exists()
            made = joined_day(journal, path, content, part.text) if there else part.text
            added = made != content or not there
            return made

        journal.edit(path, change)
        done.days += added
        done.there += not added


def joined_day(journal: Journal, path: str, content: str, text: str) -> str:
    """A day that is there, and what another one of its date has more."""
    if content == text or not content:
        return text
    theirs = front.split(text)
    if theirs.problem:
        return content if contains(content, text) else day_text.with_paragraph(content, text)
    if theirs.body.strip() and not contains(content, theirs.body):
        content = day_text.with_paragraph(content, theirs.body)
    day_text.usable(path, content, journal.settings)
    mine = front.split(content).values
    missing = {key: value for key, value in theirs.values.items() if key not in mine}
    return front.set_values(content, missing) if missing else content


def add_pieces(
    journal: Journal, path: str, parts: Sequence[Part], known: set[str], done: Done
) -> None:
    added: list[Part] = []

    def change(content: str) -> str:
        added.clear()
        here = known | ids_in(parts[0].kind, path, content)
        new = [one for one in parts if one.piece != HEAD and one.piece not in here]
        if not content.strip():
            added.extend(new)
            return "".join(one.text for one in parts if one.piece == HEAD or one in new)
        added.extend(one for one in new if not contains(content, one.text))
        for one in [*heads(parts, content), *(one.text for one in added)]:
            content = content.rstrip("\n") + "\n\n" + one.strip("\n") + "\n"
        return content

    journal.edit(path, change)
    every = [part for part in parts if part.piece != HEAD]
    if parts[0].kind == READING:
        done.reading += len(added)
    else:
        done.cards += len(added)
    done.there += len(every) - len(added)


def heads(parts: Sequence[Part], content: str) -> list[str]:
    """What people wrote above all items, where the file that is there lacks it."""
    found = [part.text for part in parts if part.piece == HEAD]
    said = [front.split(text).body.strip().removeprefix("#").partition("\n")[2] for text in found]
    return [text for text in said if text.strip() and not contains(content, text)]


class Known:
    """Ids that the book had before the import, and in which files."""

    def __init__(self, journal: Journal) -> None:
        rows = journal.index.connection.execute(
            "SELECT kind, key, state, path FROM journal_entries "
            "WHERE kind IN ('reading', 'card', 'question')"
        )
        self.rows = [
            (kind, key.rpartition(".")[0] if state == "cloze" else key, path)
            for kind, key, state, path in rows
        ]

    def elsewhere(self, kind: str, path: str) -> set[str]:
        kinds = ("reading",) if kind == READING else ("card", "question")
        return {key for one, key, where in self.rows if one in kinds and where != path}


def ids_in(kind: str, path: str, content: str) -> set[str]:
    if kind == READING:
        return {entry.key for entry in reading.entries(path, content).entries}
    return {found.id for found in cards.find(content).found}
