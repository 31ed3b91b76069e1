"""The quiz itself: a card to answer, what comes of each rating, how far one is, and how it went.

`assets/quiz.js` has the keys and sends what is pressed. Knows nothing of how the next is picked.
"""

import json
from urllib.parse import urlencode

from warpbook.core.duration import show_duration
from warpbook.journal.cards.deck import Held
from warpbook.journal.cards.schedule import RATINGS
from warpbook.journal.cards.sitting import Sheet, Sitting
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, query_of
from warpbook.web.quiz import card as cards

MEANINGS = {
    1: "not known: it comes again in a moment",
    2: "known, with trouble",
    3: "known",
    4: "known at once: longer until it comes again",
}
MORE_NEW = 10
ACTS = {
    "flag": "flagged", "unflag": "no longer flagged", "suspend": "suspended",
    "unsuspend": "asked again",
}  # fmt: skip


def quiz(sheet: Sheet, topic: str, more: int) -> Markup:
    body = asked(sheet) if sheet.held else over(sheet, topic, more)
    return join([progress(sheet), body, last_act(sheet)])


def progress(sheet: Sheet) -> Markup:
    done = len(sheet.sitting.reviews)
    if not done and not sheet.held:
        return Markup("")
    share = done / max(done + sheet.left + sheet.learning, 1)
    learning = f"{sheet.learning} being learnt" if sheet.learning else ""
    return h(
        '<div class="quiz-bar" data-key="bar"><span class="bar" role="img" aria-label="{}">'
        '<span style="width:{}"></span></span><span class="number"><b>{}</b> done</span>'
        '<span class="number"><b>{}</b> to go</span><span class="number muted">{}</span></div>',
        f"{done} done, {sheet.left} to go",
        f"{100 * share:.1f}%",
        f"{done:,}",
        f"{sheet.left:,}",
        learning,
    )


def asked(sheet: Sheet) -> Markup:
    held = sheet.held
    assert held is not None
    card, known = held.card, held.recall
    return h(
        '<article class="card asked" data-key="{}" data-card="{}" data-reviews="{}">'
        '<div class="asked-top"><span class="row">{}{}<span class="muted">{}</span></span>'
        '<span class="row">{}{}</span></div>'
        '<div class="question" aria-live="polite">{}</div>'
        '<textarea class="typed" rows="1" aria-label="your answer" maxlength="5000" '
        'placeholder="Your answer, if you like to type it. It is kept nowhere."></textarea>'
        '<details class="reveal" data-key="reveal"><summary class="button main">Show the answer '
        '<kbd>space</kbd></summary><div class="answer">{}</div>{}</details></article>',
        f"{card.id}-{known.reviews}",
        card.id,
        known.reviews,
        cards.topic(card.topic),
        cards.state(known),
        h(
            '<a href="{}">{}</a>',
            cards.address(card.id),
            f"asked {known.reviews}x" if known.reviews else "never asked",
        ),
        flagging(held),
        send("suspend", f"/api/cards/{card.id}/suspend", {}, "s", SUSPEND),
        cards.question(card),
        cards.answer(card),
        ratings(sheet, held),
    )


SUSPEND = "let it rest: it is asked no more until you take that back"


def flagging(held: Held) -> Markup:
    on = held.recall.flagged
    word = "unflag" if on else "flag"
    tip = "it is mended" if on else "mark it as one that wants mending"
    return send(word, f"/api/cards/{held.card.id}/{word}", {}, "f", tip)


def ratings(sheet: Sheet, held: Held) -> Markup:
    made = join(
        h(
            '<button type="button" class="rate {}"{}><b>{}</b><span>{}</span><kbd>{}</kbd>'
            "</button>",
            word,
            attributes(
                data_send=f"/api/cards/{held.card.id}/review",
                data_body=json.dumps({"rating": rating, "reviews": held.recall.reviews}),
                data_timed=True,
                data_hotkey=rating,
                data_tip=MEANINGS[rating],
            ),
            word,
            sheet.previews.get(rating, ""),
            rating,
        )
        for rating, word in RATINGS.items()
    )
    return h('<div class="ratings" role="group" aria-label="how well was it known">{}</div>', made)


def send(label: str, post: str, body: dict[str, object], key: str, tip: str) -> Markup:
    """A button that quiz.js sends, also when `key` is pressed."""
    return h(
        '<button type="button" class="quiet"{}>{} <kbd>{}</kbd></button>',
        attributes(data_send=post, data_body=json.dumps(body), data_hotkey=key, data_tip=tip),
        label,
        key,
    )


