"""Findings: what was learned, tied to its evidence."""

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.web.api import shapes
from warpbook.web.api.asking import Reading, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import (
    Body,
    FindingName,
    Id,
    InCampaign,
    Limit,
    OfCampaign,
    Offset,
    Search,
    Statement,
    Tags,
)
from warpbook.web.api.paging import paged

router = APIRouter(tags=["findings"], responses=described())
CHANGES = described(409, 413, 415)
Ids = Annotated[list[Id], Field(max_length=100, default_factory=list)]
LINKS = ("supports", "refutes", "supersedes", "refines")


class NewFinding(Body):
    """What it rests on is what it supports or refutes: a hypothesis, an experiment, a finding."""

    statement: Statement
    supports: Ids
    refutes: Ids
    supersedes: Ids
    refines: Ids
    campaign: InCampaign | None = None
    tags: Tags


@router.get("/findings", response_model=shapes.Page[shapes.Finding], operation_id="findings")
async def findings(
    ask: Reading,
    campaign: OfCampaign = None,
    search: Search = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """The newest first; `search` looks in statements"""

    def found(book: Book) -> Any:
        rows = book.findings.list(campaign, search, limit + 1, offset)
        return paged([documents.finding(row) for row in rows], limit, offset)

    return await ask(found)


@router.get("/findings/{name}", response_model=shapes.FindingView, operation_id="finding")
async def finding(ask: Reading, name: FindingName) -> Response:
    """One finding: the effect it quotes, what it rests on, whether it is stale"""
    return await ask(finding_document, name)


def finding_document(book: Book, name: str) -> dict[str, Any]:
    found = book.findings.get(name)
    rerun = book.findings.rerun(name) if found.stale else ""
    return documents.finding(found) | {
        "links": [documents.link(one) for one in book.findings.links(name)],
        "rerun": rerun or None,
    }


@router.post(
    "/findings", response_model=shapes.FindingView, status_code=201,
    operation_id="add_finding", responses=CHANGES,
)  # fmt: skip
async def add(ask: Writing, given: NewFinding) -> Response:
    """Write down what was learned, and what it rests on"""

    def made(book: Book) -> Any:
        links = [(word, to) for word in LINKS for to in getattr(given, word)]
        found = book.findings.add(given.statement, links, given.campaign, given.tags)
        return finding_document(book, found.name)

    return await ask(made, status=201)


@router.post(
    "/findings/{name}/withdraw", response_model=shapes.FindingView,
    operation_id="withdraw_finding", responses=CHANGES,
)  # fmt: skip
async def withdraw(ask: Writing, name: FindingName) -> Response:
    """Take it back; it stays to be read, marked as withdrawn"""

    def made(book: Book) -> Any:
        book.findings.withdraw(name)
        return finding_document(book, name)

    return await ask(made)
