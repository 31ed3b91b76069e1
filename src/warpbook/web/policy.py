"""What a browser may do with our answers: security headers, and the nonce of NiceGUI's own scripts.

Knows nothing of who asks. The nonce is given only to pages that NiceGUI made from its template,
where all data is escaped; scripts in any other answer do not run.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Header = tuple[bytes, bytes]

SCRIPT = re.compile(rb"<script(?=[\s>])", re.IGNORECASE)
PAGE = b"x-nicegui-content"
FIXED: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
OURS = {name for name, _ in FIXED} | {b"content-security-policy"}


def csp(nonce: str) -> bytes:
    """`unsafe-eval`: NiceGUI compiles its templates in the browser."""
    return (
        "default-src 'none'; "
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ).encode()


def with_policy(headers: list[Header], nonce: str, private: bool) -> list[Header]:
    """`private`: nobody keeps a copy. What the app says of other origins is dropped."""
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in OURS and not name.lower().startswith(b"access-control-")
    ]
    if private:
        kept = [pair for pair in kept if pair[0].lower() != b"cache-control"]
        kept.append((b"cache-control", b"no-store"))
    return [*kept, *FIXED, (b"content-security-policy", csp(nonce))]


class Policed:
    """A `send` that adds the headers, and the nonce to the scripts of NiceGUI's pages."""

    def __init__(self, send: Send, private: bool) -> None:
        self._send = send
        self._private = private
        self._nonce = secrets.token_urlsafe(16)
        self._held: Message | None = None
        self._body = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] == "http.response.body" and self._held is not None:
            await self._page(self._held, message)
        else:
            await self._send(message)

    async def _start(self, message: Message) -> None:
        headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", ())]
        policed = {**message, "headers": with_policy(headers, self._nonce, self._private)}
        found = {name.lower(): value for name, value in headers}
        if found.get(PAGE) == b"page" and b"content-encoding" not in found:
            self._held = policed
            return
        await self._send(policed)

    async def _page(self, start: Message, message: Message) -> None:
        self._body += message.get("body", b"")
        if message.get("more_body", False):
            return
        self._held = None
        tag = f'<script nonce="{self._nonce}"'.encode()
        body = SCRIPT.sub(tag, bytes(self._body))
        self._body.clear()
        headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
        if body:
            headers.append((b"content-length", str(len(body)).encode()))
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})
