"""What is around every page: the header, the ways to the other pages, and errors in words."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import Request
from nicegui import Client, ui

from warpbook.core.errors import BadInput, NotFound, WarpbookError
from warpbook.web.desk import Desk
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.show import empty
from warpbook.web.visit import ASSETS, Visit, heading

Build = Callable[[Visit], Awaitable[None]]

WAYS = (
    ("/", "Now"),
    ("/campaigns", "Campaigns"),
    ("/experiments", "Experiments"),
    ("/graph", "Graph"),
    ("/kernels", "Kernels"),
    ("/calibration", "Calibration"),
    ("/journal", "Journal"),
    ("/reading", "Reading"),
    ("/quiz", "Quiz"),
)
# Pages that belong to one of these ways.
BELOW = {"/hypotheses": "/campaigns", "/findings": "/campaigns", "/runs": "/experiments"}
BUILD_S = 30.0


@dataclass(frozen=True)
class Page:
    path: str
    title: str
    build: Build


PAGES: list[Page] = []


def page(path: str, title: str) -> Callable[[Build], Build]:
    """A page at its own address: `async def now(visit): ...` below `@page("/", "Now")`."""

    def register(build: Build) -> Build:
        PAGES.append(Page(path, title, build))
        return build

    return register


def install(desk: Desk) -> None:
    """Give NiceGUI all pages."""
    for one in PAGES:
        route(one, desk)


def route(one: Page, desk: Desk) -> None:
    @ui.page(one.path, title=f"{one.title} · Warpbook", response_timeout=BUILD_S)
    async def shown(request: Request, client: Client) -> None:
        params = {name: str(value) for name, value in request.path_params.items()}
        visit = Visit(desk, client, params, dict(request.query_params))
        with client.layout:
            visit.fixed(header(one.path, desk), tag="header").move(target_index=0)
        client.content.props("id=main tabindex=-1")
        try:
            await one.build(visit)
        except WarpbookError as error:
            client.content.clear()
            visit.kept.clear()
            client.status_code = status_of(error)
            visit.fixed(heading(client.status_code))
            visit.fixed(empty(str(error)))
        visit.keep_current()


def status_of(error: WarpbookError) -> int:
    if isinstance(error, NotFound):
        return 404
    return 400 if isinstance(error, BadInput) else 503


def header(path: str, desk: Desk) -> Markup:
    at = next((way for start, way in BELOW.items() if path.startswith(start)), path)
    ways = join(way(address, label, at) for address, label in WAYS)
    folder = desk.book.folder
    return h(
        '<a class="skip" href="#main">Skip to the page</a>'
        '<a class="brand" href="/"><span aria-hidden="true">▚</span> Warpbook</a>'
        '<nav aria-label="pages">{}</nav>'
        '<form class="find" role="search" aria-label="everything" action="/search">'
        '<input type="search" name="text" required maxlength="500" autocomplete="off" '
        'aria-label="search everything" placeholder="Search  /"></form>'
        '<span class="book" data-tip="{}" tabindex="0">{}</span>'
        '<button type="button" class="quiet" data-theme-switch aria-label="light or dark">◐'
        "</button>",
        ways,
        str(folder),
        folder.name,
    )


def way(address: str, label: str, at: str) -> Markup:
    here = at == address or (address != "/" and at.startswith(address + "/"))
    return h(
        '<a href="{}"{}>{}</a>', address, attributes(aria_current="page" if here else None), label
    )


def head_html(version: str) -> str:
    """Styles and the script of every page; `version` makes browsers fetch new ones."""
    styles = sorted(file.name for file in ASSETS.glob("*.css"))
    scripts = sorted(file.name for file in ASSETS.glob("*.js") if file.name != "panel.js")
    links = [f'<link rel="stylesheet" href="/assets/{name}?{version}">' for name in styles]
    # Before anything is drawn, or the page would flash in the other theme.
    first = f'<script src="/assets/warpbook.js?{version}"></script>'
    rest = [
        f'<script defer src="/assets/{name}?{version}"></script>'
        for name in scripts
        if name != "warpbook.js"
    ]
    return "\n".join([*links, first, *rest])
