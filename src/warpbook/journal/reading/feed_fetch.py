"""Fetching a feed: bytes over HTTP, within a time and a size, and nowhere but the web.

Knows nothing of what is in them. Whatever goes wrong is a `FetchFailed` with one line of reason.
"""

import http.client
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any, TypeVar
from urllib import error, request
from urllib.parse import quote, urlsplit, urlunsplit

import warpbook

WORKERS = 6
CHUNK = 65_536
WEB = ("http", "https")
GZIP = 16 + zlib.MAX_WBITS
NOT_MODIFIED = 304
T = TypeVar("T")
R = TypeVar("R")


class FetchFailed(Exception):
    """Says why in one line."""


@dataclass(frozen=True)
class Limits:
    timeout_s: float = 20.0
    most_bytes: int = 5_000_000


@dataclass(frozen=True)
class Fetched:
    """`data` is None where nothing changed since `etag` and `modified` were given. `address` is
    where it was found in the end."""

    data: bytes | None
    address: str
    etag: str = ""
    modified: str = ""
    content_type: str = ""


class WebRedirects(request.HTTPRedirectHandler):
    def http_error_302(
        self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: Any
    ) -> Any:
        where = headers.get("location") or headers.get("uri") or ""
        if urlsplit(where).scheme.lower() not in ("", *WEB):
            fp.close()
            raise FetchFailed(f"leads to {where[:200]}, which is not on the web")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def opener() -> request.OpenerDirector:
    """One that knows the web alone: no files, no FTP."""
    made = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.UnknownHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPDefaultErrorHandler(),
        WebRedirects(),
        request.HTTPErrorProcessor(),
    ):
        made.add_handler(handler)
    return made


def fetch(address: str, limits: Limits, etag: str = "", modified: str = "") -> Fetched:
    headers = {
        "User-Agent": f"warpbook/{warpbook.__version__} (feed reader)",
        "Accept": "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5",
        "Accept-Encoding": "gzip",
    }
    if etag:
        headers["If-None-Match"] = etag
    if modified:
        headers["If-Modified-Since"] = modified
    deadline = time.monotonic() + limits.timeout_s
    late = f"no whole answer within {limits.timeout_s:g} s"
    try:
        asked = request.Request(ascii_address(address), headers=headers)
        with opener().open(asked, timeout=limits.timeout_s) as answer:
            data = whole(answer, limits, deadline, late)
            return fetched(answer.geturl(), answer.headers, data)
    except error.HTTPError as failed:
        failed.close()
        if failed.code == NOT_MODIFIED:
            return Fetched(None, address, etag, modified)
        raise FetchFailed(f"answered {failed.code} {failed.reason}") from None
    except error.URLError as failed:
        timed_out = isinstance(failed.reason, TimeoutError)
        raise FetchFailed(late if timed_out else f"not reached: {failed.reason}") from None
    except TimeoutError:
        raise FetchFailed(late) from None
    except (OSError, ValueError, http.client.HTTPException, zlib.error) as failed:
        raise FetchFailed(f"not fetched: {failed or type(failed).__name__}") from None


def fetched(address: str, headers: Message, data: bytes) -> Fetched:
    return Fetched(
        data,
        address,
        headers.get("ETag", ""),
        headers.get("Last-Modified", ""),
        headers.get("Content-Type", ""),
    )


def whole(answer: Any, limits: Limits, deadline: float, late: str) -> bytes:
    """The body, unpacked; never more of it than is allowed, packed or not."""
    coding = (answer.headers.get("Content-Encoding") or "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip"):
        raise FetchFailed(f"is packed as {coding!r}, which was not asked for")
    unpack = zlib.decompressobj(GZIP) if coding != "identity" else None
    kept = bytearray()
    while chunk := answer.read1(CHUNK):
        kept += unpack.decompress(chunk, limits.most_bytes + 1) if unpack else chunk
        if len(kept) > limits.most_bytes or (unpack and unpack.unconsumed_tail):
            raise FetchFailed(f"has more than {limits.most_bytes / 1e6:g} MB")
        if time.monotonic() > deadline:
            raise FetchFailed(late)
    if (unpack and not unpack.eof) or getattr(answer, "length", None):
        raise FetchFailed("ended before it was whole")
    return bytes(kept)


def ascii_address(address: str) -> str:
    """As it goes over the wire: other letters than ASCII spelled out."""
    parts = urlsplit(address)
    host = parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()
    path, query = (quote(part, safe="/%:@!$&'()*+,;=~?") for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, host, path, query, ""))


def in_threads(
    act: Callable[[T], R], things: Sequence[T], patience_s: float, otherwise: Callable[[T], R]
) -> list[R]:
    """`act` of each, a few at a time; `otherwise` for those that are not back in time. A server
    that sends a byte a second would hold a thread for ever: nobody waits for it."""
    results: dict[int, R] = {}
    gate = threading.Semaphore(WORKERS)

    def run(number: int, thing: T) -> None:
        with gate:
            results[number] = act(thing)

    threads = [
        threading.Thread(target=run, args=(number, thing), daemon=True)
        for number, thing in enumerate(things)
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + patience_s * -(-len(things) // WORKERS)
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0))
    return [results[n] if n in results else otherwise(thing) for n, thing in enumerate(things)]
