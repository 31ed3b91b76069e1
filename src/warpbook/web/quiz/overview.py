"""What there is to be asked: topics, what comes, courses, and cards that wait for approval."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from warpbook.journal.cards import proposals, sitting
from warpbook.journal.cards.deck import Topic
from warpbook.journal.cards.forecast import forecast
from warpbook.journal.cards.proposals import Proposal
from warpbook.journal.cards.sitting import Sheet
from warpbook.journal.teaching import syllabus
from warpbook.journal.teaching.syllabus import Place
from warpbook.web import forms, show
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, attributes, h, join, text
from warpbook.web.quiz import asking
from warpbook.web.quiz import card as cards
from warpbook.web.svg.forecast import bars
from warpbook.web.table import Column, table

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

MOST_PROPOSALS = 20
COLUMNS = (
    Column("topic", wide=True),
    Column("due", number=True),
    Column("new", number=True),
    Column("learning", number=True),
    Column("cards", number=True),
    Column("flagged", number=True),
    Column("suspended", number=True),
    Column(""),
)


@dataclass(frozen=True)
class Overview:
    topics: Sequence[Topic]
    sheet: Sheet
    ahead: Sequence[int]
    today: date
    waiting: Sequence[Proposal]
    courses: Sequence[Place]


def look(journal: "Journal") -> Overview:
    sheet = sitting.sheet(journal)
    return Overview(
        sheet.topics,
        sheet,
        forecast(journal),
        journal.today(),
        proposals.list_all(journal),
        syllabus.places(journal),
    )


def overview(found: Overview) -> Markup:
    left = join([beginning(found), topics(found)])
    right = join([waiting(found.waiting), courses(found.courses)])
    return h('<div class="split">{}{}</div>', h("<div>{}</div>", left), h("<div>{}</div>", right))


def beginning(found: Overview) -> Markup:
    """How many there are to ask, the way in, and what comes back when."""
    if not found.topics:
        return show.section("Nothing to ask yet", asking.nothing())
    sheet, done = found.sheet, len(found.sheet.sitting.reviews)
    way = (
        asking.start("", "Go on" if done else "Start", "main large")
        if sheet.held
        else h(
            '<span class="muted"{}>{}</span>',
            asking.when_due(sheet),
            asking.coming(sheet) or "Nothing is due.",
        )
    )
    sat = h('<div class="sat">{}</div>', asking.tally(sheet.sitting)) if done else ""
    return h(
        '<section class="card begin-quiz"><div class="count-to-ask"><b>{}</b><span>to ask today'
        '</span>{}</div><div class="ahead">{}<p class="muted">Cards that come back, by day; new '
        "ones have no day yet.</p></div>{}</section>",
        f"{sheet.left:,}",
        way,
        bars(found.ahead, found.today),
        sat,
    )


def topics(found: Overview) -> Markup:
    if not found.topics:
        return Markup("")
    rows = [row(one) for one in found.topics]
    more = h('<a href="/quiz/cards">all cards</a>')
    body = h('<div class="topics">{}</div>', table(COLUMNS, rows, caption="topics"))
    return show.section("Topics", body, more)


def row(one: Topic) -> list[Markup]:
    asks = one.due or one.new
    return [
        h('<a href="/quiz/cards?{}"><b>{}</b></a>', urlencode({"topic": one.name}),
          text(one.name, 80)),
        count(one.due, "due"),
        count(one.new, "new"),
        count(one.learning, "learning"),
        h("{}", f"{one.cards:,}"),
        state_count(one, "flagged", one.flagged),
        state_count(one, "suspended", one.suspended),
        asking.start(one.name, "Ask") if asks else h(""),
    ]  # fmt: skip


def count(number: int, kind: str) -> Markup:
    return h('<span class="n-{}">{}</span>', kind, f"{number:,}") if number else show.NONE


def state_count(one: Topic, state: str, number: int) -> Markup:
    query = urlencode({"topic": one.name, "state": state})
    return h('<a href="/quiz/cards?{}">{}</a>', query, f"{number:,}") if number else show.NONE


def waiting(found: Sequence[Proposal]) -> Markup:
    if not found:
        return Markup("")
    rows = join(proposal(one) for one in found[:MOST_PROPOSALS])
    left = len(found) - MOST_PROPOSALS
    more = h('<p class="muted">and {} more after these</p>', f"{left:,}") if left > 0 else ""
    return show.section(
        h('Waiting for approval <span class="count">{}</span>', f"{len(found):,}"),
        h('<ul class="list proposals" data-flip>{}</ul>{}', rows, more),
        id_="proposals",
    )


def proposal(one: Proposal) -> Markup:
    body = json.dumps({})
    buttons = join(
        h(
            '<button type="button" class="{}"{}>{}</button>',
            tone,
            attributes(
                data_post=f"/api/proposals/{one.id}/{verb}", data_body=body, data_done=said,
                aria_label=f"{label}: {' '.join(one.question.split())[:80]}",
            ),
            label,
        )
        for verb, label, tone, said in (
            ("approve", "Approve", "main", "it joins the deck"),
            ("reject", "Reject", "", "it is not proposed again"),
        )
    )  # fmt: skip
    return h(
        '<li data-key="{}"><div class="sides"><div class="front">{}</div>{}</div>'
        '<div class="row"><span class="tag">{}</span><small class="muted">{}</small>'
        '<span class="row acts">{}</span></div></li>',
        one.id,
        markdown(one.question) if one.answer else cards.whole(one.question),
        h('<div class="back">{}</div>', markdown(one.answer)) if one.answer else "",
        text(one.topic, 60),
        h("from {}", text(one.source, 120)) if one.source else "",
        buttons,
    )


def courses(found: Sequence[Place]) -> Markup:
    rows = join(
        h(
            '<li><a href="/quiz/course/{}"><b>{}</b></a><div class="row far">{}'
            '<small class="muted">{}</small></div></li>',
            one.course.problem,
            one.course.title,
            meter(one),
            far(one),
        )
        for one in found
    )
    return show.section(
        "Courses",
        h(
            '<p class="muted">What each ladder teaches, from first principles. A step you have '
            'read brings its cards into the deck.</p><ul class="list courses">{}</ul>',
            rows,
        ),
    )


def meter(one: Place) -> Markup:
    share = one.presented / len(one.course.steps)
    return h('<span class="meter"><span style="width:{}"></span></span>', f"{100 * share:.0f}%")


def far(one: Place) -> str:
    steps, cards = len(one.course.steps), len(syllabus.ids(one.course))
    passed = f", {one.passed} passed" if one.passed else ""
    return f"{one.presented} of {steps} steps read{passed} · {cards} cards"


def new_card(topics: Sequence[str]) -> Markup:
    offered = forms.offered("card-topics", topics)
    return forms.dialog(
        "new-card", "New card", "/api/cards",
        [
            forms.area("question", "Question", "Markdown; or a text with clozes, such as "
                       "A {{c1::warp}} has 32 threads, and no answer.", 3, required=True,
                       autofocus=True, maxlength=20000),
            forms.area("answer", "Answer", "", 3, maxlength=20000),
            forms.field("topic", "Topic", "Its file in cards/; the journal's track by default.",
                        list="card-topics", maxlength=200),
            offered,
        ],
        "Write it", done="the card is in the deck",
    )  # fmt: skip
