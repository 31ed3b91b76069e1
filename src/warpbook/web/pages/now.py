"""Now, the page one leaves open: devices, what runs, what waits and why, what it cost, the log.

Parts that depend on the time look each second, and are sent only where what they show has changed.
"""

import time
from datetime import UTC, datetime

from nicegui import ui

from warpbook.book.browse.devices import devices, devices_here
from warpbook.book.browse.glance import glance
from warpbook.book.browse.log_lines import Wanted, log_lines
from warpbook.book.browse.running import progress, under_way
from warpbook.book.browse.spending import spending
from warpbook.book.browse.waiting import head
from warpbook.book.browse.workers import workers
from warpbook.web import show
from warpbook.web.desk import Desk
from warpbook.web.markup import Markup, h
from warpbook.web.now import log_lines as log_part
from warpbook.web.now import running as running_part
from warpbook.web.now import since
from warpbook.web.now import spending as spending_part
from warpbook.web.now import tiles as tiles_part
from warpbook.web.now import waiting as waiting_part
from warpbook.web.now import workers as workers_part
from warpbook.web.now.beginning import beginning
from warpbook.web.now.remembered import Remembered
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading

QUEUED = 20
LOGGED = 30
LOG_CHARACTERS = 240
NEWS_S = 600.0  # so long a reorder's cause stands by the queue


@page("/", "Now")
async def now(visit: Visit) -> None:
    view = Now(visit.desk)
    visit.title("Now")
    visit.fixed(heading("Now"))
    visit.fixed(since.since((await visit.desk.view(glance)).mark))
    await visit.panel(view.tiles, on="seconds")
    with ui.element("div").classes("split"):
        with ui.element("div"):
            await visit.panel(view.running, on="seconds")
            await visit.panel(view.queue, on="seconds")
        with ui.element("div"):
            await visit.panel(view.spent)
            await visit.panel(view.workers, on="seconds")
            await visit.panel(view.log)


class Now:
    """One browser's view, and the markup it was last given."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._tiles = Remembered(tiles_part.tiles)
        self._running = Remembered(running_part.running)
        self._queue = Remembered(waiting_part.waiting)
        self._workers = Remembered(workers_part.workers)

    async def tiles(self, query: Query) -> Markup:
        found = await self.desk.view(devices)
        runs, _ = await self.desk.view(under_way)
        now_s = time.time()
        old = frozenset(one.name for one in found if now_s - one.at > tiles_part.OLD_S)
        lives = bool(await self._alive())
        return self._tiles(found, await self.desk.view(devices_here), runs, old, lives)

    async def running(self, query: Query) -> Markup:
        found = await self.desk.view(glance)
        runs, total = await self.desk.view(under_way)
        if not runs:
            return await self._idle() if found.has_experiments else beginning()
        so_far = {run.run: await self.desk.ask(progress, run.run) for run in runs}
        return self._running(
            runs, total, so_far, await self.desk.view(devices_here), not found.has_results
        )

    async def _idle(self) -> Markup:
        line = await self.desk.view(head, QUEUED)
        lives = bool(await self._alive())
        return running_part.idle(bool(line.total), line.paused, lives)

    async def queue(self, query: Query) -> Markup:
        found = await self.desk.view(head, QUEUED)
        if not found.total and not (await self.desk.view(glance)).has_experiments:
            return Markup("")
        at = show.parsed(found.reordered.at) if found.reordered else None
        lately = at is not None and (datetime.now(UTC) - at).total_seconds() < NEWS_S
        return self._queue(found, self.desk.book.settings.currency, lately)

    async def spent(self, query: Query) -> Markup:
        found = await self.desk.view(spending, midnight())
        settings = self.desk.book.settings
        return spending_part.spending(found, settings.currency, any(settings.prices.values()))

    async def workers(self, query: Query) -> Markup:
        return self._workers(await self.desk.view(workers), await self._alive())

    async def _alive(self) -> frozenset[str]:
        now_s = time.time()
        found = await self.desk.view(workers)
        return frozenset(one.name for one in found if one.is_alive(now_s))

    async def log(self, query: Query) -> Markup:
        found = await self.desk.view(log_lines, Wanted(), LOGGED)
        shown = log_part.log_lines(found.lines, LOG_CHARACTERS, found.last)
        whole = h('<a href="/log">the whole log</a>')
        return show.section("Log", log_part.note_form() + shown, whole, id_="log")


def midnight() -> str:
    """When this day began where the dashboard runs, in UTC."""
    began = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return began.astimezone(UTC).isoformat()
