"""Days: what was written of each, adding to one, and writing back one that was edited."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field, StringConstraints

from warpbook.journal.days import dates, day_document, day_file, days
from warpbook.journal.days.days import Added
from warpbook.journal.days.draft import draft
from warpbook.journal.journal import Journal
from warpbook.web.api import journal_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.errors import described
from warpbook.web.api.fields import Body, Limit, Offset, line, text
from warpbook.web.api.paging import paged
from warpbook.web.api.shapes import Page

router = APIRouter(tags=["days"], responses=described())
CHANGES = described(409, 413, 415)
DATE = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}|today|yesterday)$"
OnDate = Annotated[str, Path(pattern=DATE, description="2026-01-04, today or yesterday.")]
FromDate = Annotated[str | None, Query(pattern=DATE, description="From this date on.")]
UpToDate = Annotated[str | None, Query(pattern=DATE, description="Up to this date.")]
Prose = Annotated[str, text(500_000)]
TrackName = Annotated[str, line(100, 1)]
OfTrack = Annotated[
    str | None,
    Query(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$",
          description="Of one track alone."),
]  # fmt: skip
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Addition(Body):
    """`minutes` are added to those that are there; `track` joins those that the day counts for."""

    text: Prose = ""
    minutes: Annotated[float, Field(ge=0, le=days.MOST)] | None = None
    track: TrackName | None = None


class Replacement(Body):
    """The whole file, and the sha256 of what it was made from."""

    text: Prose
    sha256: Sha256


@router.get("/days", response_model=Page[shapes.Day], operation_id="days")
async def listed(
    ask: TheJournal,
    track: OfTrack = None,
    since: FromDate = None,
    until: UpToDate = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """The newest first, without their text; by `track`, `since` and `until`"""

    def found(journal: Journal) -> Any:
        first, last = (str(on_date(journal, one)) if one else "" for one in (since, until))
        rows = days.listed(journal, track, first, last, limit + 1, offset)
        return paged([{**row.document, "title": row.title} for row in rows], limit, offset)

    return await ask(found)


@router.get("/days/{date}", response_model=shapes.DayView, operation_id="day")
async def day(ask: TheJournal, date: OnDate) -> Response:
    """One day: its file with its sha256, counts, figures, plans and claims"""
    return await ask(day_view, date)


def day_view(journal: Journal, written: str) -> dict[str, Any]:
    on = on_date(journal, written)
    file = day_file.read(journal, on)
    found = days.parse(days.relative(on), file.content, journal.settings, on)
    return {
        **day_document.document(journal, found),
        "text": file.content,
        "sha256": file.sha256,
    }


@router.get("/days/{date}/draft", response_model=shapes.Draft, operation_id="draft_of_day")
async def drafted(ask: TheJournal, date: OnDate) -> Response:
    """What happened that day and is not told yet, as Markdown"""

    def found(journal: Journal) -> Any:
        on = on_date(journal, date)
        return {"date": str(on), "text": draft(journal, on)}

    return await ask(found)


@router.post(
    "/days/{date}", response_model=shapes.Added, operation_id="add_to_day", responses=CHANGES
)
async def add(ask: TheJournal, date: OnDate, given: Addition) -> Response:
    """Add a paragraph, minutes or a track; a new day begins with the open plans"""

    def made(journal: Journal) -> Any:
        on = on_date(journal, date)
        return added(days.add(journal, on, given.text, given.track, given.minutes))

    return await ask(made)


@router.post(
    "/days/{date}/replace", response_model=shapes.Written, operation_id="replace_day",
    responses=CHANGES,
)  # fmt: skip
async def replace(ask: TheJournal, date: OnDate, given: Replacement) -> Response:
    """Write back the whole file; 409 where it is no longer the one that was read"""

    def made(journal: Journal) -> Any:
        on = on_date(journal, date)
        file = day_file.replace(journal, on, given.sha256, given.text)
        return {"date": str(on), "path": days.relative(on), "sha256": file.sha256}

    return await ask(made)


def on_date(journal: Journal, written: str) -> date:
    return dates.parse(written, journal.today())


def added(done: Added) -> dict[str, Any]:
    """`message` is for people: what they said is not in the file yet."""
    found = {"date": str(done.date), "path": done.path, "waits": done.waits}
    if not done.waits:
        return found
    said = (
        f"{days.relative(done.date)} is open in an editor; what you said waits in {done.path}, "
        "and is added when the editor has closed"
    )
    return found | {"message": said}
