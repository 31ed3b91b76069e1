"""The journal as one Markdown file: days, reading and cards, which `import log` takes back.

What was reviewed when is not in it; a backup of the book has that.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.errors import BadInput
from warpbook.journal.journal import Journal
from warpbook.journal.sharing import marked
from warpbook.journal.sharing.marked import CARDS, DAY, HEAD, READING, Part
from warpbook.journal.sharing.pieces import pieces, starts
from warpbook.journal.texts import textfile
from warpbook.journal.texts.files import ENDING, inside
from warpbook.journal.texts.textfile import Text

PROPOSED = "cards/proposed.md"  # which the index has no entries of


@dataclass(frozen=True)
class Chosen:
    """Of one track, or a span of dates, alone; everything by default."""

    track: str | None = None
    since: str = ""
    until: str = ""

    @property
    def spans(self) -> bool:
        return bool(self.since or self.until)


@dataclass(frozen=True)
class Counts:
    days: int = 0
    reading: int = 0
    cards: int = 0
    bytes: int = 0


def export(journal: Journal, target: Path, chosen: Chosen) -> Counts:
    days, reading, cards = (
        [*of_days(journal, chosen)],
        [*of_reading(journal, chosen)],
        [*of_cards(journal, chosen)],
    )
    counts = [sum(part.piece != HEAD for _, part in some) for some in (days, reading, cards)]
    about = [
        f"exported: {journal.today()}",
        *(f"{name}: {n}" for name, n in zip(("days", "reading", "cards"), counts, strict=True)),
    ]
    text = marked.written(about, [*days, *reading, *cards])
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > textfile.MOST_BYTES:
        raise BadInput(
            f"{target}: it would have {size / 1e6:.1f} MB, more than the "
            f"{textfile.MOST_BYTES / 1e6:g} MB that an import takes; export it in parts, with "
            "--since and --until or --track"
        )
    textfile.create(target, text)
    return Counts(counts[0], counts[1], counts[2], size)


def of_days(journal: Journal, chosen: Chosen) -> Iterator[tuple[str, Part]]:
    rows = journal.index.connection.execute(
        "SELECT path, key FROM journal_entries WHERE kind = 'day' AND date BETWEEN ?1 AND ?2 "
        "AND (?3 IS NULL OR ?3 IN (SELECT value FROM json_each(document, '$.tracks'))) "
        "ORDER BY date",
        (*span(chosen), chosen.track),
    )
    for path, key in rows.fetchall():
        text = textfile.read(journal.path(path)).content
        yield f"## {key}", Part(DAY, key, text=text)


def of_reading(journal: Journal, chosen: Chosen) -> Iterator[tuple[str, Part]]:
    """With dates given, what was added between them; with a track, the topic of its name."""
    wanted = added(journal, chosen) if chosen.spans else None
    for name in names(journal, READING, chosen.track):
        some = None if wanted is None else wanted.get(f"{READING}/{name}{ENDING}", set())
        if some is None or some:
            yield from titled(journal, READING, name, some)


def of_cards(journal: Journal, chosen: Chosen) -> Iterator[tuple[str, Part]]:
    """Cards have no dates: with dates given there are none but those in days and reading."""
    if not chosen.spans:
        for name in names(journal, CARDS, chosen.track):
            yield from titled(journal, CARDS, name, None)


def added(journal: Journal, chosen: Chosen) -> dict[str, set[str]]:
    """Ids of what was added between two dates, by file."""
    rows = journal.index.connection.execute(
        "SELECT path, key FROM journal_entries WHERE kind = 'reading' "
        "AND json_extract(document, '$.added') BETWEEN ? AND ?",
        span(chosen),
    )
    found: dict[str, set[str]] = {}
    for path, key in rows:
        found.setdefault(path, set()).add(key)
    return found


def span(chosen: Chosen) -> tuple[str, str]:
    return chosen.since or "0", chosen.until or "9999-12-31"


def titled(
    journal: Journal, kind: str, name: str, wanted: set[str] | None
) -> Iterator[tuple[str, Part]]:
    """All pieces of a file where `wanted` is None."""
    text = textfile.read(journal.path(kind, f"{name}{ENDING}"))
    every = pieces(kind, name, text.content, begins(journal, kind, name, text))
    for part in every:
        if wanted is None or part.piece == HEAD or part.piece in wanted:
            yield (f"## {kind}: {name}" if part.piece == HEAD else ""), part


def begins(journal: Journal, kind: str, name: str, text: Text) -> dict[int, str]:
    """As the index has it, if that is of the same text: parsing all of it again takes long."""
    path = f"{kind}/{name}{ENDING}"
    query = "SELECT sha256 FROM journal_files WHERE path = ?"
    row = journal.index.connection.execute(query, (path,)).fetchone()
    if path == PROPOSED or row is None or row[0] != text.sha256:
        return starts(kind, name, text.content)
    rows = journal.index.connection.execute(
        "SELECT line, key, state FROM journal_entries WHERE path = ? AND kind IN (?, ?)",
        (path, *(("card", "question") if kind == CARDS else ("reading", "reading"))),
    )
    return {line: key.rpartition(".")[0] if state == "cloze" else key for line, key, state in rows}


def names(journal: Journal, folder: str, track: str | None) -> list[str]:
    found = sorted(name for name, _ in inside(journal.path(folder)) if name.endswith(ENDING))
    stems = [name.removesuffix(ENDING) for name in found]
    return [stem for stem in stems if track is None or stem in topics(track)]


def topics(track: str) -> tuple[str, ...]:
    from warpbook.journal.reading.shelf import topic_name

    try:
        return track, topic_name(track)
    except BadInput:
        return (track,)
