"""One hypothesis: the claim and its reason, the verdict and why, its history, runs and findings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from warpbook.book.book import Book
from warpbook.book.browse import hypothesis as browse
from warpbook.book.browse.hypothesis import Detail
from warpbook.core import wording
from warpbook.core.effect import show_gain
from warpbook.web import forms, sayings, show, trying
from warpbook.web.campaigns.claims import campaign_link, chips, claimed, guarded, short, stale, told
from warpbook.web.campaigns.evidence import experiments, history, runs
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

LONGEST_TITLE = 300


@dataclass(frozen=True)
class Gathered:
    """A hypothesis, and its reason as markup: parsing it is no work for the event loop."""

    detail: Detail
    reason: Markup | None


def gather(book: Book, name: str) -> Gathered:
    found = browse.detail(book, name)
    because = found.summary.hypothesis.because
    return Gathered(found, markdown(because) if because else None)


@page("/hypotheses/{name}", "Hypothesis")
async def hypothesis(visit: Visit) -> None:
    desk = visit.desk
    first = (await desk.view(gather, visit.params["name"])).detail
    one = first.summary.hypothesis
    known = await desk.ask(forms.choices)
    visit.title(f"{one.name}: {one.claim[:80]}")

    async def render(query: Query) -> Markup:
        return whole(await desk.view(gather, one.name))

    await visit.panel(render)
    kinds = [experiment.kind for experiment in first.summary.experiments]
    visit.fixed(
        trying.trying(known, hypothesis=one.name, kind=kinds[-1] if kinds else "kernel")
        + forms.new_hypothesis(known, f"C-{one.campaign_id}")
        + sayings.new_finding(
            supports="" if one.verdict == "refuted" else one.name,
            refutes=one.name if one.verdict == "refuted" else "",
        )
        + sayings.new_note(one.name)
        + sayings.more_runs(one.name, first.summary.needs)
    )


def whole(found: Gathered) -> Markup:
    detail = found.detail
    one = detail.summary.hypothesis
    status = "withdrawn" if one.state == "withdrawn" else one.verdict
    title = h("{}: {} {}", one.name, text(one.claim, LONGEST_TITLE), chips(status, one.stale))
    left = verdict(detail) + show.section(h("Evidence"), runs(detail), id_="evidence")
    right = claim(found) + resting(detail)
    return join(
        [
            heading(title),
            actions(detail),
            h('<div class="split"><div>{}</div><div>{}</div></div>', left, right),
            history(detail),
            show.section(h("Experiments and predictions"), experiments(detail), id_="experiments"),
            log(detail),
        ]
    )


def actions(detail: Detail) -> Markup:
    one = detail.summary.hypothesis
    base = f"/api/hypotheses/{one.name}"
    confirm = show.button("Confirm", f"{base}/confirm")
    withdraw = show.button(
        "Withdraw", f"{base}/withdraw", tone="danger",
        confirm=f"Withdraw {one.name}? Its runs stay; its experiments become moot.",
    )  # fmt: skip
    tried = bool(detail.summary.experiments)
    made = [
        forms.opens("+ Experiment", trying.ID, "main"),
        forms.opens("More runs", "more-runs") if tried else "",
        confirm if tried else "",
        forms.opens("Record a finding", "new-finding"),
        forms.opens("Note", "new-note"),
        forms.opens("+ Hypothesis", "new-hypothesis"),
        withdraw if one.state != "withdrawn" else "",
    ]
    return h('<div class="row acts">{}</div>', join(h("{}", button) for button in made))


def verdict(detail: Detail) -> Markup:
    """What the runs say, why that is or is no verdict, and what comes next."""
    summary, metric = detail.summary, detail.metric
    one = summary.hypothesis
    again = show.effect(*summary.again, metric) if summary.again else None
    facts = show.facts(
        [
            (word("effect"), show.effect(one.estimate, one.low, one.high, metric)),
            (word("evidence"), wording.evidence(one.log_support, one.log_refute)),
            (word("belief"), h("{} {}", show.belief(one.belief), before(one.prior))),
            (word("expected again"), again),
            (word("noise"), one.basis if one.runs else None),
            (word("environment"), environment(detail.environment)),
        ]
    )
    flagged = stale(one.stale, detail.again) if one.stale else ""
    body = h('<p class="lead">{}</p>{}{}{}', why(detail), flagged, facts, planned(detail))
    return show.section(h("Verdict"), body)


def before(prior: float) -> Markup:
    return h('<span class="muted">{} beforehand</span>', f"{100 * prior:.0f}%")


def why(detail: Detail) -> str:
    """The verdict in words: how strong the evidence is, and how strong it must be here."""
    one, bar = detail.summary.hypothesis, detail.bar
    if one.state == "withdrawn":
        return "It was taken back. Its runs stay, and still count among its campaign's."
    if not one.runs:
        return "Open: no run has counted yet."
    said = wording.evidence(one.log_support, one.log_refute)
    many = f"{one.runs:,} run{'s' * (one.runs != 1)}"
    claim = claimed(one.direction, one.delta, detail.metric)
    shared = (
        f"In this campaign of {bar.hypotheses:,} hypothes{'e' if bar.hypotheses != 1 else 'i'}s"
    )
    if one.verdict == "open":
        return (
            f"Open: the evidence of {many} that {claim} is {said}. {shared} it takes about "
            f"{odds(bar.log_support)} for or {odds(bar.log_refute)} against, from 3 runs or more."
        )
    return (
        f"{one.verdict.capitalize()}: the evidence of {many} that {claim} is {said}. {shared} that "
        f"is enough: at most {100 * bar.alpha:.0f}% of its verdicts are expected to be false."
    )


def odds(log_e: float) -> str:
    return f"{math.exp(min(log_e, 700)):,.0f}:1"


def planned(detail: Detail) -> Markup:
    """What it needs, and the experiment that will bring it on."""
    summary = detail.summary
    one, following = summary.hypothesis, summary.next
    if one.state == "withdrawn" or (one.verdict != "open" and following is None):
        return Markup("")
    needs = f"It {summary.needs}." if one.verdict == "open" else "More runs are asked for."
    if following is None:
        return h('<p class="next"><b>Next</b>: {} Nothing is planned.</p>', needs)
    return h(
        '<p class="next"><b>Next</b>: {} {} {} {}</p>',
        needs, show.ref(following.name), text(following.title, 200), show.chip(following.state),
    )  # fmt: skip


def environment(found: Mapping[str, str]) -> Markup | None:
    if not found:
        return None
    return text(", ".join(f"{key} {value}" for key, value in found.items()), 600)


def claim(found: Gathered) -> Markup:
    one, metric = found.detail.summary.hypothesis, found.detail.metric
    home = found.detail.summary.campaign
    tags = join((h('<span class="tag">{}</span>', str(tag)[:60]) for tag in one.tags[:20]), " ")
    facts = show.facts(
        [
            ("claims that", claimed(one.direction, one.delta, metric)),
            ("metric", f"{metric.name[:80]}, {metric.better} is better"),
            ("least effect", show_gain(one.direction * one.delta, metric)),
            *((word("guard"), guarded(guard)) for guard in one.guards),
            (word("campaign"), campaign_link(home.id, home.name)),
            ("by", h("{}, {}", one.author, show.ago(one.created_at))),
            ("tags", tags or None),
            ("see", h('<a href="/graph?node={}">in the graph</a>', one.name)),
        ]
    )
    because = h("<h3>Because</h3>{}", found.reason) if found.reason else ""
    in_full = h("<p>{}</p>", text(one.claim)) if len(one.claim) > LONGEST_TITLE else ""
    return show.section(h("Claim"), h("{}{}{}", in_full, facts, because))


def resting(detail: Detail) -> Markup:
    """Findings that speak of it."""
    items = join(
        h(
            "<li>{} <span class=\"muted\">{}</span> {} {}</li>",
            show.ref(one.finding), one.type, short(one.statement),
            chips_of(one.state, one.stale),
        )
        for one in detail.findings
    )  # fmt: skip
    none = show.empty(
        "No finding rests on it yet. A finding says what was learned, and quotes its runs."
    )
    return show.section(
        word("finding", "Findings"), h('<ul class="list">{}</ul>', items) if items else none
    )


def chips_of(state: str, stale_why: str) -> Markup:
    if state == "withdrawn":
        return show.chip("withdrawn")
    return show.chip("stale", stale_why) if stale_why else Markup("")


def log(detail: Detail) -> Markup:
    items = join(
        h(
            '<li>{} <span class="muted">{}</span> {}</li>',
            show.ago(one.at), one.author, told(one.text),
        )
        for one in detail.events
    )  # fmt: skip
    return show.section(h("Log"), h('<ul class="list">{}</ul>', items), id_="log")
