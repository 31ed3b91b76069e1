"""A guard over an app that answers everything and tells what it saw."""

from contextlib import contextmanager

import httpx
from serving import free_socket, serving

from warpbook.web.guard import Guard
from warpbook.web.keys import Keys

PAGE = b'<html><script>1</script><SCRIPT src="x.js"></script><scripty></html>'


class Beneath:
    """Answers everything; tells what it saw."""

    def __init__(self):
        self.seen = []

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            return
        self.seen.append(scope)
        if scope["type"] == "websocket":
            await self.echo(receive, send)
            return
        body = (await receive())["body"]
        kind, more = b"text/plain", [(b"access-control-allow-origin", b"*")]
        answer = b"%d bytes" % len(body)
        if scope["path"] in ("/page", "/other-page"):
            kind, answer = b"text/html", PAGE
        if scope["path"] == "/page":
            more = [(b"X-NiceGUI-Content", b"page")]
        more += [(b"content-type", kind), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": more})
        for part in (answer[:20], answer[20:]):
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})

    async def echo(self, receive, send):
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})


class Door:
    def __init__(self, folder, bound):
        self.keys = Keys.of_book(folder)
        self.app = Beneath()
        self.port = bound.getsockname()[1]
        self.guard = Guard(self.app, self.port, ["gpu-box", "0.0.0.0"], self.keys)
        self.address = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.address, trust_env=False, timeout=60)

    @property
    def token(self):
        return {"authorization": f"Bearer {self.keys.token}"}

    @property
    def cookie(self):
        return {"cookie": f"warpbook_{self.port}={self.keys.make_session()}"}

    @property
    def json(self):
        return {"content-type": "application/json"}

    @property
    def origin(self):
        return {"origin": self.address}


FOREIGN = ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1",
           "http://127.0.0.1", "http://localhost:{port}", "", "file://"]  # fmt: skip


@contextmanager
def opened(folder):
    with free_socket() as bound:
        made = Door(folder, bound)
        with serving(made.guard, bound, lifespan="off"), made.client:
            yield made
