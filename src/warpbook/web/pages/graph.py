"""The graph: what is known and how it hangs together, around a campaign or a node."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from warpbook.book.browse import layout
from warpbook.book.browse.knowledge import EDGES, KINDS, Node, Opened, View
from warpbook.book.browse.neighbourhood import Ask, view
from warpbook.book.browse.rungs import shelf
from warpbook.book.browse.sieve import CLAIM_STATES, DAYS, PLAN_STATES
from warpbook.book.graph import problem_of
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, text
from warpbook.web.shell import page
from warpbook.web.svg import graph as picture
from warpbook.web.svg import graph_words
from warpbook.web.table import page_of
from warpbook.web.visit import Query, Visit, heading

if TYPE_CHECKING:
    from warpbook.book.book import Book

LONGEST_ASKED = 400
LISTED_TEXT = 240
LISTED_TIES = 6
WORDS = ("campaign", "node", "open", "tag", "status", "days")


@page("/graph", "Graph")
async def graph(visit: Visit) -> None:
    async def shown(query: Query) -> Markup:
        return await visit.desk.view(drawn, ask_of(query))

    visit.title("Graph")
    await visit.panel(shown)


def drawn(book: "Book", ask: Ask) -> Markup:
    """Off the event loop: a picture of 300 nodes takes a tenth of a second to write."""
    laid = layout.lay(book, view(book, ask))
    return graph_page(laid, ask, [campaign.name for campaign in book.campaigns.list()])


def ask_of(query: Query) -> Ask:
    asked = {name: query.get(name, "").strip()[:LONGEST_ASKED] for name in WORDS}
    return Ask(**asked, page=page_of(query))


def address_of(ask: Ask, **changes: object) -> str:
    """The same view with something changed, on its first page."""
    parts = {name: getattr(ask, name) for name in WORDS} | {"page": ""} | changes
    return "?" + urlencode(
        {name: value for name, value in parts.items() if value not in ("", None)}
    )


def graph_page(laid: View, ask: Ask, names: Sequence[str]) -> Markup:
    head = heading(title(laid), beside(laid, ask))
    tools = h('<div class="kg-bar">{}{}{}</div>', places(laid, names), filters(laid, ask), TOOLS)
    if len(laid.nodes) <= 1 and laid.centre.kind == "campaign":
        return h("{}{}{}", head, tools, nothing(ask))
    svg = picture.graph(laid, lambda node: page_address(node, ask, laid.opened))
    frame = h(
        '<div class="kg-frame" tabindex="0" role="region" data-scope="{}" aria-label="{}">{}</div>',
        laid.scope, "the graph: drag, or arrow keys, to move; wheel, or + and -, to zoom", svg,
    )  # fmt: skip
    below = h("{}{}{}", counted(laid), legend(laid), listed(laid, ask))
    return h("{}{}{}{}{}", head, tools, opened(laid, ask), frame, below)


def title(laid: View) -> Markup:
    if laid.centre.kind == "campaign":
        return h("Graph of {}", show.campaign(laid.centre.text))
    name = graph_words.called(laid.centre)
    said = "" if name == laid.centre.text else h(": {}", text(laid.centre.text, 80))
    return h(
        'Graph around <a class="ref" href="{}">{}</a>{}',
        page_address(laid.centre, Ask()),
        name,
        said,
    )


def beside(laid: View, ask: Ask) -> Markup | None:
    """The way back to the campaign."""
    if laid.centre.kind == "campaign" or not laid.campaign:
        return None
    back = address_of(ask, node="", open="", campaign=laid.campaign)
    return h('<a data-query href="{}">the whole of {}</a>', back, laid.campaign)


def page_address(node: Node, ask: Ask, opened: Opened | None = None) -> str:
    """Where a node has its page; a group opens, or turns to its next page, and what has no page is
    centred on."""
    if node.kind == "group":
        turns = opened is not None and opened.group == node.id and opened.last < opened.total
        return address_of(ask, open=node.id, page=ask.page + 1 if turns else "")
    if node.kind in ("rung", "problem"):
        return kernel_address(node)
    return f"/{show.PLACES[node.id[0]]}/{node.id}"


def kernel_address(node: Node) -> str:
    """The ladder's page, for a problem that has one."""
    problem = (problem_of(node.id) if node.kind == "rung" else node.id).partition(":")[2]
    outline, _ = shelf(problem)
    if outline is None:
        return f"/graph?{urlencode({'node': node.id})}"
    rung = node.id.rpartition("/")[2]
    known = node.kind == "rung" and rung in outline.rungs
    return f"/kernels/{quote(problem)}" + (f"?{urlencode({'rung': rung})}#rung" if known else "")


def around_address(node: Node, ask: Ask) -> str:
    if node.kind == "group":
        return ""
    if node.kind == "campaign":
        return address_of(ask, node="", open="", campaign=node.text)
    return address_of(ask, node=node.id, open="", campaign="")


def options(values: Sequence[tuple[str, str]], chosen: str) -> Markup:
    return join(
        h('<option value="{}"{}>{}</option>', value, attributes(selected=value == chosen), said)
        for value, said in values
    )


def places(laid: View, names: Sequence[str]) -> Markup:
    """Which campaign; choosing one leaves the node and the group that were asked for."""
    known = [(name, name if len(name) <= 40 else f"{name[:39]}…") for name in names]
    here = laid.campaign if laid.centre.kind == "campaign" else ""
    first = [] if here else [("", "choose")]
    return h(
        '<form data-query><input type="hidden" name="node"><input type="hidden" name="open">'
        '<label>campaign <select name="campaign">{}</select></label></form>',
        options([*first, *known], here),
    )


