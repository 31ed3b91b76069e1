"""What somebody reads who is not let in: a page in words, or a JSON document under /api.

Knows nothing of why.
"""

import html
import json
from dataclasses import dataclass

from warpbook.web.policy import Header

HOW = (
    "Ask for a fresh link on the machine that runs the dashboard, in the book's folder: "
    "warpbook link"
)
STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;"
    "color-scheme:light dark}"
)


@dataclass(eq=False)
class Refused(Exception):
    """`error` is the word that programs go by."""

    status: int
    error: str
    message: str
    headers: tuple[Header, ...] = ()


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[Header]
    body: bytes


def answer(refused: Refused, path: str, wants_html: bool, onward: str | None = None) -> Answer:
    """`onward` is where a link on the page leads: a browser that comes from another site sends its
    cookie only then."""
    if path == "/api" or path.startswith("/api/"):
        document = {"error": refused.error, "message": refused.message}
        return made(refused, "application/json", json.dumps(document))
    if not wants_html:
        return made(refused, "text/plain; charset=utf-8", f"{refused.message}\n")
    return made(refused, "text/html; charset=utf-8", page(refused, onward))


def entered(headers: list[Header]) -> Answer:
    """For a browser that another site, or a file, sent here with a good link: it would follow a
    redirect without its new cookie, so our own page sends it on."""
    body = (
        b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Warpbook</title>'
        b'<meta http-equiv="refresh" content="0; url=/"></head>'
        b'<body><a href="/">Go on</a></body></html>'
    )
    kind = (b"content-type", b"text/html; charset=utf-8")
    return Answer(200, [*headers, kind, (b"content-length", str(len(body)).encode())], body)


def made(refused: Refused, kind: str, text: str) -> Answer:
    body = text.encode()
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        *refused.headers,
    ]
    return Answer(refused.status, headers, body)


def page(refused: Refused, onward: str | None) -> str:
    further = ""
    if onward is not None:
        address = html.escape(onward, quote=True)
        further = f'<p>Signed in already? <a href="{address}">Go on</a></p>'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Warpbook: {refused.status}</title><style>{STYLE}</style></head><body>"
        f"<h1>Warpbook</h1><p>{html.escape(refused.message)}</p>{further}</body></html>"
    )
