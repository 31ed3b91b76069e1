"""One call of an OpenAI-compatible endpoint: messages go out, the model's words come back.

The key comes from the environment and goes into one header; it is in no error and in no answer.
Redirects are not followed, for the key would go with them. Knows nothing of lessons.
"""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from warpbook.core.errors import WarpbookError
from warpbook.core.text import printable
from warpbook.journal.settings import Teacher

TIMEOUT_S = 60.0
MOST_BYTES = 2_000_000
PIECE = 65536
MOST_SHOWN = 200
Message = Mapping[str, str]


class NoAnswer(WarpbookError):
    """The model said nothing that can be used; the message says why."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def complete(teacher: Teacher, messages: Sequence[Message], timeout_s: float = TIMEOUT_S) -> str:
    """What the model says to these messages; NoAnswer in words, whatever goes wrong."""
    key = found_key(teacher)
    try:
        body = fetched(request(teacher, messages, key), timeout_s)
        return hidden(content(body), key)
    except NoAnswer as error:
        said = printable(hidden(str(error), key))
        raise NoAnswer(f"the model at {shown(teacher.endpoint)} {said}") from None


def found_key(teacher: Teacher) -> str:
    """Empty where settings name none: a server of one's own often needs none."""
    if not teacher.key:
        return ""
    key = os.environ.get(teacher.key, "").strip()
    if not key:
        raise NoAnswer(f"the environment has no ${teacher.key}, which settings name for the key")
    if not (key.isascii() and key.isprintable()):
        raise NoAnswer(f"${teacher.key} has characters that no key has")
    return key


def request(teacher: Teacher, messages: Sequence[Message], key: str) -> urllib.request.Request:
    asked = {"model": teacher.model, "messages": [dict(message) for message in messages]}
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    return urllib.request.Request(
        teacher.endpoint.rstrip("/") + "/chat/completions",
        data=json.dumps(asked).encode(),
        headers=headers,
        method="POST",
    )


def fetched(asking: urllib.request.Request, timeout_s: float) -> bytes:
    deadline = time.monotonic() + timeout_s
    opener = urllib.request.build_opener(NoRedirect)
    try:
        with opener.open(asking, timeout=timeout_s) as answer:
            return whole(answer, deadline)
    except urllib.error.HTTPError as error:
        with error:
            raise NoAnswer(refused(error)) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise NoAnswer(late(timeout_s)) from None
        reason = getattr(error.reason, "strerror", None) or error.reason
        raise NoAnswer(f"cannot be reached: {reason}") from None
    except TimeoutError:
        raise NoAnswer(late(timeout_s)) from None
    except (HTTPException, OSError, ValueError) as error:
        raise NoAnswer(f"broke off: {type(error).__name__}") from None


def whole(answer: Any, deadline: float) -> bytes:
    """All of it, within the deadline even where it comes a byte at a time."""
    parts: list[bytes] = []
    size = 0
    while part := answer.read1(PIECE):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise NoAnswer("sent more than an answer can be")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(parts)


def late(timeout_s: float) -> str:
    return f"did not answer within {timeout_s:g} s"


def refused(error: urllib.error.HTTPError) -> str:
    """A status in words, with what the server says of it where it says it in the usual way."""
    match error.code:
        case 401 | 403:
            return f"does not accept the key ({error.code}); settings name its variable as key"
        case 404:
            return "has no such address or model (404); settings have endpoint and model"
        case 429:
            return "is asked too often (429); try again in a while"
        case code if 300 <= code < 400:
            return f"leads elsewhere ({code}), which is not followed; settings have the endpoint"
    try:
        said = json.loads(error.read(PIECE))["error"]
        told = str(said["message"] if isinstance(said, dict) else said)
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return f"failed ({error.code})"
    return f"failed ({error.code}): {told[:MOST_SHOWN]}"


def content(body: bytes) -> str:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise NoAnswer("answered with something that is not JSON") from None
    match document:
        case {"choices": [{"message": {"content": str(text)}}, *_]} if text.strip():
            return text.strip()
    raise NoAnswer("answered with JSON that has no message in it")


def hidden(text: str, key: str) -> str:
    return text.replace(key, "***") if key else text


def shown(endpoint: str) -> str:
    """Without a name and password that may be in it."""
    parts = urlsplit(endpoint)
    return printable(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")
