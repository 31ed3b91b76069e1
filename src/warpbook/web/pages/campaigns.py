"""Campaigns: each with its goal, the best so far, where its claims stand, and its budget."""

from warpbook.book.browse import campaigns as browse
from warpbook.book.browse.campaigns import PAGE, Glance, Listing, Wanted
from warpbook.web import forms, show, trying
from warpbook.web.campaigns import glance
from warpbook.web.campaigns.claims import short
from warpbook.web.controls import searching, tabs
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.shell import page
from warpbook.web.table import page_of, pages
from warpbook.web.visit import Query, Visit, heading

LONGEST_GOAL = 400
ORDERS = (("-created", "newest"), ("name", "name"), ("-spent", "most spent"))
TABS = (("current", "current"), ("archived", "archived"), ("all", "all"))


@page("/campaigns", "Campaigns")
async def campaigns(visit: Visit) -> None:
    known = await visit.desk.ask(forms.choices)

    async def render(query: Query) -> Markup:
        found = await visit.desk.view(browse.listing, wanted(query))
        return listing(found, query, visit.desk.book.settings.currency)

    await visit.panel(render)
    visit.fixed(forms.new_campaign() + forms.new_hypothesis(known) + trying.trying(known))


def wanted(query: Query) -> Wanted:
    return Wanted(
        query.get("state", "current"),
        query.get("search", ""),
        query.get("sort", ORDERS[0][0]),
        page_of(query),
    )


def listing(found: Listing, query: Query, currency: str) -> Markup:
    buttons = h(
        '<div class="row">{}{}{}</div>',
        forms.opens("+ Campaign", "new-campaign"),
        forms.opens("+ Hypothesis", "new-hypothesis"),
        forms.opens("+ Experiment", trying.ID, "main"),
    )
    top = heading(h("Campaigns"), buttons)
    cards = join(card(one, currency) for one in found.glances)
    more = pages(dict(query), found.total, PAGE) if found.total > PAGE else ""
    learned = h('<p><a href="/findings">All findings</a></p>')
    return join([top, controls(found, query), cards or nothing(query), h("{}", more), learned])


def controls(found: Listing, query: Query) -> Markup:
    counts = dict(found.counts)
    total = sum(counts.values())
    shown = counts | {"all": total, "current": total - counts.get("archived", 0)}
    here = query.get("state", "current")
    return h(
        '<div class="row controls">{}{}</div>',
        tabs(TABS, here, shown, query, "state"),
        searching(query, ORDERS, "Search names and goals"),
    )


def nothing(query: Query) -> Markup:
    if query.get("search"):
        return show.empty("No campaign has that in its name or goal.")
    if query.get("state", "current") == "archived":
        return show.empty("Nothing is archived.")
    return show.empty(
        "No campaign is going on. A campaign has a goal, its hypotheses and a budget.",
        'warpbook campaign add "faster softmax" --aim 2x --time 2h',
    )


def card(one: Glance, currency: str) -> Markup:
    title = h(
        '<a href="{}">{}</a> {}', glance.address(one), text(one.name, 120), show.chip(one.state)
    )
    goal = h('<p class="goal">{}</p>', short(one.goal, LONGEST_GOAL)) if one.goal else None
    facts = show.facts(glance.spending(one, currency))
    return show.section(
        title,
        h(
            '{}<div class="split"><div>{}</div><div class="stand">{}{}</div></div>',
            goal, glance.progress(one), glance.counts(one), facts,
        ),
        glance.actions(one),
    )  # fmt: skip
