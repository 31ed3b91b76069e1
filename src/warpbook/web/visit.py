"""One browser on one page: its address, its panels, and keeping them to the book.

A page is a function of a visit. It asks the desk, and shows panels of markup; a panel is rendered
again when its ground has changed, and pushed if it then differs.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl

from nicegui import Client, background_tasks, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from warpbook.core.errors import WarpbookError
from warpbook.web.desk import Desk
from warpbook.web.feed import Feed
from warpbook.web.markup import Markup, h
from warpbook.web.show import empty

Query = Mapping[str, str]
Render = Callable[[Query], Awaitable[Markup]]
On = Literal["events", "texts", "seconds", "never"]

ASSETS = Path(__file__).parent / "assets"
EVERY_S = 1.0  # what is polled: telemetry, and files that grow
GAP_S = 0.4  # between pushes of what the log brings
QUIET_S = 20.0
LONGEST_QUERY, MOST_FIELDS = 4000, 40


class Panel(Element, component=ASSETS / "panel.js"):
    """A part of a page, rendered here and merged into the browser's page."""

    def __init__(self, markup: Markup, tag: str = "div") -> None:
        super().__init__()
        self._props["html"] = str(markup)
        self._props["tag"] = tag

    def show(self, markup: Markup) -> None:
        """Push it, if it is not what is there."""
        if self._props["html"] != str(markup):
            self._props["html"] = str(checked(markup))
            self.update()


@dataclass
class Kept:
    panel: Panel
    render: Render
    on: On
    ground: tuple[int, int]
    at: float = field(default_factory=time.monotonic)

    def is_due(self, feed: Feed) -> bool:
        if self.on == "seconds":
            return time.monotonic() - self.at >= EVERY_S
        if self.on == "texts":
            return self.ground != feed.ground
        return self.on == "events" and self.ground[0] != feed.last_event


@dataclass
class Visit:
    desk: Desk
    client: Client
    params: dict[str, str]
    query: dict[str, str]
    kept: list[Kept] = field(default_factory=list)
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    def title(self, title: str) -> None:
        """Of the page and of the browser's tab."""
        ui.page_title(f"{title} · Warpbook")

    async def panel(self, render: Render, on: On = "events") -> Panel:
        """Show what `render` makes of the address's query, and keep it current: with the log, with
        the log and the journal's texts, or every second, for what also changes besides: telemetry,
        and files that grow."""
        ground = self.desk.feed.ground
        made = await render(self.query)
        panel = Panel(checked(made))
        panel.on("query", self._asked)
        self.kept.append(Kept(panel, render, on, ground))
        return panel

    def fixed(self, markup: Markup, tag: str = "div") -> Panel:
        """Markup that stays as it is."""
        return Panel(checked(markup), tag)

    def keep_current(self) -> None:
        """From the loop, once the page is built."""
        if any(kept.on != "never" for kept in self.kept):
            background_tasks.create(self._follow(), name="follow the book")

    async def _follow(self) -> None:
        feed = self.desk.feed
        polls = any(kept.on == "seconds" for kept in self.kept)
        seen = min(kept.ground for kept in self.kept)
        while not self.client.is_deleted and not feed.closed:
            await feed.change(seen, EVERY_S if polls else QUIET_S)
            # A browser that left, or is away, is sent what has changed when it is back.
            if self.client.has_socket_connection:
                seen = feed.ground
                await self.refresh(due=True)
            await asyncio.sleep(GAP_S)

    async def refresh(self, due: bool = False) -> None:
        """Render the panels again; `due`: only those whose ground has changed. One at a time, so
        that what an older query gave never comes last."""
        feed = self.desk.feed
        async with self.one_at_a_time:
            for kept in self.kept:
                if self.client.is_deleted:
                    return
                if due and not kept.is_due(feed):
                    continue
                kept.ground = feed.ground
                kept.at = time.monotonic()
                kept.panel.show(await self._rendered(kept.render))

    async def _rendered(self, render: Render) -> Markup:
        """What went wrong later than the page is shown in its place."""
        try:
            return checked(await render(self.query))
        except (WarpbookError, OSError) as error:
            return empty(str(error))

    async def _asked(self, event: GenericEventArguments) -> None:
        """A link or a form of a panel has changed the address's query."""
        asked = event.args if isinstance(event.args, str) else ""
        self.query = query_from(asked)
        await self.refresh()


def query_from(text: str) -> dict[str, str]:
    """What no page asks with is no query."""
    try:
        return dict(parse_qsl(text.removeprefix("?")[:LONGEST_QUERY], max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def checked(markup: Markup) -> Markup:
    if not isinstance(markup, Markup):
        raise TypeError("a panel shows markup only, never plain text")
    return markup


def heading(title: object, beside: Markup | None = None) -> Markup:
    """The title of a page, and what stands at its right."""
    return h('<div class="title"><h1>{}</h1>{}</div>', title, beside)
