"""A campaign at a glance, as markup: the best against goal and floor, its claims, its budget."""

import math
from urllib.parse import quote

from warpbook.book.browse.campaigns import Best, Glance
from warpbook.core import units
from warpbook.core.duration import show_duration
from warpbook.core.effect import Scale, show_gain
from warpbook.web import show
from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.bullet import Bullet, bullet
from warpbook.web.words import word

COUNTS = (
    ("open", "open"),
    ("supported", "supported"),
    ("refuted", "ruled out"),
    ("stale", "stale"),
)


def address(one: Glance) -> str:
    """A name with a slash in it is no part of a path."""
    return f"/campaigns/{quote(one.name, safe='') if '/' not in one.name else one.number}"


def actions(one: Glance) -> Markup:
    base = f"/api/campaigns/{one.number}"
    shown = one.name[:80]
    stop = show.button("Stop", f"{base}/stop", confirm=f"Stop {shown}? Nothing of it is taken.")
    archive = show.button(
        "Archive", f"{base}/archive",
        confirm=f"Archive {shown}? Nothing of it runs; all of it stays to be read.",
    )  # fmt: skip
    resume = show.button("Resume", f"{base}/resume")
    by_state = {"active": (stop, archive), "stopped": (resume, archive)}
    return h('<div class="row">{}</div>', join(by_state.get(one.state, (resume,))))


def counts(one: Glance) -> Markup:
    """Where the claims stand; each leads to those."""
    made = join(
        h(
            '<a class="tally {}" href="{}?status={}"><b>{}</b> {}</a>',
            name if one.counts.get(name) else "none", address(one), name,
            f"{one.counts.get(name, 0):,}", label,
        )
        for name, label in COUNTS
    )  # fmt: skip
    return h('<div class="tallies" aria-label="hypotheses">{}</div>', made)


def progress(one: Glance) -> Markup:
    """The best so far against the goal and the floor, as a picture and in words."""
    best = one.best
    metric = best.metric if best else one.goal_metric
    goal = one.goal_gain if metric.name == one.goal_metric.name else None
    limit = one.limit.gain if one.limit else None
    if best is None and goal is None:
        return show.empty("No run has counted yet, and no goal is set in numbers.")
    picture = bullet(
        Bullet(metric, best.estimate, best.low, best.high, goal, limit)
        if best
        else Bullet(metric, None, goal=goal, limit=limit)
    )
    lines = [best_line(best), goal_line(one, goal), floor_line(one)]
    return h('{}<ul class="plain">{}</ul>', picture, join(h("<li>{}</li>", x) for x in lines if x))


def best_line(best: Best | None) -> Markup:
    if best is None:
        return h("No run has counted yet.")
    return h(
        "Best so far {} in {} by {}, {} {}{}",
        show.effect(best.estimate, best.low, best.high, best.metric),
        best.metric.name[:80], show.ref(best.hypothesis), runs(best.runs), show.chip(best.status),
        h(" {}", show.chip("stale", best.stale)) if best.stale else "",
    )  # fmt: skip


def goal_line(one: Glance, goal: float | None) -> Markup | None:
    if goal is None:
        return None
    metric, best = one.goal_metric, one.best
    aimed = h("Goal <b>{}</b>", show_gain(goal, metric))
    if best is None:
        return aimed
    if best.estimate >= goal:
        return h("{}: reached", aimed)
    if metric.scale is Scale.DIFFERENCE:
        return h("{}: {} to go", aimed, show_gain(goal - best.estimate, metric))
    return h("{}: another {} to go", aimed, show_gain(goal - best.estimate, metric))


def floor_line(one: Glance) -> Markup | None:
    if one.limit is None or one.best is None:
        return None
    limit, best = one.limit, one.best
    times = f"{units.microseconds(limit.floor_us)} by {limit.binds}"
    part = show.percent(math.exp(min(best.estimate - limit.gain, 5.0)))
    return h(
        "{} allows <b>{}</b>: {} against a baseline of {} in {}; the best is at {} of it",
        word("floor", "Floor"), show_gain(limit.gain, best.metric), times,
        show.microseconds(limit.baseline_us), show.ref(limit.run), part,
    )  # fmt: skip


def runs(count: int) -> str:
    return f"{count:,} run{'s' * (count != 1)}"


def spending(one: Glance, currency: str) -> list[tuple[object, object]]:
    """What it has used, what waits and what was found, as facts."""
    pairs: list[tuple[object, object]] = [
        ("device time", spent(one.spent_s, one.budget_s, show_duration(one.spent_s), limit_s(one)))
    ]
    if one.spent_money or one.budget_money is not None:
        money = f"{one.spent_money:.2f} {currency}"
        most = None if one.budget_money is None else f"{one.budget_money:.2f} {currency}"
        pairs.append(("money", spent(one.spent_money, one.budget_money, money, most)))
    waiting = ", ".join(f"{number:,} {state}" for state, number in one.waiting.items())
    pairs.append(("experiments", waiting or "none waits"))
    if one.findings:
        at = f"/findings?campaign={quote(one.number)}"
        pairs.append((word("finding", "findings"), h('<a href="{}">{}</a>', at, one.findings)))
    return pairs


def limit_s(one: Glance) -> str | None:
    return None if one.budget_s is None else show_duration(one.budget_s)


def spent(value: float, most: float | None, shown: str, limit: str | None) -> Markup:
    """How much of a budget is used, as a bar where there is one."""
    if most is None or limit is None:
        return h(
            '{} <span class="muted">no limit</span>', f"{shown}," if value else "nothing spent,"
        )
    part = min(max(value / most, 0.0), 1.0)
    return h(
        '<span class="meter{}"><span style="width:{}"></span></span> {} of {}',
        " full" if part >= 1 else "", f"{100 * part:.0f}%", shown, limit,
    )  # fmt: skip
