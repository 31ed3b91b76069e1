"""Plans with their two ends, done and dropped; and a form for one more."""

import json
from collections.abc import Sequence

from warpbook.journal.days import plans
from warpbook.journal.days.plans import Plan
from warpbook.journal.journal import Journal
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text

MOST = 40
LONGEST = 300


def open_plans(journal: Journal) -> Markup:
    found = plans.listed(journal)
    left = len(found) - MOST
    more = h('<p class="muted">and {} more</p>', f"{left:,}") if left > 0 else ""
    body = carried(found[:MOST]) if found else show.empty("No plan is open.")
    adding = h(
        '<form class="note" data-post="/api/plans" data-done="planned"><input name="text" required '
        'maxlength="2000" aria-label="plan" placeholder="what to do next" autocomplete="off">'
        "<button>Plan it</button></form>"
    )
    return show.section("Open plans", h("{}{}{}", body, more, adding), id_="plans")


def carried(found: Sequence[Plan]) -> Markup:
    """Open ones, with the day of their first mention."""
    items = join(
        h(
            '<li data-key="plan-{}"><span>{} <span class="muted">since '
            '<a href="/journal/{}">{}</a></span></span>{}</li>',
            plan.id, text(plan.text, LONGEST), plan.since, plan.since, ends(plan),
        )
        for plan in found
    )  # fmt: skip
    return h('<ul class="list plans">{}</ul>', items)


def ends(plan: Plan) -> Markup:
    body = json.dumps({"plan": plan.id})
    return h(
        '<span class="ends">{} {}</span>',
        show.button("Done", "/api/plans/done", body),
        show.button("Drop", "/api/plans/drop", body, tone="quiet"),
    )
