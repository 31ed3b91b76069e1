"""What an import understood and did, as one document. `words` says it to people."""

from dataclasses import asdict
from typing import Any

from warpbook.journal.importing.contents import Contents
from warpbook.journal.importing.fresh import Done
from warpbook.journal.importing.logs import Log, New
from warpbook.journal.importing.understood import Understood
from warpbook.journal.sharing.marked import CARDS, DAY, HEAD, READING


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
