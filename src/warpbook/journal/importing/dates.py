"""Dates as people write them: "January 4", "Jan 4th, 2026", "12/09/25", "4 January", "2026-01-04".

What is left open stays open: the year, and which of two numbers is the month. Knows one text at a
time, and nothing of its neighbours.
"""

import re
from calendar import monthrange
from dataclasses import dataclass, replace

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)\b\.?"
)
YEAR = r"(?P<year>(?:19|20)\d\d(?!\d)|['\u2019]\d\d(?!\d))"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\w/]|[.:]\d)"
BEFORE = rf"(?:(?P<weekday>{WEEKDAY})[,\s]+)?(?:the\s+)?"
AFTER = rf"(?:[,\s]+\(?(?P<weekday2>{WEEKDAY})\)?)?"
CLOCK = r"(?:[T,\s]+(?:at\s+)?\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\.?)?\b)?"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{BEFORE}(?<![\d/.-])(?P<year>\d{{4}})([-/.])(?P<month_number>\d{{1,2}})\3"
        rf"(?P<day>\d{{1,2}})(?![\d/]|[.-]\d){CLOCK}{AFTER}",
        rf"{BEFORE}\b{MONTH}\s+{DAY}(?:,?\s+{YEAR})?{CLOCK}{AFTER}",
        rf"{BEFORE}(?<![\d/.:-])\b{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?{CLOCK}{AFTER}",
        rf"{BEFORE}(?<![\d/.-])(?P<first>\d{{1,2}})([/.-])(?P<second>\d{{1,2}})\3"
        rf"(?P<year>\d{{4}}|\d\d)(?![\d/]|[.-]\d){CLOCK}{AFTER}",
        rf"{BEFORE}(?<![\d/.-])(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})(?![\d/.]|-\d){AFTER}",
    )
)
ALONE = re.compile(rf"(?P<weekday>{WEEKDAY}):?", re.IGNORECASE)
MONTH_AND_YEAR = re.compile(rf"{MONTH},?\s+{YEAR}", re.IGNORECASE)


@dataclass(frozen=True)
class Written:
    """`either`: both numbers could be the month, and `month` is only the first of them. Month and
    day are None where there is a weekday alone. `problem`: it is no date in any year."""

    text: str
    start: int
    end: int
    month: int | None = None
    day: int | None = None
    year: int | None = None
    weekday: int | None = None
    either: bool = False
    shows: str = ""  # day or month: which of two numbers comes first, where one tells
    problem: str = ""

    @property
    def is_fraction(self) -> bool:
        """Whether it is two numbers and no more: 12/09 may be a part of something."""
        return (
            self.year is None
            and self.weekday is None
            and self.text[:1].isdigit()
            and "/" in self.text
        )

    def turned(self) -> "Written":
        """With the day before the month."""
        if not self.either:
            return self
        return replace(self, month=self.day, day=self.month)


def found(text: str) -> Written | None:
    """The first date in a text."""
    every = [match for form in FORMS if (match := form.search(text))]
    best = min(every, key=lambda match: (match.start(), -match.end()), default=None)
    return None if best is None else written(best)


def weekday_alone(text: str) -> Written | None:
    """For a heading that says "Monday" and nothing more."""
    match = ALONE.fullmatch(text.strip())
    if match is None:
        return None
    return Written(match[0], 0, match.end(), weekday=weekday_of(match["weekday"]))


def month_and_year(text: str) -> tuple[int, int] | None:
    match = MONTH_AND_YEAR.fullmatch(text.strip())
    if match is None:
        return None
    return month_of(match["month"]), year_of(match["year"])


def written(match: "re.Match[str]") -> Written:
    parts = {name: value for name, value in match.groupdict().items() if value}
    weekday = parts.get("weekday") or parts.get("weekday2")
    year = year_of(parts["year"]) if "year" in parts else None
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        either = first <= 12 and second <= 12 and first != second
        month, day = (second, first) if first > 12 else (first, second)
        shows = "day" if first > 12 else "month" if second > 12 else ""
    else:
        either, shows, day = False, "", int(parts["day"])
        month = int(parts.get("month_number") or month_of(parts.get("month", "")))
    return Written(
        match[0].strip(),
        match.start(),
        match.end(),
        month,
        day,
        year,
        weekday_of(weekday) if weekday else None,
        either,
        shows,
        "" if exists(month, day, year) else f"{match[0].strip()} is no date",
    )


def exists(month: int, day: int, year: int | None) -> bool:
    """Where no year is given, in a leap year."""
    if not 1 <= month <= 12 or (year is not None and not 1900 <= year <= 2999):
        return False
    return 1 <= day <= monthrange(2024 if year is None else year, month)[1]


def month_of(name: str) -> int:
    return MONTHS.index(name[:3].lower()) + 1


def weekday_of(name: str) -> int:
    return WEEKDAYS.index(name[:3].lower())


def year_of(text: str) -> int:
    digits = text.strip("'\u2019")
    return int(digits) + (2000 if len(digits) == 2 else 0)
