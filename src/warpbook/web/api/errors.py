"""Errors of the API: one document for all of them, also for the framework's own."""

import errno
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from warpbook.core.errors import BadInput, Missing, NotFound, Taken, WarpbookError
from warpbook.journal.reading.shelf import OnShelf

NAMED = 5  # so many mistakes of one request are told
WORDS = {404: "not_found", 405: "wrong_method", 413: "too_large"}
NO_FILE = (errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP)
# By the class; the first that fits.
STATUSES: tuple[tuple[type[WarpbookError], int, str], ...] = (
    (NotFound, 404, "not_found"),
    (Taken, 409, "taken"),
    (Missing, 503, "missing"),
    (BadInput, 400, "bad_input"),
    (WarpbookError, 400, "bad_input"),
)


class Error(BaseModel):
    """What was wrong, for programs and in words."""

    error: str = Field(examples=["bad_input"])
    message: str = Field(examples=["there is no hypothesis H-99 in this book"])
    address: str | None = Field(None, description="The page of what is there already.")


def described(*more: int) -> dict[int | str, dict[str, Any]]:
    """The errors a route may answer with, for the OpenAPI."""
    texts = {
        400: "The book refuses it, or the request cannot be read",
        401: "No token, and no cookie",
        403: "Another page or host asked",
        404: "No such thing in this book",
        409: "It is there already",
        413: "Over 1 MiB",
        415: "Not application/json",
        422: "A field is missing, unknown or out of its range",
        503: "Something this needs is missing: room on the disk, write permission",
    }
    usual = (400, 401, 403, 404, 422, 503)
    return {code: {"model": Error, "description": texts[code]} for code in sorted({*usual, *more})}


def install(api: FastAPI) -> None:
    api.add_exception_handler(WarpbookError, of_the_book)
    api.add_exception_handler(RequestValidationError, of_the_request)
    api.add_exception_handler(HTTPException, of_the_framework)
    api.add_exception_handler(OSError, of_the_disk)
    api.add_exception_handler(Exception, of_ours)


def answer(status: int, error: str, message: str, headers: Any = None) -> JSONResponse:
    return JSONResponse({"error": error, "message": message}, status, headers)


async def of_the_book(request: Request, error: Exception) -> JSONResponse:
    status, word = next((s, w) for kind, s, w in STATUSES if isinstance(error, kind))
    if isinstance(error, OnShelf):
        told = {"error": word, "message": str(error), "address": f"/reading/{error.item.id}"}
        return JSONResponse(told, status)
    return answer(status, word, str(error))


async def of_the_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    said = [f"{place(one['loc'])}: {one['msg']}" for one in found[:NAMED]]
    if len(found) > NAMED:
        said.append(f"and {len(found) - NAMED} more")
    unreadable = any(one["type"] == "json_invalid" for one in found)
    return answer(400 if unreadable else 422, "bad_input", "; ".join(said))


def place(where: tuple[int | str, ...]) -> str:
    return ".".join(map(str, where[1:])) or str(where[0])


async def of_the_framework(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    word = WORDS.get(error.status_code, "bad_input")
    message = str(error.detail)
    if error.status_code == 404:
        message = "there is no such address; /api/openapi.json lists those there are"
    return answer(error.status_code, word, message, error.headers)


async def of_the_disk(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OSError)
    if error.errno in NO_FILE:
        return answer(400, "bad_input", f"no file can have that name: {error.strerror}")
    return answer(503, "missing", f"{error.filename or 'the disk'}: {error.strerror or error}")


async def of_ours(request: Request, error: Exception) -> JSONResponse:
    logging.getLogger(__name__).error("%s %s", request.method, request.url.path, exc_info=error)
    return answer(500, "broken", "the dashboard failed at this; its own output says where")
