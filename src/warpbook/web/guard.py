"""The one layer that every request passes, over http and websocket: pages, API, NiceGUI's socket.

It checks Host (against names that are rebound to this machine), Origin (against other pages), the
token or cookie (against other users of the machine), the kind and size of what is sent; and all of
it before the app beneath sees anything. Knows ASGI, and nothing of the app.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any
from urllib.parse import parse_qs, unquote_to_bytes

from warpbook.web import doorstep
from warpbook.web.doorstep import HOW, Answer, Refused
from warpbook.web.keys import SESSION_S, Keys
from warpbook.web.policy import Message, Policed, Send

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
READING = ("GET", "HEAD")
LARGEST_BODY = 1 << 20
LONGEST_TARGET = 8192
MOST_HEADERS = 100
LARGEST_HEADERS = 32768
BODY_S = 30.0
SOCKET = "/_nicegui_ws/"
# A slash, backslash or control character that hides in an escape; dots are looked at afterwards.
HIDDEN = re.compile(rb"%(2f|5c|[01][0-9a-f]|7f)", re.IGNORECASE)
# What a proxy would say of itself: there is none, and NiceGUI would believe it.
UNTRUSTED = (b"forwarded", b"x-forwarded-", b"x-script-name", b"x-original-", b"x-rewrite-")
TOO_LARGE = 1009


class Guard:
    """`hosts` are names and addresses by which this server may be called, beside the loopback."""

    def __init__(self, app: App, port: int, hosts: Iterable[str], keys: Keys) -> None:
        self.app = app
        self.keys = keys
        self.cookie = f"warpbook_{port}"
        self.names = host_names(port, [*hosts, *LOOPBACK])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.path == "/enter":
            # In place: the server's own access log reads it from here.
            scope["query_string"] = b""
        private = request.is_api or request.path == "/enter"
        try:
            self._admit(request)
            if request.path == "/enter":
                found = self._enter(request)
                await reply(found, Policed(send, private=True))
                return
            self._sign_in(request)
            check_kind(request)
            body = await read_body(request, receive)
        except Refused as refused:
            onward = request.onward if refused.status == 401 else None
            found = doorstep.answer(refused, request.path, request.wants_html, onward)
            await reply(found, Policed(send, private=True))
            return
        inner = {**scope, "headers": [*request.passed_on]}
        await self.app(inner, Replay(body, receive), Policed(send, private))

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            self._admit(request)
            if request.only("origin") is None:
                raise no_origin()
            self._sign_in(request)
        except Refused as refused:
            await deny(scope, refused, send)
            return
        inner = {**scope, "headers": [*request.passed_on]}
        await self.app(inner, Limited(receive), send)

    def _admit(self, request: "Request") -> None:
        """What needs no secret."""
        check_shape(request)
        if (host := request.only("host")) is None or host.lower() not in self.names:
            raise Refused(
                403,
                "foreign_host",
                "This dashboard is not called by that name. Open it as localhost or 127.0.0.1 with "
                "its port, or start it with --host NAME.",
            )
        origin = request.only("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            raise Refused(403, "foreign_origin", "Another page asked for this. It is refused.")

    def _sign_in(self, request: "Request") -> None:
        if self._has_token(request):
            return
        if not self._has_cookie(request):
            raise Refused(
                401,
                "not_signed_in",
                f"You are not signed in. {HOW}. Programs send its token: see docs/api.md.",
                ((b"www-authenticate", b'Bearer realm="warpbook"'),),
            )
        if request.only("origin") is None and not request.only_reads:
            raise no_origin()
        site, mode = request.only("sec-fetch-site"), request.only("sec-fetch-mode")
        if site not in (None, "same-origin", "none") and mode != "navigate":
            raise Refused(403, "foreign_origin", "Another page asked for this. It is refused.")

    def _has_token(self, request: "Request") -> bool:
        kind, _, token = (request.only("authorization") or "").partition(" ")
        return kind.lower() == "bearer" and self.keys.is_token(token.strip())

    def _has_cookie(self, request: "Request") -> bool:
        return any(self.keys.is_session(value) for value in request.cookies(self.cookie))

    def _enter(self, request: "Request") -> Answer:
        """A code for a cookie. The address with the code is left at once."""
        if request.method != "GET":
            raise Refused(405, "wrong_method", "A link is opened with GET.")
        spent = self.keys.spend_code(request.query.get("code", [""])[-1])
        if not spent and not self._has_cookie(request):
            raise Refused(
                403, "code_spent", f"This link was used before, or is older than 15 minutes. {HOW}."
            )
        headers = []
        if spent:
            value = (
                f"{self.cookie}={self.keys.make_session()}; Path=/; Max-Age={SESSION_S:.0f}; "
                "HttpOnly; SameSite=Strict"
            )
            headers.append((b"set-cookie", value.encode()))
        if request.from_elsewhere:
            return doorstep.entered(headers)
        return Answer(303, [*headers, (b"location", b"/"), (b"content-length", b"0")], b"")


class Request:
    """A scope's parts, as the checks need them."""

    def __init__(self, scope: Scope) -> None:
        self.is_socket = scope["type"] == "websocket"
        self.method = str(scope.get("method", "GET"))
        self.path = str(scope["path"])
        self.raw_path: bytes = scope.get("raw_path") or self.path.encode()
        self.query_string: bytes = scope.get("query_string", b"")
        self.headers: Sequence[tuple[bytes, bytes]] = [*scope["headers"]]

    @property
    def is_api(self) -> bool:
        return self.path == "/api" or self.path.startswith("/api/")

    @property
    def only_reads(self) -> bool:
        return self.method in READING and not self.is_socket

    @property
    def wants_html(self) -> bool:
        return any("text/html" in text for text in self.all("accept"))

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(self.query_string.decode("latin-1"))

    @property
    def from_elsewhere(self) -> bool:
        """Whether another site began it: a browser then keeps its cookie back."""
        return self.only("sec-fetch-site") in ("cross-site", "same-site")

    @property
    def onward(self) -> str | None:
        """This very address, for a navigation that another site began."""
        if not self.from_elsewhere:
            return None
        query = f"?{self.query_string.decode('latin-1')}" if self.query_string else ""
        path = self.raw_path.decode("latin-1")
        return path + query if re.match("/(?!/)", path) else None

    @property
    def passed_on(self) -> Iterable[tuple[bytes, bytes]]:
        """Pages come uncompressed, since the nonce is written into them."""
        for name, value in self.headers:
            lower = name.lower()
            if lower == b"accept-encoding" and self.wants_html:
                continue
            if not lower.startswith(UNTRUSTED):
                yield name, value

    def all(self, name: str) -> list[str]:
        wanted = name.encode()
        return [value.decode("latin-1") for key, value in self.headers if key.lower() == wanted]

    def only(self, name: str) -> str | None:
        found = self.all(name)
        return found[0] if len(found) == 1 else None

    def cookies(self, name: str) -> list[str]:
        pairs = (part.partition("=") for text in self.all("cookie") for part in text.split(";"))
        return [value.strip() for key, _, value in pairs if key.strip() == name]


