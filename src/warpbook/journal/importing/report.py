"""What an import understood and did, as one document and in words for people.

Knows nothing of terminals: whoever shows the lines makes them fit to be shown.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from warpbook.journal.counters import left_words
from warpbook.journal.importing.contents import Contents
from warpbook.journal.importing.fresh import Done
from warpbook.journal.importing.logs import Log, New
from warpbook.journal.importing.understood import Dated, Left, Understood
from warpbook.journal.marked import CARDS, DAY, HEAD, READING


def document(log: Log, fresh: New, done: Done | None) -> dict[str, Any]:
    found = log.found
    said = of_contents(found) if isinstance(found, Contents) else of_understood(found)
    return {
        "file": str(log.path),
        **said,
        "problems": [str(problem) for problem in found.problems],
        "new": asdict(fresh),
        "written": asdict(done) if done else None,
    }


def of_understood(found: Understood) -> dict[str, Any]:
    return {
        "format": "log",
        "order": found.order,
        "tracks": found.tracks,
        "days": [asdict(day) | {"date": day.date.isoformat()} for day in found.days],
        "reading": [asdict(item) for item in found.reading],
        "cards": [asdict(card) for card in found.cards],
        "doubled": [asdict(copy) for copy in found.doubled],
        "alike": [list(pair) for pair in found.alike],
        "signs": [asdict(sign) for sign in found.signs],
        "not_understood": [asdict(left) for left in found.left],
    }


def of_contents(found: Contents) -> dict[str, Any]:
    return {
        "format": "exported",
        **{
            name: [
                {"name": part.name, "id": part.piece, "line": part.line}
                for part in found.parts
                if part.kind == kind and part.piece != HEAD
            ]
            for name, kind in (("days", DAY), ("reading", READING), ("cards", CARDS))
        },
        "not_understood": [
            {"line": line, "last": line, "why": why, "texts": [text]}
            for line, text, why in found.left
        ],
    }


def words(log: Log, fresh: New, done: Done | None) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each is a heading."""
    found = log.found
    yield str(log.path), True
    if isinstance(found, Contents):
        yield from contents_words(found, fresh)
    else:
        yield from understood_words(found, fresh)
    if found.problems:
        yield "wrong", True
        for problem in found.problems:
            yield f"  {problem}", False
    if done:
        yield from done_words(done)


def contents_words(found: Contents, fresh: New) -> Iterator[tuple[str, bool]]:
    yield "written by warpbook export log", False
    kinds = ((DAY, "days", fresh.days), (READING, "reading", fresh.reading))
    for kind, name, new in (*kinds, (CARDS, "cards", fresh.cards)):
        count = sum(part.kind == kind and part.piece != HEAD for part in found.parts)
        if count:
            yield counted(name, count, new), False
    if found.left:
        yield "not understood", True
        for line, text, why in found.left:
            yield f"  line {line}: {text} ({why})", False


def understood_words(found: Understood, fresh: New) -> Iterator[tuple[str, bool]]:
    if found.order:
        yield found.order, False
    for track, names in found.tracks.items():
        also = f", also called {', '.join(names)}" if names else ""
        yield f"track {track}{also}", False
    yield counted("days", len(found.days), fresh.days), True
    for day in found.days:
        yield f"  {day_words(day)}", False
    if found.reading:
        yield counted("reading", len(found.reading), fresh.reading), True
        for item in found.reading:
            cut = " (cut short)" if item.cut else ""
            notes = f", {len(item.notes.split())} words of notes" if item.notes else ""
            where = f" {item.address}{cut}" if item.address else ""
            yield (
                f"  line {item.line}: {item.topic or 'general'}: {item.title}{where}{notes}",
                False,
            )
    if found.cards:
        yield counted("cards, to be approved", len(found.cards), fresh.cards), True
        for card in found.cards:
            yield f"  line {card.line}: {' '.join(card.question.split())}", False
    claims = [(day, claim) for day in found.days for claim in day.claims]
    if claims:
        yield f"measured claims, unverified until linked to a run: {len(claims)}", True
        for day, claim in claims:
            yield f"  {day.date}: {claim}", False
    yield from doubled_words(found)
    yield from left_out_words(found)


def day_words(day: Dated) -> str:
    said = [f"{day.date}  line {day.line}"]
    if day.day is not None:
        said.append(f"Day {day.day}" + (f"/{day.of}" if day.of else ""))
    if day.left is not None:
        said.append(left_words(day.left))
    said.append(day.track + (f", called {day.called}" if day.called else ""))
    return f"{'  '.join(said)}  ({day.how})"


def doubled_words(found: Understood) -> Iterator[tuple[str, bool]]:
    if found.doubled or found.alike:
        yield "looks doubled", True
    for copy in found.doubled:
        yield f"  {span(copy.line, copy.last)}: what line {copy.kept} says: {copy.text}", False
    for one, other in found.alike:
        yield f"  lines {one} and {other} begin entries that are much alike; both are kept", False


def left_out_words(found: Understood) -> Iterator[tuple[str, bool]]:
    if found.signs:
        yield "read as signs", True
        for sign in found.signs:
            yield f"  line {sign.line}: {sign.text} ({sign.what})", False
    if found.left:
        yield "not understood", True
    for left in found.left:
        yield from left_words_of(left)


def left_words_of(left: Left) -> Iterator[tuple[str, bool]]:
    yield f"  {span(left.line, left.last)}: {left.why}", False
    for number, text in enumerate(left.texts, left.line):
        yield f"    {number}: {text}", False


def done_words(done: Done) -> Iterator[tuple[str, bool]]:
    parts = (
        (done.days, "days"),
        (done.reading, "reading"),
        (done.notes, "notes"),
        (done.cards, "cards"),
    )
    said = ", ".join(f"{count} {name}" for count, name in parts if count) or "nothing new"
    yield f"taken in: {said}", True
    if done.before:
        yield f"taken in before: {done.before}", False
    if done.there:
        yield f"in the book already: {done.there}", False
    for line in done.failed:
        yield f"not now: {line}", False


def counted(name: str, count: int, new: int) -> str:
    known = f", {count - new} of them taken in before" if new < count else ""
    return f"{name}: {count}{known}"


def span(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"
