"""Serving the dashboard on a socket until a signal ends it."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from warpbook.web.app import make_app
from warpbook.web.desk import Desk
from warpbook.web.keys import Keys

GRACE_S = 2
EVERYWHERE, LOCAL = "0.0.0.0", "127.0.0.1"


def serve(
    folder: Path, listening: socket.socket, hosts: Sequence[str], ready: Callable[[str], None]
) -> None:
    """On a socket that is bound already; returns after SIGINT or SIGTERM. `ready` is given a link
    that lets a browser in, once the server answers. `hosts` are the names it may be called by,
    besides those of this machine itself."""
    host, port = listening.getsockname()[:2]
    address = f"http://{host if host != EVERYWHERE else LOCAL}:{port}"
    keys, desk = Keys.of_book(folder), Desk(folder)
    config = uvicorn.Config(
        make_app(desk, port, hosts, keys),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=1 << 20,
        timeout_graceful_shutdown=GRACE_S,
        lifespan="on",
    )
    server = Server(
        config, lambda: ready(f"{address}/enter?code={keys.make_code()}"), desk.feed.stop
    )
    with keys.announced(address):
        asyncio.run(run(server, listening))


class Server(uvicorn.Server):
    """`closing` ends the streams of events, which the server would wait for otherwise."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None],
        closing: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__(config)
        self.ready = ready
        self.closing = closing

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A second Ctrl-C changes nothing: the server is gone within seconds anyway."""
        super().handle_exit(sig, frame)
        self.force_exit = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.closing()
        await super().shutdown(sockets)


async def run(server: Server, listening: socket.socket) -> None:
    await server.serve([listening])
