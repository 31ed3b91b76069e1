"""Taking an understood log in: its days, reading and cards, each once.

Everything that is written is whole or not there, and noted in the ledger after it: killed at any
point, the same import done again finishes the rest. A day that is there is added to, never
written over.
"""

from collections.abc import Callable, Sequence
from itertools import takewhile

from warpbook.core.errors import WarpbookError
from warpbook.journal.cards import proposals
from warpbook.journal.cards.cards import PROPOSED
from warpbook.journal.days import day_text, days
from warpbook.journal.ids import plain
from warpbook.journal.importing.fresh import Done, card_hash, day_hash, fresh, reading_hash
from warpbook.journal.importing.ledger import Ledger, Note
from warpbook.journal.importing.lists import Found
from warpbook.journal.importing.pairs import Pair
from warpbook.journal.importing.understood import Dated, Understood
from warpbook.journal.journal import Journal
from warpbook.journal.reading import shelf

Progress = Callable[[str], None]


def apply(
    journal: Journal, understood: Understood, kept: str, progress: Progress | None = None
) -> Done:
    """`kept` is where the log lies now, below the book."""
    ledger = Ledger(journal.folder)
    new_days, items, asked = fresh(understood, ledger)
    every = (*understood.days, *understood.reading, *understood.cards)
    done = Done(before=len(every) - len(new_days) - len(items) - len(asked))
    at = journal.now().isoformat(timespec="seconds")
    step = -1 if understood.newest else 1
    in_time = sorted(new_days, key=lambda day: (day.date, step * day.line))
    for number, day in enumerate(in_time, 1):
        if progress:
            progress(f"day {number} of {len(new_days)}: {day.date}")
        try:
            added = add_day(journal, day)
        except WarpbookError as error:
            done.failed.append(f"{understood.name}:{day.line}: {error}")
            continue
        done.days += added
        done.there += not added
        ledger.note([Note(day_hash(day), "day", days.relative(day.date), day.line)], kept, at)
    shelved = add_reading(journal, understood.name, items, done)
    ledger.note([Note(reading_hash(i), "reading", i.topic, i.line) for i in shelved], kept, at)
    if asked:
        done.cards = proposals.add_all(journal, [proposed(card, kept) for card in asked])
    done.there += len(asked) - done.cards
    ledger.note([Note(card_hash(c), "card", PROPOSED, c.line) for c in asked], kept, at)
    return done


def add_day(journal: Journal, day: Dated) -> bool:
    """Whether anything was added: not where the day says it already."""
    path = days.relative(day.date)
    added = False

    def change(content: str) -> str:
        nonlocal added
        added = not contains(content, day.text)
        if not added:
            return content
        content = day_text.with_names(path, content, journal.settings, day.track, day.called)
        return grown(content, day.text) or day_text.with_paragraph(content, day.text)

    journal.edit(path, change)
    return added


def contains(content: str, text: str) -> bool:
    """Whether the lines of `text` stand in `content` one after the other, spaces at their ends
    apart."""
    wanted = [line.rstrip() for line in text.strip().split("\n")]
    lines = [line.rstrip() for line in content.split("\n")]
    return any(
        lines[at : at + len(wanted)] == wanted for at, line in enumerate(lines) if line == wanted[0]
    )


def grown(content: str, text: str) -> str:
    """The day with the lines that an entry has got since it was taken in, right where it ends;
    empty where the day does not have the beginning of it."""
    wanted = text.strip("\n").split("\n")
    lines = content.rstrip("\n").split("\n")
    for start in (at for at, line in enumerate(lines) if line.rstrip() == wanted[0].rstrip()):
        both = zip(lines[start:], wanted, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].rstrip() == pair[1].rstrip(), both))
        while same and not wanted[same - 1].strip():
            same -= 1
        end = start + same
        rest = {line.rstrip() for line in lines[end:] if line.strip()}
        closed = end == len(lines) or (same > 1 and not lines[end].strip())
        if closed and not any(line.rstrip() in rest for line in wanted[same:]):
            return "\n".join([*lines[:end], *wanted[same:], *lines[end:]]) + "\n"
    return ""


def add_reading(journal: Journal, name: str, items: Sequence[Found], done: Done) -> Sequence[Found]:
    """Those that are on the shelf now. All at once; one by one where that is refused."""
    try:
        shelve(journal, items, done)
        return items
    except WarpbookError as error:
        if len(items) == 1:
            done.failed.append(f"{name}:{items[0].line}: {error}")
            return []
    return [one for item in items for one in add_reading(journal, name, [item], done)]


def shelve(journal: Journal, items: Sequence[Found], done: Done) -> None:
    if not items:
        return
    added = shelf.add_all(journal, [new(item) for item in items])
    done.reading += len(added.items)
    for one, there in added.known:
        if note := unsaid(one.notes, there.notes):
            shelf.note(journal, there.id, note)
            done.notes += 1
        else:
            done.there += 1


def unsaid(notes: str, there: str) -> str:
    """Paragraphs that the item's notes lack: a log that has grown repeats the others."""
    known = plain(there)
    if plain(notes) in known:
        return ""
    if "```" in notes or "~~~" in notes:
        return notes
    return "\n\n".join(one for one in notes.split("\n\n") if plain(one) not in known)


def new(item: Found) -> shelf.New:
    topic = item.topic if any(c.isalnum() for c in item.topic) else ""
    return shelf.New(
        title=item.title,
        address=item.address,
        topic=topic,
        kind=item.kind,
        state=item.state,
        added=item.added,
        cut=item.cut,
        notes=item.notes,
    )


def proposed(card: Pair, kept: str) -> proposals.NewCard:
    return proposals.NewCard(card.question, card.answer, card.topic, f"{kept}:{card.line}")
