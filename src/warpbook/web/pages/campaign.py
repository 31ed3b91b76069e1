"""One campaign: how far it has come, what it has learned, and its hypotheses by status."""

from urllib.parse import quote

from warpbook.book.browse import campaigns, hypotheses, lessons
from warpbook.book.browse.campaigns import LONGEST_GOAL, Glance
from warpbook.book.browse.hypotheses import Listing, Wanted
from warpbook.book.browse.lessons import Lessons
from warpbook.core.effect import show_gain
from warpbook.web import forms, sayings, show, trying
from warpbook.web.campaigns import glance
from warpbook.web.campaigns.claims import claims, learned, short
from warpbook.web.controls import searching, tabs
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.shell import page
from warpbook.web.table import page_of
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

TABS = (
    ("open", "open"),
    ("supported", "supported"),
    ("refuted", "ruled out"),
    ("stale", "stale"),
    ("withdrawn", "withdrawn"),
    ("all", "all"),
)
ORDERS = (
    ("-created", "newest"),
    ("created", "oldest"),
    ("-belief", "belief"),
    ("-effect", "effect"),
    ("-runs", "runs"),
    ("-evidence", "evidence"),
)


@page("/campaigns/{name:path}", "Campaign")
async def campaign(visit: Visit) -> None:
    desk = visit.desk
    first = await desk.ask(campaigns.glance, visit.params["name"])
    name, number = first.name, first.number
    known = await desk.ask(forms.choices)
    visit.title(name)

    async def top(query: Query) -> Markup:
        one = await desk.view(campaigns.glance, number)
        found = await desk.view(lessons.lessons, number)
        return overview(one, found, desk.book.settings.currency)

    async def below(query: Query) -> Markup:
        asked = wanted(number, query)
        found = await desk.view(hypotheses.listing, asked)
        if not found.total and not {"status", "search"} & query.keys():
            asked = wanted(number, {**query, "status": "all"})
            found = await desk.view(hypotheses.listing, asked)
        return listing(found, asked, query)

    await visit.panel(top)
    await visit.panel(below)
    visit.fixed(
        forms.new_hypothesis(known, number)
        + trying.trying(known, number)
        + sayings.new_finding()
        + forms.budget(name, number)
    )


def wanted(campaign: str, query: Query) -> Wanted:
    return Wanted(
        campaign,
        query.get("status", "open"),
        query.get("search", ""),
        query.get("sort", ORDERS[0][0]),
        page_of(query),
    )


def overview(one: Glance, found: Lessons, currency: str) -> Markup:
    title = h("{} {}", text(one.name, 200), show.chip(one.state))
    goal = h('<p class="goal">{}</p>', short(one.goal, LONGEST_GOAL)) if one.goal else ""
    progress = show.section(h("Best so far"), glance.progress(one) + glance.counts(one))
    facts = show.section(h("About"), about(one, currency), glance.actions(one))
    summary = show.section(
        h("What has been validated, and what has been ruled out"),
        learned(found, glance.address(one)),
        id_="learned",
    )
    split = h('<div class="split"><div>{}</div><div>{}</div></div>', progress, facts)
    return join([heading(title, buttons()), h("{}", goal), split, summary])


def buttons() -> Markup:
    made = (
        forms.opens("+ Hypothesis", "new-hypothesis"),
        forms.opens("+ Experiment", trying.ID, "main"),
        forms.opens("Record a finding", "new-finding"),
        forms.opens("Budget", "budget"),
    )
    return h('<div class="row">{}</div>', join(made))


def about(one: Glance, currency: str) -> Markup:
    metric = one.metric
    aim = None if one.goal_gain is None else show_gain(one.goal_gain, one.goal_metric)
    query = quote(one.number)
    ways = h(
        '<a href="/experiments?campaign={0}">experiments</a> · '
        '<a href="/graph?campaign={0}">graph</a> · <a href="/findings?campaign={0}">findings</a>',
        query,
    )
    return show.facts(
        [
            ("aims at", aim),
            ("metric", f"{metric.name[:80]}, {metric.better} is better" if metric else None),
            (word("workload"), one.workload or None),
            ("device", one.device or None),
            ("by", h("{}, {}", one.author, show.ago(one.created_at))),
            *glance.spending(one, currency),
            ("see", ways),
        ]
    )


def listing(found: Listing, asked: Wanted, query: Query) -> Markup:
    bar = h(
        '<div class="row controls">{}{}</div>',
        tabs(TABS, asked.status, found.counts, query, "status"),
        searching(query, ORDERS, "Search claims, reasons, tags"),
    )
    body = claims(found.lines, query, found.total) if found.lines else nothing(found, asked)
    return show.section(h("Hypotheses"), bar + body, id_="hypotheses")


def nothing(found: Listing, asked: Wanted) -> Markup:
    if not found.counts.get("all"):
        return show.empty(
            "No hypothesis yet: a claim that a change moves a metric by at least so much.",
            "warpbook try mine.py --on softmax --expect 1.2x..1.6x",
            forms.opens("+ Hypothesis", "new-hypothesis"),
        )
    if asked.search:
        return show.empty("No hypothesis here has that in its claim, reason or tags.")
    return show.empty(f"No hypothesis of this campaign is {dict(TABS)[asked.status]}.")
