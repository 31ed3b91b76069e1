"""Dates as people type them."""

import re
from datetime import date, timedelta

from warpbook.core.errors import BadInput

WRITTEN = re.compile(r"\d{4}-\d{1,2}-\d{1,2}", re.ASCII)
FIRST, LAST = 1970, 9998  # so that there is always a day before and after


def parse(text: str, today: date) -> date:
    """`2026-01-04`, `today` or `yesterday`."""
    word = text.strip().casefold()
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if not WRITTEN.fullmatch(word):
        raise BadInput(f"{text!r} is no date: write 2026-01-04, today or yesterday")
    try:
        found = date(*map(int, word.split("-")))
    except ValueError:
        raise BadInput(f"{text!r} is no date: there is no such day") from None
    if not FIRST <= found.year <= LAST:
        raise BadInput(f"{text!r} is no date that can be used: years from {FIRST} to {LAST}")
    return found