class Replay:
    """A `receive` for a body that was read already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class Limited:
    """A websocket's `receive` that ends the socket at a message past the limit."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive

    async def __call__(self) -> Message:
        message = await self._receive()
        size = len(message.get("bytes") or b"") + len(message.get("text") or "")
        if message["type"] == "websocket.receive" and size > LARGEST_BODY:
            return {"type": "websocket.disconnect", "code": TOO_LARGE}
        return message


def host_names(port: int, hosts: Sequence[str]) -> set[str]:
    """As they are written in a Host header."""
    found = set()
    for host in hosts:
        if host in EVERYWHERE:
            continue
        name = f"[{host}]" if ":" in host and not host.startswith("[") else host
        found.add(f"{name}:{port}".lower())
        if port == 80:
            found.add(name.lower())
    return found


def check_shape(request: Request) -> None:
    sizes = [len(name) + len(value) for name, value in request.headers]
    if len(sizes) > MOST_HEADERS or sum(sizes) > LARGEST_HEADERS:
        raise Refused(431, "bad_input", "The request has too many headers, or too long ones.")
    if len(request.raw_path) + len(request.query_string) > LONGEST_TARGET:
        raise Refused(414, "bad_input", "The address is too long.")
    for name in ("host", "origin", "authorization", "content-type", "content-length"):
        if len(request.all(name)) > 1:
            raise Refused(400, "bad_input", f"The header {name} is there more than once.")
    path = unquote_to_bytes(request.raw_path)
    steps = re.split(rb"[/\\]", path)
    control = any(byte < 32 or byte == 127 for byte in path)
    if HIDDEN.search(request.raw_path) or b"\\" in path or control:
        raise Refused(400, "bad_input", "The address has characters that no address here has.")
    if not path.startswith(b"/") or b".." in steps or b"." in steps:
        raise Refused(400, "bad_input", "The address leads around: write it without . and .. parts")


def check_kind(request: Request) -> None:
    """What may be sent where. Browsers' forms and scripts of other pages cannot send JSON."""
    if request.path.startswith(SOCKET):
        raise Refused(400, "bad_input", "Live pages are served over websocket alone.")
    if request.method in (*READING, "OPTIONS"):
        return
    if not request.is_api:
        raise Refused(
            405, "wrong_method", "Changes are made under /api.", ((b"allow", b"GET, HEAD"),)
        )
    kind = (request.only("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "bad_input", "Send it as JSON: content-type application/json.")


async def read_body(request: Request, receive: Receive) -> bytes:
    """All of it, within limits of size and time."""
    said = request.only("content-length") or "0"
    if not re.fullmatch(r"[0-9]{1,15}", said):
        raise Refused(400, "bad_input", "The header content-length is no number.")
    if int(said) > LARGEST_BODY:
        raise too_large()
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "bad_input", "The request broke off.")
                body += message.get("body", b"")
                if len(body) > LARGEST_BODY:
                    raise too_large()
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, "bad_input", "The request did not come to its end in time.") from None


def no_origin() -> Refused:
    text = "A change by cookie, or a websocket, must say which page it comes from (Origin)."
    return Refused(403, "no_origin", text)


def too_large() -> Refused:
    text = f"More than {LARGEST_BODY >> 20} MiB in one request is not read."
    return Refused(413, "too_large", text, ((b"connection", b"close"),))


async def reply(found: Answer, send: Send) -> None:
    await send({"type": "http.response.start", "status": found.status, "headers": [*found.headers]})
    await send({"type": "http.response.body", "body": found.body, "more_body": False})


async def deny(scope: Scope, refused: Refused, send: Send) -> None:
    """Before the socket is open: an http answer where the server can give one."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close", "code": 1008, "reason": refused.error})
        return
    found = doorstep.answer(refused, "/api", wants_html=False)

    async def as_denial(message: Message) -> None:
        await send({**message, "type": f"websocket.{message['type']}"})

    await reply(found, Policed(as_denial, private=True))
