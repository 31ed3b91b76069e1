"""One day: its counts beside those it claims, its text with live figures, what it is tied to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from warpbook.journal.days import counters, days, draft, plans, summary
from warpbook.journal.days.counters import Claimed, Counter
from warpbook.journal.days.day_document import counted
from warpbook.journal.days.days import Day
from warpbook.journal.days.figures import Figure, address, references
from warpbook.journal.days.plans import Plan
from warpbook.journal.entry import Entry
from warpbook.journal.journal import Journal
from warpbook.web import forms, show
from warpbook.web.journal import adding
from warpbook.web.journal.plans import carried, ends
from warpbook.web.journal.prose import live, prose
from warpbook.web.markdown import figure
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.visit import heading

LONGEST = 300
MOST = 60  # of plans, claims and cards that are shown at once


@dataclass(frozen=True)
class View:
    """A date, and its day where there is one."""

    on: date
    day: Day | None
    figure_of: Callable[[str], Figure]


def view(journal: Journal, on: date) -> View:
    return View(on, days.find(journal, on), live(journal.index.connection))


def left(journal: Journal, on: date) -> Markup:
    """What is wrong with the file, and the text."""
    found = view(journal, on)
    if found.day is None:
        return nothing_yet(journal, on)
    return wrong(found.day) + written(found)


def right(journal: Journal, on: date) -> Markup:
    """Plans, claims, cards and reading."""
    found = view(journal, on)
    parts = [
        planned(journal, found),
        claims(journal, found),
        cards(journal, on),
        tied(journal, found),
    ]
    return join(parts)


def top(journal: Journal, on: date) -> Markup:
    """The date, the ways to other days, and the counts."""
    day = days.find(journal, on)
    title = heading(f"{on:%A} {on.day} {on:%B %Y}", ways(journal, on))
    return title + (counts(day, counted(journal, day)) if day else Markup(""))


def ways(journal: Journal, on: date) -> Markup:
    """To the days before and after that are logged."""
    one = timedelta(days=1)
    before = days.listed(journal, until=str(on - one), limit=1)
    after = journal.index.entries("day", since=str(on + one), until=str(journal.today()), limit=1)
    made = [h('<a href="/journal/{}">‹ {}</a>', day.key, day.key) for day in before]
    made.append(h('<a href="/journal">all days</a>'))
    made += [h('<a href="/journal/{}">{} ›</a>', day.key, day.key) for day in after]
    return h('<nav class="row" aria-label="other days">{}</nav>', join(made))


def nothing_yet(journal: Journal, on: date) -> Markup:
    begins = days.beginning(journal, on)
    number = begins.count("\n")
    plans_too = f" It begins with what is planned: {number} open." if number else ""
    body = h(
        '<p>Nothing is written of this day.{}</p><div class="row">{}</div>',
        plans_too, adding.beginning(on, begins),
    )  # fmt: skip
    return show.section("No file yet", body, id_="text")


def counts(day: Day, found: Sequence[Counter]) -> Markup:
    made = [counter(one) for one in found]
    if day.minutes is not None:
        made.append(h('<span class="count-of"><b>{}</b> minutes</span>', f"{day.minutes:g}"))
    if day.called:
        made.append(h('<span class="muted">called {}</span>', text(day.called, 120)))
    return h('<div class="row counters">{}</div>', join(made))


def counter(found: Counter) -> Markup:
    """What is derived, and beside it what the text says."""
    parts = [f"{found.day}/{found.of}"] if found.of else []
    parts += [counters.left_words(found.left)] if found.left is not None else []
    said = join(beside(found, claim) for claim in found.claims[:8])
    return h(
        '<span class="count-of"><b>Day {}</b> of {}{}</span>{}',
        found.day, text(found.track, 60), "".join(f", {part}" for part in parts), said,
    )  # fmt: skip


def beside(found: Counter, claim: Claimed) -> Markup:
    words = []
    if claim.day is not None:
        words.append(f"Day {claim.day}" + (f"/{claim.of}" if claim.of else ""))
    if claim.left is not None:
        words.append(counters.left_words(claim.left))
    differs = claim.day not in (None, found.day) or (
        claim.left is not None and found.left not in (None, claim.left)
    )
    why = "the number derived from the dates is another" if differs else "as derived from the dates"
    return h(
        '<span class="chip {}" data-tip="line {}: {}" tabindex="0">the text says {}</span>',
        "warn" if differs else "", claim.line, why, ", ".join(words),
    )  # fmt: skip


def wrong(day: Day) -> Markup:
    if not day.problems:
        return Markup("")
    items = join(h("<li>{}</li>", text(str(one), LONGEST)) for one in day.problems[:8])
    return show.section("To mend in the file", h('<ul class="list problems">{}</ul>', items))


def written(found: View) -> Markup:
    body = found.day.body if found.day else ""
    if body.strip():
        shown = prose(body, found.figure_of)
    else:
        shown = show.empty("A day with nothing in it. It counts.")
    return show.section("Text", shown, forms.opens("Edit the file", adding.EDITOR), id_="text")


def happened(journal: Journal, on: date) -> Markup:
    """The draft of the day: what the book has of it and the text does not tell yet."""
    said = draft.draft(journal, on)
    if not said:
        return Markup("")
    button = show.button("Add it to the day", f"/api/days/{on}", adding.as_body(said))
    title = "What happened today" if on == journal.today() else "What happened, and is not told"
    return show.section(title, prose(said, live(journal.index.connection)), button, id_="draft")


def planned(journal: Journal, found: View) -> Markup:
    """Those that the day mentions, and those carried into it."""
    mentions = plans.mentions(found.day.lines()) if found.day else []
    opened = {plan.id: plan for plan in plans.listed(journal)}
    last = {mention.id: mention for mention in mentions}
    items = [mentioned(one.text, one.state, opened.get(one.id)) for one in last.values()]
    before = [plan for plan in opened.values() if plan.since < found.on and plan.id not in last]
    if not items and not before:
        return Markup("")
    here = h('<ul class="list plans">{}</ul>', join(items[:MOST])) if items else ""
    earlier = h("<h3>Open from earlier</h3>{}", carried(before[:MOST])) if before else ""
    return show.section("Plans", h("{}{}", here, earlier), id_="plans")


def mentioned(said: str, state: str, plan: Plan | None) -> Markup:
    """`plan` where it is still open, whatever this day says of it."""
    if plan:
        tail = ends(plan)
    else:
        later = h('<span class="muted">settled later</span>')
        tail = later if state == "open" else show.chip(state)
    return h(
        '<li data-key="plan-{}"><span>{}</span>{}</li>',
        plans.plan_id(said), text(said, LONGEST), tail,
    )  # fmt: skip


def claims(journal: Journal, found: View) -> Markup:
    on = str(found.on)
    every = journal.index.entries("claim", since=on, until=on)
    if not every:
        return Markup("")
    open_ = sum(one.state == "unverified" for one in every)
    more = h('<span class="muted">{} unverified</span>', open_) if open_ else None
    lines = [0, *(one.line for one in every)]  # what one line says is shown once
    keys = show.row_keys(f"{one.title} {one.document['said']}" for one in every)
    items = join(
        claim(one, found.figure_of, one.line != before, key)
        for one, before, key in zip(every[:MOST], lines, keys, strict=False)
    )
    return show.section("Measured claims", h('<ul class="list">{}</ul>', items), more, id_="claims")


def claim(one: Entry, figure_of: Callable[[str], Figure], in_full: bool, key: str) -> Markup:
    said = text(" ".join(one.document["said"].split()), LONGEST) if in_full else ""
    if one.state == "unverified":
        tail = h(
            '<form class="note" data-post="/api/claims/{0}/link" data-done="linked">'
            '<input name="to" required size="10" maxlength="17" aria-label="run or experiment '
            'behind {1}" placeholder="R-57 or E-31" autocomplete="off"><button>Link</button>'
            '<p data-error role="alert"></p></form>',
            one.key, one.title[:80],
        )  # fmt: skip
    else:
        tail = join((figure(name, figure_of(name)) for name in one.document["references"]), " ")
    return h(
        '<li data-key="claim-{}"><b>{}</b> {} <span class="muted">{}</span><div>{}</div></li>',
        key, text(one.title, 80), show.chip(one.state), said, tail,
    )  # fmt: skip


def cards(journal: Journal, on: date) -> Markup:
    """Those written in the day, and questions without an answer."""
    there = [
        entry
        for kind in ("card", "question")
        for entry in journal.index.entries(kind, since=str(on), until=str(on))
    ]
    if not there:
        return Markup("")
    items = join(card(entry) for entry in sorted(there, key=lambda entry: entry.line)[:MOST])
    return show.section("Cards", h('<ul class="list">{}</ul>', items), id_="cards")


def card(entry: Entry) -> Markup:
    asked = text(entry.title, LONGEST)
    if entry.kind == "question":
        return h("<li>{} {}</li>", asked, show.chip("open", "a question without an answer yet"))
    return h(
        '<li><a href="{}">{}</a><details><summary>Answer</summary><p>{}</p></details>'
        "</li>",
        address(f"card:{entry.key}"), asked, text(str(entry.document["answer"]), LONGEST * 3),
    )  # fmt: skip


def tied(journal: Journal, found: View) -> Markup:
    """What the front matter links to, and what was read that day."""
    day = found.day
    rows: list[tuple[object, object]] = []
    for name, kind in (("kernels", "kernel"), ("runs", "run"), ("reading", "reading")):
        named = [f"{kind}:{what}" for what in (getattr(day, name) if day else ())][:MOST]
        shown = [link(one, found.figure_of) for one in named]
        rows += [(name, join(shown, "<br>"))] if shown else []
    done = summary.finished(journal.index.connection, found.on, found.on)
    if done:
        read = (link(one.reference, found.figure_of) for one in done[:MOST])
        rows.append(("read that day", join(read, "<br>")))
    return show.section("Tied to", show.facts(rows), id_="tied") if rows else Markup("")


def link(written: str, figure_of: Callable[[str], Figure]) -> Markup:
    """A reference with its figure; what is none is shown as it is written."""
    for _, _, reference in references(written):
        return figure(written.partition(":")[2], figure_of(reference))
    return h("<span>{}</span>", text(written.partition(":")[2], 80))
