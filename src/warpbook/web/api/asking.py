"""How a route reaches the book: by the desk, in a thread, and answered as JSON made there.

Knows nothing of any one route.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from warpbook.book.book import Book
from warpbook.core.codec import encode
from warpbook.journal.journal import Journal
from warpbook.web.desk import Desk

AuthorName = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=100,
        pattern=r"^[^\x00-\x1f\x7f\s][^\x00-\x1f\x7f]*$",
        description="Who says so; by default the author in the book's settings.",
    ),
]


@dataclass(frozen=True)
class Asking:
    """`author` is who changes something, if not the book's own."""

    desk: Desk
    author: str | None = None

    async def __call__(
        self, function: Callable[..., Any], *arguments: Any, status: int = 200
    ) -> Response:
        """The answer `function(book, *arguments)` as JSON."""
        body = await self.desk.ask(self._rendered, function, arguments)
        return Response(body, status, media_type=JSONResponse.media_type)

    def _rendered(
        self, book: Book, function: Callable[..., Any], arguments: Sequence[Any]
    ) -> bytes:
        """In the desk's thread: a long answer is no reason to hold up the loop."""
        found = function(signed(book, self.author), *arguments)
        return json.dumps(encode(found), allow_nan=False).encode()


@dataclass(frozen=True)
class AskingJournal:
    desk: Desk

    async def __call__(
        self, function: Callable[..., Any], *arguments: Any, status: int = 200
    ) -> Response:
        """The answer `function(journal, *arguments)` as JSON."""
        body = await self.desk.read(self._rendered, function, arguments)
        return Response(body, status, media_type=JSONResponse.media_type)

    @staticmethod
    def _rendered(
        journal: Journal, function: Callable[..., Any], arguments: Sequence[Any]
    ) -> bytes:
        return json.dumps(encode(function(journal, *arguments)), allow_nan=False).encode()


def signed(book: Book, author: str | None) -> Book:
    return book if author is None else Book(book.folder, book.settings, book.store, author)


def desk_of(request: Request) -> Desk:
    found: Desk = request.app.state.desk
    return found


def reading(desk: Annotated[Desk, Depends(desk_of)]) -> Asking:
    return Asking(desk)


def writing(desk: Annotated[Desk, Depends(desk_of)], author: AuthorName = None) -> Asking:
    return Asking(desk, author)


def journal_of(desk: Annotated[Desk, Depends(desk_of)]) -> AskingJournal:
    return AskingJournal(desk)


def refuse_unknown(request: Request) -> None:
    """A filter that is mistyped would be no filter at all."""
    known = parameters(request.scope["route"].dependant)
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        text = f"no such parameter; there are: {', '.join(sorted(known)) or 'none'}"
        raise RequestValidationError(
            [{"type": "extra_forbidden", "loc": ("query", name), "msg": text} for name in unknown]
        )


def parameters(dependant: Dependant) -> set[str]:
    """The names of a route's query parameters, and of what it depends on."""
    found = {field.alias for field in dependant.query_params}
    return found.union(*(parameters(one) for one in dependant.dependencies))


TheDesk = Annotated[Desk, Depends(desk_of)]
Reading = Annotated[Asking, Depends(reading)]
Writing = Annotated[Asking, Depends(writing)]
TheJournal = Annotated[AskingJournal, Depends(journal_of)]
