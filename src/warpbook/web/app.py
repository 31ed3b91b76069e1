"""The dashboard as one ASGI application: the guard over the API, the pages and their socket."""

import hashlib
import importlib
import logging
import pkgutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import nicegui
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from nicegui import ui
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from warpbook.web import pages, shell
from warpbook.web.api import make_api
from warpbook.web.desk import Desk
from warpbook.web.guard import Guard
from warpbook.web.keys import Keys
from warpbook.web.visit import ASSETS

TAB_KEPT_S = 60.0  # what NiceGUI remembers of a tab, which pages do not use
KEPT_MESSAGES = 30  # for a browser that was away for seconds; after that it loads the page again


def make_app(desk: Desk, port: int, hosts: Sequence[str], keys: Keys) -> Guard:
    """For one book; a process has one, since NiceGUI has one set of pages."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await desk.start()
        yield
        await desk.stop()

    app = FastAPI(lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    app.mount("/api", make_api(desk, keys))
    app.mount("/assets", StaticFiles(directory=ASSETS))
    for module in pkgutil.iter_modules(pages.__path__):
        importlib.import_module(f"{pages.__name__}.{module.name}")
    shell.install(desk)
    ui.add_head_html(shell.head_html(assets_version()), shared=True)
    nicegui.app.add_exception_handler(404, not_found)
    nicegui.app.config.socket_io_js_transports = ["websocket"]
    nicegui.app.storage.max_tab_storage_age = TAB_KEPT_S
    logging.getLogger("nicegui").setLevel(logging.ERROR)
    ui.run_with(
        app,
        title="Warpbook",
        favicon=ASSETS / "favicon.svg",
        dark=None,
        language="en-US",
        binding_refresh_interval=None,
        reconnect_timeout=10.0,
        message_history_length=KEPT_MESSAGES,
        tailwind=False,
        show_welcome_message=False,
    )
    return Guard(UnlessGone(app), port, hosts, keys)


class UnlessGone:
    """A browser that goes before it is answered is no error. The layers of NiceGUI raise one, which
    the server would print."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gone = False

        async def received() -> Message:
            nonlocal gone
            message = await receive()
            gone = gone or message["type"] == "http.disconnect"
            return message

        try:
            await self.app(scope, received, send)
        except RuntimeError as error:
            if not gone or str(error) != "No response returned.":
                raise


def assets_version() -> str:
    digest = hashlib.sha256()
    for file in sorted(ASSETS.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


async def not_found(request: Request, error: Exception) -> HTMLResponse:
    """An address that is no page."""
    return HTMLResponse(
        '<!doctype html><html lang="en"><title>404 · Warpbook</title>'
        '<link rel="stylesheet" href="/assets/warpbook.css"><main class="alone"><h1>404</h1>'
        '<p>There is no such page.</p><p><a href="/">Now</a></p></main></html>',
        status_code=404,
    )
