"""The API behind the guard, without pages: a real server in a thread, over a real book."""

import asyncio
from contextlib import asynccontextmanager, contextmanager

import httpx
from fastapi import FastAPI
from serving import free_socket, serving

from warpbook.web.api import make_api
from warpbook.web.desk import Desk
from warpbook.web.guard import Guard
from warpbook.web.keys import Keys


class Api:
    """`get` and `post` are a program's, with the token."""

    def __init__(self, folder, port):
        self.keys = Keys.of_book(folder)
        self.address = f"http://127.0.0.1:{port}"
        self.headers = {"authorization": f"Bearer {self.keys.token}"}
        self.client = httpx.Client(
            base_url=self.address, headers=self.headers, trust_env=False, timeout=60
        )

    def get(self, path, **query):
        return self.client.get(f"/api{path}", params=query)

    def post(self, path, document=None, **query):
        return self.client.post(f"/api{path}", json=document or {}, params=query)


@contextmanager
def serving_api(folder, bound=None):
    """On a socket that is bound already, or a free one."""
    bound = bound or free_socket()
    api = Api(folder, bound.getsockname()[1])
    found = {}

    @asynccontextmanager
    async def lifespan(_):
        found["loop"] = asyncio.get_running_loop()
        await desk.start()
        yield
        await desk.stop()

    desk = Desk(folder)
    app = FastAPI(lifespan=lifespan, openapi_url=None)
    app.mount("/api", make_api(desk, api.keys))
    guard = Guard(app, bound.getsockname()[1], [], api.keys)

    def close_streams():
        asyncio.run_coroutine_threadsafe(desk.feed.stop(), found["loop"])

    with bound, serving(guard, bound, close_streams, lifespan="on"), api.client:
        yield api
