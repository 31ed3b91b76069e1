"""Feeds: the list of them, and pulling. Other machines are asked only here, when a person asks."""

import json
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from warpbook.core.errors import Taken
from warpbook.journal.journal import Journal
from warpbook.journal.reading import feed_list, feeds
from warpbook.journal.reading.feed_list import Standing
from warpbook.journal.reading.reading import document
from warpbook.web.api import reading_shapes as shapes
from warpbook.web.api.asking import TheDesk, TheJournal
from warpbook.web.api.cards import TopicName
from warpbook.web.api.errors import described
from warpbook.web.api.fields import Body, line
from warpbook.web.aside import with_journal

router = APIRouter(tags=["feeds"], responses=described())
CHANGES = described(409, 413, 415)
FeedAddress = Annotated[str, line(4096, 1)]


class NewFeed(Body):
    """It is fetched once to see that it is one, unless `unchecked`. `topic` is where what is kept
    of it goes."""

    url: FeedAddress
    topic: TopicName | None = None
    title: Annotated[str, line(500)] = ""
    unchecked: bool = False


class Which(Body):
    """By its address, or words of its title."""

    feed: FeedAddress


@router.get("/feeds", response_model=list[shapes.Feed], operation_id="feeds")
async def listed(ask: TheJournal) -> Response:
    """All feeds, with when each was pulled last and what went wrong"""
    return await ask(lambda journal: list(map(feed_list.document, feed_list.listed(journal))))


@router.post(
    "/feeds", response_model=shapes.AddedFeed, status_code=201, operation_id="add_feed",
    responses=CHANGES,
)  # fmt: skip
async def add(desk: TheDesk, given: NewFeed) -> Response:
    """Add a feed, RSS or Atom"""

    def made(journal: Journal) -> Any:
        feed, items = feeds.add(journal, given.url, given.topic or "", given.title, given.unchecked)
        wait = (
            "pull to see what it has"
            if given.unchecked
            else f"{items} items wait; pull to bring them"
        )
        said = f"{feed.name}: {wait}"
        found = feed_list.document(Standing(feed))
        return found | {"items": items, "message": said}

    return JSONResponse(await with_journal(desk, made), 201)


@router.post("/feeds/pull", response_model=shapes.Pull, operation_id="pull", responses=CHANGES)
async def pull(desk: TheDesk, request: Request) -> Response:
    """Fetch all feeds, and put what is new into the inbox; one that fails is told of"""
    state = request.app.state
    if getattr(state, "pulling", False):
        raise Taken("a pull is under way already; what it brings will be in the inbox")
    state.pulling = True
    try:
        found = await with_journal(desk, pulled)
    finally:
        state.pulling = False
    return Response(json.dumps(found), media_type=JSONResponse.media_type)


def pulled(journal: Journal) -> dict[str, Any]:
    results, items = feeds.pull(journal)
    return {
        "feeds": [
            {
                "url": one.feed.url,
                "new": one.new,
                "known": one.known,
                "failed": one.failed,
                "note": one.note,
            }
            for one in results
        ],
        "added": [document(item) for item in items],
        "message": told(results),
    }


def told(results: list[feeds.Pulled]) -> str:
    if not results:
        return "there are no feeds yet"
    new = sum(one.new for one in results)
    failed = [one.feed.name for one in results if one.failed]
    said = f"{new} new in the inbox" if new else "nothing new"
    return f"{said}; not all came from {', '.join(failed)}" if failed else said


@router.post(
    "/feeds/drop", response_model=shapes.DroppedFeed, operation_id="drop_feed", responses=CHANGES
)
async def drop(ask: TheJournal, given: Which) -> Response:
    """Take a feed off the list; what it brought stays"""
    return await ask(lambda journal: asdict(feeds.drop(journal, given.feed)))
