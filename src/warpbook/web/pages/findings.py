"""Findings: what was learned, each with the effect it quotes and what it rests on."""

from warpbook.book.browse import findings as browse
from warpbook.book.browse.findings import PAGE, Line, Listing, Wanted
from warpbook.web import forms, sayings, show
from warpbook.web.campaigns.claims import campaign_link, short
from warpbook.web.controls import searching, tabs
from warpbook.web.markup import Markup, h, join
from warpbook.web.shell import page
from warpbook.web.table import Column, page_of, table
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

TABS = (("active", "standing"), ("stale", "stale"), ("withdrawn", "withdrawn"), ("all", "all"))
ORDERS = (("-created", "newest"), ("created", "oldest"), ("-effect", "effect"))
COLUMNS = (
    Column(word("finding"), "created", wide=True),
    Column(word("effect"), "effect"),
    Column(word("run", "runs"), number=True),
    Column("rests on"),
    Column(word("campaign")),
    Column("recorded"),
)


@page("/findings", "Findings")
async def findings(visit: Visit) -> None:
    async def render(query: Query) -> Markup:
        return listing(await visit.desk.view(browse.listing, wanted(query)), query)

    await visit.panel(render)
    visit.fixed(sayings.new_finding())


def wanted(query: Query) -> Wanted:
    return Wanted(
        query.get("campaign", ""),
        query.get("status", "active"),
        query.get("search", ""),
        query.get("sort", ORDERS[0][0]),
        page_of(query),
    )


def listing(found: Listing, query: Query) -> Markup:
    here = query.get("status", "active")
    bar = h(
        '<div class="row controls">{}{}</div>',
        tabs(TABS, here, found.counts, query, "status"),
        searching(query, ORDERS, "Search statements and tags"),
    )
    rows = [row(one) for one in found.lines]
    shown = table(COLUMNS, rows, query, found.total, "findings", PAGE, "-created")
    body = h('<div class="claims">{}</div>', shown) if rows else nothing(found, query)
    button = forms.opens("Record a finding", "new-finding", "main")
    return heading("Findings", button) + h('<section class="card">{}{}</section>', bar, body)


def row(one: Line) -> list[Markup]:
    ties = join(
        (h('<span class="muted">{}</span> {}', type_, show.ref(to)) for type_, to in one.links[:8]),
        "<br>",
    )
    flag = show.chip(one.status, one.stale) if one.status != "active" else ""
    return [
        h(
            '{} {}<div class="claim"><a href="/findings/{}">{}</a></div>',
            show.ref(one.name), flag, one.name, short(one.statement),
        ),
        show.effect(one.gain, one.low, one.high, one.metric),
        h("{}", one.runs),
        ties,
        campaign_link(one.campaign_id, one.campaign),
        h("{} by {}", show.ago(one.created_at), one.author),
    ]  # fmt: skip


def nothing(found: Listing, query: Query) -> Markup:
    if query.get("search"):
        return show.empty("No finding has that in its statement or tags.")
    if found.counts.get("all"):
        return show.empty("None of the findings is in this state.")
    return show.empty(
        "Nothing was found yet. A finding says what was learned; it rests on a hypothesis that its "
        "runs decided, or on an experiment, and quotes those runs.",
        'warpbook finding add "one pass over the row is enough" --supports H-3',
    )
