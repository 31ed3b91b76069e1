"""A day's file as a whole, for somebody who edits it elsewhere: read with its sha256, and written
back only where that is still the file. Knows nothing of what is in it."""

import hashlib
from datetime import date
from typing import TYPE_CHECKING

from warpbook.core.errors import NotFound
from warpbook.journal.days import days
from warpbook.journal.texts import textfile
from warpbook.journal.texts.textfile import Text

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

NOTHING = hashlib.sha256(b"").hexdigest()  # of a file that is not there


def read(journal: "Journal", on: date) -> Text:
    path = journal.path(days.relative(on))
    if not path.is_file():
        raise NotFound(f"there is no day {on} yet; what is said of it begins it")
    return textfile.read(path)


def replace(journal: "Journal", on: date, sha256: str, content: str) -> Text:
    """Taken where the file is no longer the one with that `sha256`; what was to be written is then
    kept beside it."""
    days.refuse_ahead(journal, on)
    text = textfile.replace(journal.path(days.relative(on)), sha256, content)
    journal.index.take_in(days.relative(on))
    return text
