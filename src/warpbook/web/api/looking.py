"""Looking over the journal: a year of days, a week or month summed up, and the search."""

from dataclasses import asdict
from datetime import date as calendar_date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import StringConstraints

from warpbook.journal import search
from warpbook.journal.days.calendar import calendar
from warpbook.journal.days.summary import summary
from warpbook.journal.journal import Journal
from warpbook.web.api import journal_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.days import DATE, OfTrack, on_date
from warpbook.web.api.errors import described
from warpbook.web.api.fields import NO_NUL, Limit

router = APIRouter(tags=["looking"], responses=described())
Year = Annotated[
    int | None, Query(ge=1970, le=9998, description="That year; the last 12 months without it.")
]
InSpan = Annotated[str, Query(pattern=DATE, description="A date in it; today without it.")]
Words = Annotated[
    str, Query(min_length=1, max_length=500, pattern=NO_NUL, description="Words to look for.")
]
Kind = Annotated[str, StringConstraints(pattern=f"^({'|'.join(search.KINDS)})$")]
Kinds = Annotated[
    list[Kind] | None, Query(max_length=20, description="Of these kinds alone; may be repeated.")
]


@router.get("/calendar", response_model=shapes.Calendar, operation_id="calendar")
async def year(ask: TheJournal, track: OfTrack = None, year: Year = None) -> Response:
    """A year of days: minutes, entries and level of each, with streaks and gaps"""

    def found(journal: Journal) -> Any:
        until = calendar_date(year, 12, 31) if year else None
        return calendar(journal, track, until).document()

    return await ask(found)


@router.get("/summary", response_model=shapes.Summary, operation_id="summary")
async def summed_up(
    ask: TheJournal, kind: Literal["week", "month"] = "week", date: InSpan = "today"
) -> Response:
    """A week or a month: minutes, rungs, runs, verdicts, findings, reading, the best gains"""

    def found(journal: Journal) -> Any:
        return summary(journal, kind, on_date(journal, date)).document()

    return await ask(found)


@router.get("/find", response_model=shapes.Found, operation_id="find")
async def find(ask: TheJournal, text: Words, kind: Kinds = None, limit: Limit = 20) -> Response:
    """Search days, reading, cards, claims, findings and experiments; the best match first"""

    def found(journal: Journal) -> Any:
        hits = search.find(journal, text, kind, limit)
        return {"text": text, "hits": [asdict(hit) for hit in hits]}

    return await ask(found)
