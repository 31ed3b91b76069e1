"""What runs have cost: today, in all, and of each campaign's budget."""

from warpbook.book.browse.spending import Spending, Spent
from warpbook.core.duration import show_duration
from warpbook.web import show
from warpbook.web.markup import Markup, h, join

TIME = "what runs took, on GPUs and on the CPU, failed ones included"


def spending(found: Spending, currency: str, is_priced: bool) -> Markup:
    """Money only where the settings have a price, or some was spent."""
    priced = is_priced or found.total_money > 0
    today = amount(found.since_s, found.since_money, currency if priced else "")
    pairs: list[tuple[object, object]] = [
        ("today", h("{} {}", today, in_runs(found.since_runs))),
        ("in all", amount(found.total_s, found.total_money, currency if priced else "")),
    ]
    campaigns = join(campaign(one, currency if priced else "") for one in found.campaigns)
    listed = h('<ul class="list budgets">{}</ul>', campaigns) if campaigns else Markup("")
    title = h('<span tabindex="0" data-tip="{}">Spent</span>', TIME)
    return show.section(title, show.facts(pairs) + listed + rest(found), id_="spent")


def in_runs(count: int) -> Markup:
    if not count:
        return Markup("")
    return h("<small>in {} {}</small>", f"{count:,}", "run" if count == 1 else "runs")


def amount(seconds: float, money: float, currency: str) -> Markup:
    shown = h("<b>{}</b>", show_duration(seconds) if seconds else "nothing")
    return h("{} · <b>{}</b>", shown, show.money(money, currency)) if currency else shown


def campaign(one: Spent, currency: str) -> Markup:
    shares = [
        *([bar(one.seconds, one.budget_s, show_duration(one.budget_s))] if one.budget_s else []),
        *(
            [bar(one.money, one.budget_money, f"{one.budget_money:.2f} {currency}".rstrip())]
            if one.budget_money
            else []
        ),
    ]
    return h(
        '<li><div class="row">{} <span>{}</span></div>{}</li>',
        *(show.campaign(one.campaign), amount(one.seconds, one.money, currency), join(shares)),
    )


def bar(spent: float, budget: float, shown: str) -> Markup:
    part = f"{100 * min(max(spent / budget, 0.0), 1.0):.0f}%"
    return h(
        '<div class="budget" role="img" aria-label="{0} of a budget of {1}"><span class="bar">'
        '<span style="width:{0}"></span></span><small class="muted">{0} of {1}</small></div>',
        *(part, shown),
    )


def rest(found: Spending) -> Markup:
    left = found.active - len(found.campaigns)
    if left <= 0:
        return Markup("")
    more = "more " if found.campaigns else ""
    word = "campaign" if left == 1 else "campaigns"
    return h('<p><a href="/campaigns">{} {}active {}</a></p>', f"{left:,}", more, word)