def last_act(sheet: Sheet) -> Markup:
    act = sheet.sitting.last
    if act is None and sheet.held is None:
        return Markup("")
    if act is None:
        return h('<p class="quiz-last muted" data-key="last">{}</p>', KEYS)
    word = RATINGS[act.rating] if act.act == "review" else ACTS[act.act]
    named = cards.short(sheet.last.card.question, 90) if sheet.last else act.card
    undo = send("undo", "/api/quiz/undo", {"of": act.id}, "u", "take it back")
    return h(
        '<div class="quiz-last muted" data-key="last"><span>last: <b>{}</b>, {}</span>{}</div>',
        word,
        named,
        undo,
    )


KEYS = h(
    "<kbd>space</kbd> or <kbd>enter</kbd> shows the answer, <kbd>1</kbd> to <kbd>4</kbd> rate it, "
    "<kbd>f</kbd> flags, <kbd>s</kbd> suspends, <kbd>u</kbd> undoes."
)


def over(sheet: Sheet, topic: str, more: int) -> Markup:
    """Nothing is left to ask now: how it went, and what comes."""
    done = sheet.sitting.reviews
    head = "That was all for now" if done else "Nothing to ask now"
    return h(
        '<section class="card over" data-key="over"{}><h2>{}</h2>{}{}{}{}</section>',
        when_due(sheet),
        head,
        tally(sheet.sitting) if done else "",
        missed(sheet),
        coming(sheet),
        ways(sheet, topic, more),
    )


def when_due(sheet: Sheet) -> Markup:
    """What has it is looked up again when the next card is due."""
    return attributes(data_due=sheet.due.isoformat() if sheet.due else None)


def tally(done: Sitting) -> Markup:
    reviews = done.reviews
    known = sum(act.rating > 1 for act in reviews)
    spent = sum(act.seconds for act in reviews)
    counts = done.ratings
    parts = join(
        h(
            '<span class="{}" style="flex-grow:{}" data-tip="{}" tabindex="0">{}</span>',
            word,
            counts.get(rating, 0),
            f"{word}: {counts.get(rating, 0)}",
            counts.get(rating, 0),
        )
        for rating, word in RATINGS.items()
        if counts.get(rating)
    )
    return h(
        '<p class="lead">{} of {} in {}; <b>{}</b> known.</p><div class="tally-bar">{}</div>',
        several(len(reviews), "review"),
        several(len({act.card for act in reviews}), "card"),
        show_duration(spent),
        f"{100 * known / len(reviews):.0f}%",
        parts,
    )


def several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def missed(sheet: Sheet) -> Markup:
    if not sheet.missed:
        return Markup("")
    rows = join(
        h(
            '<li><div><a href="{}">{}</a></div><div class="muted">{}</div></li>',
            cards.address(held.card.id),
            cards.short(held.card.question, 200),
            cards.short(held.card.answer, 300),
        )
        for held in sheet.missed
    )
    return h('<h3>Not known, so worth another look</h3><ul class="list">{}</ul>', rows)


def coming(sheet: Sheet) -> Markup:
    if sheet.due is None:
        return Markup("")
    return h('<p class="muted">The next card comes {}.</p>', until(sheet))


def until(sheet: Sheet) -> Markup:
    assert sheet.due is not None
    return h(
        '<time data-until="{}">{}</time>',
        sheet.due.isoformat(),
        f"on {sheet.due.astimezone():%Y-%m-%d at %H:%M}",
    )


def ways(sheet: Sheet, topic: str, more: int) -> Markup:
    made = [h('<a class="button main" href="/quiz">Back to the topics</a>')]
    if sheet.more_new:
        query = {"topic": topic} if topic else {}
        count = min(MORE_NEW, sheet.more_new)
        made.append(
            h(
                '<a class="button" data-query href="{}">{} more new</a>',
                query_of(query, more=more + MORE_NEW),
                several(count, "card"),
            )
        )
    return h('<div class="row ways">{}</div>', join(made))


def start(topic: str, label: str, tone: str = "") -> Markup:
    """The way into a quiz; an empty topic is all of them."""
    query = f"?{urlencode({'topic': topic})}" if topic else ""
    return h('<a class="button {}" href="/quiz/ask{}">{}</a>', tone, query, label)


def nothing() -> Markup:
    return show.empty(
        "There are no cards yet. Write Q: and A: into a day, into the notes of something you read, "
        "or into a file in cards/; or read a step of a course.",
        'warpbook card add "What is a warp?" "32 threads that run in step." --topic gpu',
    )