def filters(laid: View, ask: Ask) -> Markup:
    tags = [*laid.tags, *([ask.tag] if ask.tag and ask.tag not in laid.tags else [])]
    tag = h(
        '<label>tag <select name="tag">{}</select></label>',
        options([("", "all"), *((one, one[:40]) for one in tags)], ask.tag),
    )
    states = [("", "all"), *((one, one) for one in (*CLAIM_STATES, *PLAN_STATES))]
    times = [("", "all"), *((str(n), "1 day" if n == 1 else f"{n} days") for n in DAYS)]
    return h(
        '<form data-query role="search"><input type="hidden" name="open">{}'
        '<label>status <select name="status">{}</select></label>'
        '<label>added or changed in <select name="days">{}</select></label></form>',
        tag if tags else "",
        options(states, ask.status),
        options(times, ask.days),
    )


TOOLS = h(
    '<label class="row">look for <input type="search" data-graph-find autocomplete="off"></label>'
    '<span class="muted" data-graph-found role="status"></span><span class="zoom">'
    '<button type="button" data-zoom="out" aria-label="zoom out">−</button>'
    '<button type="button" data-zoom="in" aria-label="zoom in">+</button>'
    '<button type="button" data-zoom="all">all</button></span>'
)


def nothing(ask: Ask) -> Markup:
    if ask.tag or ask.status or ask.days:
        back = address_of(ask, tag="", status="", days="", open="")
        more = h('<p><a data-query href="{}">Show all</a></p>', back)
        return show.empty("Nothing of this campaign is like that.", more=more)
    return show.empty(
        "This campaign has no hypotheses, experiments or findings yet. They appear here, with what "
        "ties them together, as they are added.",
        "warpbook try mine.py --on softmax --expect 1.2x..1.6x",
    )


def opened(laid: View, ask: Ask) -> Markup:
    """Which part of the open group is shown, and the ways to the rest."""
    if laid.opened is None:
        return Markup("")
    at = laid.opened
    shown = f"{at.first:,} to {at.last:,} of {at.total:,}" if at.last >= at.first else "none here"
    before = turn(ask, at.page - 1, "‹ before") if at.page > 1 else ""
    after = turn(ask, at.page + 1, "next ›") if at.last < at.total else ""
    fold = h('<a data-query href="{}">fold</a>', address_of(ask, open=""))
    return h(
        '<p class="kg-open"><b>{}</b><span>{}</span>{}{}{}</p>', at.text, shown, before, after, fold
    )


def turn(ask: Ask, number: int, said: str) -> Markup:
    return h('<a data-query href="{}">{}</a>', address_of(ask, page=number), said)


def counted(laid: View) -> Markup:
    kinds = Counter(node.kind for node in laid.nodes)
    parts = [
        f"{kinds[kind]:,} {graph_words.KINDS[kind][kinds[kind] != 1]}"
        for kind in (*KINDS, "group")
        if kinds[kind]
    ]
    left = f" {laid.left_out:,} more within reach are not shown." if laid.left_out else ""
    return h('<p class="muted">{}.{}</p>', ", ".join(parts), left)


def legend(laid: View) -> Markup:
    """Of what is in the picture."""
    kinds = [kind for kind in (*KINDS, "group") if any(node.kind == kind for node in laid.nodes)]
    types = [type_ for type_ in EDGES if any(edge.type == type_ for edge in laid.edges)]
    shapes = join(
        h("<li>{}<span><b>{}</b> {}</span></li>", picture.shape(kind), name, meaning)
        for kind in kinds
        for name, _, meaning in [graph_words.KINDS[kind]]
    )
    lines = join(
        h("<li>{}<span><b>{}</b> {}</span></li>", picture.sample(one), one, graph_words.EDGES[one])
        for one in types
    )
    return h(
        '<details open class="card"><summary>What it shows</summary>'
        '<ul class="kg-legend">{}</ul><ul class="kg-legend">{}</ul></details>',
        shapes,
        lines,
    )


def listed(laid: View, ask: Ask) -> Markup:
    """The same as a list, for small screens and for those who do not see the picture."""
    known = {node.id: node for node in laid.nodes}
    ties: defaultdict[str, list[str]] = defaultdict(list)
    for edge in laid.edges:
        said = graph_words.sentence(edge, known)
        ties[edge.start].append(said)
        ties[edge.end].append(said)
    parts = []
    for kind in (*KINDS, "group"):
        here = [node for node in laid.nodes if node.kind == kind]
        if here:
            rows = join(row(node, ties[node.id], ask, laid.opened) for node in here)
            name = graph_words.KINDS[kind][1].capitalize()
            parts.append(
                h('<h3>{} ({})</h3><ul class="list kg-list">{}</ul>', name, len(here), rows)
            )
    return h(
        '<details class="card" id="kg-list"><summary>The same as a list</summary>{}</details>',
        join(parts),
    )


def row(node: Node, ties: Sequence[str], ask: Ask, opened: Opened | None) -> Markup:
    name = graph_words.called(node)
    group = node.kind == "group"
    main = h(
        '<a class="ref" href="{}"{}>{}</a>',
        page_address(node, ask, opened), attributes(data_query=group), text(name, 80),
    )  # fmt: skip
    more = len(ties) - LISTED_TIES
    said = "; ".join(ties[:LISTED_TIES]) + (f"; and {more:,} more" if more > 0 else "")
    around = around_address(node, ask)
    return h(
        '<li data-key="l-{}">{}{}{}{}{}</li>',
        node.id,
        main,
        show.chip(node.state, node.stale) if node.state and not group else "",
        ""
        if name == node.text
        else h('<span class="said">{}</span>', text(node.text, LISTED_TEXT)),
        h('<a data-query data-centre="{}" href="{}">centre here</a>', node.id, around)
        if around
        else "",
        h('<span class="ties">{}</span>', said) if said else "",
    )
