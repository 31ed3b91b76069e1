"""A course as markup: its steps, the one that is open, and that step's cards."""

from warpbook.journal.teaching.course import Step
from warpbook.journal.teaching.syllabus import Place
from warpbook.web import show
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, attributes, h, join, query_of
from warpbook.web.quiz import asking
from warpbook.web.quiz import card as cards
from warpbook.web.quiz.overview import far, meter
from warpbook.web.visit import Query, heading


def wanted(one: Place, query: Query) -> Step:
    """The step asked for, else the first that was not read, else the last."""
    asked = query.get("step", "")
    if asked.isdecimal() and 1 <= int(asked[:4]) <= len(one.course.steps):
        return one.course.step(int(asked[:4]))
    return one.next or one.course.steps[-1]


def course(one: Place, query: Query) -> Markup:
    step = wanted(one, query)
    back = h('<a href="/quiz">quiz</a>')
    ladder = h('<a href="/kernels/{}">its ladder</a>', one.course.problem)
    top = heading(one.course.title, h('<span class="row">{}{}</span>', ladder, back))
    about = h('<p class="muted goal">{}</p>', one.course.about)
    way = h('<div class="row far">{}<span class="muted">{}</span></div>', meter(one), far(one))
    return join(
        [
            top,
            about,
            h(
                '<div class="lesson"><nav class="card steps-of" aria-label="steps">{}{}</nav>'
                "<div>{}</div></div>",
                way,
                contents(one, step, query),
                opened(one, step, query),
            ),
        ]
    )


def contents(one: Place, here: Step, query: Query) -> Markup:
    rows = join(
        h(
            '<li class="{}"><a data-query href="{}"{}><span class="mark" aria-hidden="true">{}'
            '</span><span>{}. {}<span class="hidden">{}</span></span></a></li>',
            "read" if one.is_presented(step) else "",
            query_of(dict(query), step=step.number),
            attributes(aria_current="true" if step is here else None),
            mark(one, step),
            step.number,
            step.title,
            ", read" if one.is_presented(step) else "",
        )
        for step in one.course.steps
    )
    return h("<ol>{}</ol>", rows)


def mark(one: Place, step: Step) -> str:
    if one.is_passed(step):
        return "●"
    return "◐" if one.is_presented(step) else "○"


def opened(one: Place, step: Step, query: Query) -> Markup:
    return h(
        '<article class="card step" data-key="step-{}"><h2>{}. {}</h2>{}{}</article>{}',
        step.number,
        step.number,
        step.title,
        markdown(step.text, 40_000),
        turning(one, step, query),
        step_cards(one, step),
    )


def turning(one: Place, step: Step, query: Query) -> Markup:
    count = len(step.cards)
    said = f"{count} card{'s' * (count != 1)}"
    if one.is_presented(step):
        told = h(
            '<span class="muted">You have read this step: its {} are in the deck.</span> {}',
            said,
            asking.start(one.course.problem, "Quiz me"),
        )
    else:
        post = f"/api/courses/{one.course.problem}/steps/{step.number}/presented"
        told = h(
            '<button type="button" class="main" data-post="{}" data-done="{}">I have read this '
            'step</button> <span class="muted">brings its {} into the deck</span>',
            post,
            f"{said} joined the deck",
            said,
        )
    ways = [
        turn(query, step.number - 1, "‹ before") if step.number > 1 else None,
        turn(query, step.number + 1, "next ›") if step.number < len(one.course.steps) else None,
    ]
    return h(
        '<div class="row turning"><span class="row">{}</span><span class="row">{}</span></div>',
        told,
        join((way for way in ways if way), " "),
    )


def turn(query: Query, number: int, label: str) -> Markup:
    return h('<a data-query href="{}">{}</a>', query_of(dict(query), step=number), label)


def step_cards(one: Place, step: Step) -> Markup:
    rows = join(
        h(
            '<li data-key="{}"><details class="asks"><summary><div class="front">{}</div></summary>'
            '<div class="back">{}</div></details><div class="row">{}{}</div></li>',
            card.id,
            cards.question(card),
            cards.answer(card),
            cards.state(one.recall(card.id)),
            h('<a class="muted" href="{}">{}</a>', cards.address(card.id), card.id),
        )
        for card in step.cards
    )
    return show.section("Its cards", h('<ul class="list step-cards">{}</ul>', rows))
