"""Understanding a text on a day of the tests' own, and checking that no line of it is lost."""

from datetime import date

from warpbook.journal.importing.clues import Asked
from warpbook.journal.importing.understood import Wanted, covered, understand

TODAY = date(2026, 1, 10)


def read(text, name="log.md", track=None, known=(), today=TODAY, **asked):
    found = understand(name, text, Wanted(Asked(today, **asked), track, known))
    places = covered(found)
    said = [number for number, row in enumerate(text.split("\n"), 1) if row.strip()]
    assert sorted(places) == said
    return found


def dates(text, **asked):
    return [str(day.date) for day in read(text, **asked).days]


def left(found):
    return {
        number
        for one in found.left
        for number, text in enumerate(one.texts, one.line)
        if text.strip()
    }
