"""One finding: what was learned, from which runs and where, and the way down to the samples."""

from collections.abc import Sequence

from warpbook.book import why
from warpbook.book.browse import findings as browse
from warpbook.book.browse.findings import Detail, Tie
from warpbook.web import forms, sayings, show
from warpbook.web.campaigns.claims import campaign_link, short, stale
from warpbook.web.campaigns.walk import walk
from warpbook.web.markup import Markup, h, join, query_of, text
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

LONGEST_TITLE = 300
AT_ONCE = 30  # runs whose receipts are opened before anybody asks
MOST = 400
MOST_NAMED = 60
BACK = {
    "supports": "supported by",
    "refutes": "refuted by",
    "refines": "refined by",
    "supersedes": "superseded by",
}


@page("/findings/{name}", "Finding")
async def finding(visit: Visit) -> None:
    desk = visit.desk
    first = await desk.view(browse.detail, visit.params["name"])
    name = first.finding.name
    visit.title(f"{name}: {first.finding.statement[:80]}")

    async def top(query: Query) -> Markup:
        return whole(await desk.view(browse.detail, name))

    async def below(query: Query) -> Markup:
        found = await desk.view(browse.detail, name)
        wanted = found.runs_below <= AT_ONCE or query.get("samples") == "all"
        if not wanted or found.runs_below > MOST:
            return closed(name, found.runs_below, query)
        return opened(walk(await desk.view(why.why, name)))

    await visit.panel(top)
    await visit.panel(below)
    visit.fixed(sayings.new_finding(refines=name) + sayings.new_note(name))


def whole(found: Detail) -> Markup:
    one = found.finding
    status = "withdrawn" if one.state == "withdrawn" else "stale" if one.stale else ""
    chip = show.chip(status, one.stale) if status else ""
    title = h("{}: {} {}", one.name, text(one.statement, LONGEST_TITLE), chip)
    in_full = h("<p>{}</p>", text(one.statement)) if len(one.statement) > LONGEST_TITLE else ""
    flagged = stale(one.stale, found.again) if one.stale else ""
    quoted = show.section(h("What it quotes"), h("{}{}{}", in_full, flagged, facts(found)))
    ties = show.section(h("What it is tied to"), tied(found.ties, found.back))
    split = h('<div class="split"><div>{}</div><div>{}</div></div>', quoted, ties)
    return join([heading(title), actions(found), split])


def actions(found: Detail) -> Markup:
    one = found.finding
    withdraw = show.button(
        "Withdraw", f"/api/findings/{one.name}/withdraw", tone="danger",
        confirm=f"Withdraw {one.name}? It stays to be read, marked as withdrawn.",
    )  # fmt: skip
    made = (
        forms.opens("Refine it", "new-finding"),
        forms.opens("Note", "new-note"),
        withdraw if one.state != "withdrawn" else "",
    )
    return h('<div class="row acts">{}</div>', join(h("{}", button) for button in made))


def facts(found: Detail) -> Markup:
    one = found.finding
    where = ", ".join(f"{key} {value}" for key, value in (one.environment or {}).items())
    tags = join((h('<span class="tag">{}</span>', str(tag)[:60]) for tag in one.tags[:20]), " ")
    return show.facts(
        [
            (word("effect"), show.effect(one.gain, one.low, one.high, found.metric)),
            ("metric", found.metric.name if found.metric else None),
            (word("run", "runs"), quoted_runs(one.runs)),
            (word("environment", "measured on"), text(where, 600) if where else None),
            (word("campaign"), campaign_link(one.campaign_id, found.campaign)),
            ("by", h("{}, {}", one.author, show.ago(one.created_at))),
            ("tags", tags or None),
            ("measure again", None if one.stale else h("<code>{}</code>", found.again)),
            ("see", h('<a href="/graph?node={}">in the graph</a>', one.name)),
        ]
    )  # fmt: skip


def quoted_runs(runs: Sequence[int]) -> Markup:
    left = len(runs) - MOST_NAMED
    more = f" and {left:,} more" if left > 0 else ""
    return h("{}{}", show.refs([f"R-{number}" for number in runs[:MOST_NAMED]]), more)


def tied(ties: Sequence[Tie], back: Sequence[Tie]) -> Markup:
    rows = [(tie.type, tie) for tie in ties] + [(BACK[tie.type], tie) for tie in back]
    items = join(
        h(
            '<li><span class="muted">{}</span> {} {} {}</li>',
            said, show.ref(tie.name), short(tie.text), show.chip(tie.status),
        )
        for said, tie in rows
    )  # fmt: skip
    return h('<ul class="list">{}</ul>', items)


def opened(tree: Markup) -> Markup:
    return show.section(h("Down to the samples"), tree, id_="samples")


def closed(name: str, runs: int, query: Query) -> Markup:
    """Receipts are opened when somebody asks; of very many, on the command line."""
    if runs > MOST:
        body = show.empty(f"It rests on {runs:,} runs; read them on the command line.",
                          f"warpbook why {name}")  # fmt: skip
    else:
        body = h(
            '<p><a data-query href="{}">Open all {} runs</a></p>',
            query_of(dict(query), samples="all"), f"{runs:,}",
        )  # fmt: skip
    return show.section(h("Down to the samples"), body, id_="samples")
