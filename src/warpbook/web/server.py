"""Serving the dashboard on a socket until a signal ends it."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from warpbook.web.app import make_app
from warpbook.web.keys import Keys

GRACE_S = 2


def serve(
    folder: Path, listening: socket.socket, hosts: Sequence[str], ready: Callable[[Keys], None]
) -> None:
    """On a socket that is bound already; returns after SIGINT or SIGTERM. `ready` is called once it
    answers. `hosts` are the names it may be called by, besides those of this machine itself."""
    port: int = listening.getsockname()[1]
    keys = Keys(folder)
    config = uvicorn.Config(
        make_app(folder, port, hosts, keys),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=1 << 20,
        timeout_graceful_shutdown=GRACE_S,
        lifespan="on",
    )
    asyncio.run(run(Server(config, lambda: ready(keys)), listening))


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()


async def run(server: Server, listening: socket.socket) -> None:
    await server.serve([listening])
