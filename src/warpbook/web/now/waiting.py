"""The queue: what comes next and why, and what one may do about it."""

from collections.abc import Sequence
from urllib.parse import quote

from warpbook.book.browse.claims import Claim
from warpbook.book.browse.waiting import Head, Reorder, Waiting
from warpbook.core.duration import show_duration
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.words import word

LEAST_MONEY = 0.01
ALL = "/experiments?state=queued"
EXAMPLE = "warpbook try mine.py --on softmax --expect 1.2x..1.6x"


def waiting(head: Head, currency: str, lately: bool) -> Markup:
    """`lately`: it was reordered so recently that the cause is still news."""
    title = h('{} <span class="muted">{}</span>', word("queue", "Queue"), f"{head.total:,}")
    parts = [
        notices(head),
        cause(head.reordered) if lately and head.reordered else Markup(""),
        places(head.places, currency) if head.places else show.empty("Nothing waits.", EXAMPLE),
        rest(head),
    ]
    return show.section(title, join(parts), pausing(head.paused), id_="queue")


def pausing(paused: bool) -> Markup:
    if paused:
        return show.button("Resume", "/api/queue/resume", tone="main")
    return show.button("Pause", "/api/queue/pause")


def notices(head: Head) -> Markup:
    said = [notice("paused", "paused", "Nothing starts; what runs goes on.")] if head.paused else []
    said += [
        notice(
            f"held {author[:60]}",
            "held",
            h("Nothing of {} starts.", text(author, 60)),
            show.button("Let it go on", author_post(author, "unhold")),
        )
        for author in head.held
    ]
    return join(said)


def notice(key: str, state: str, sentence: object, action: Markup | None = None) -> Markup:
    return h(
        '<p class="row notice" data-key="{}">{} <span>{}</span> {}</p>',
        *(key, show.chip(state), sentence, action),
    )


def cause(reorder: Reorder) -> Markup:
    return h(
        '<p class="cause" data-key="cause"><span role="status">{}</span> '
        '<small class="muted">{}</small></p>',
        *(show.linked(reorder.text, 300), show.ago(reorder.at)),
    )


def places(found: Sequence[Waiting], currency: str) -> Markup:
    priced = any(place.money for place in found)
    rows = join(row(place, currency if priced else "") for place in found)
    return h('<ol class="queue" data-key="places" data-flip>{}</ol>', rows)


def row(place: Waiting, currency: str) -> Markup:
    money = h("<span>{}</span>", price(place.money, currency)) if currency else ""
    return h(
        '<li data-key="{}" class="{}"><b class="place number">{}</b><div class="idea">'
        '<div>{} {} {}</div>{}<p class="why muted">{}</p></div><div class="cost">'
        '<span>about {}</span>{}<span class="muted">waiting {}</span></div>{}</li>',
        *(place.experiment, "blocked" if place.blocked else "", place.position),
        *(show.ref(place.experiment), text(place.title, 160), marks(place)),
        *(claims(place.claims), show.linked(place.reason, 400)),
        *(show_duration(place.cost_s), money, show.elapsed(place.queued_at)),
        actions(place),
    )


def price(money: float, currency: str) -> Markup:
    if 0 < money < LEAST_MONEY:
        return h("under {} {}", LEAST_MONEY, currency)
    return show.money(money, currency)


def marks(place: Waiting) -> Markup:
    shown = []
    if place.blocked:
        shown.append(show.chip("not taken", place.blocked))
        shown.append(h('<span class="muted">{}</span>', text(place.blocked, 160)))
    if place.pinned:
        shown.append(show.chip("pinned", "ahead of all that is not"))
    if place.valid:
        shown.append(h('<span class="muted">{} of {} runs made</span>', place.valid, place.wanted))
    return join(shown, " ")


def claims(found: Sequence[Claim]) -> Markup:
    return join(
        h(
            '<div class="for"><span>{} {}</span><span class="row"><span>{} {}</span>{}</span>'
            "</div>",
            *(show.ref(one.name), text(one.text, 160)),
            *(word("prediction", "predicted"), show.interval(one.low, one.high, one.metric)),
            show.belief(one.belief),
        )
        for one in found
    )


def actions(place: Waiting) -> Markup:
    name = place.experiment
    at = f"/api/experiments/{name}"
    pin = show.button("Unpin", f"{at}/unpin") if place.pinned else show.button("Pin", f"{at}/pin")
    cancel = show.button("Cancel", f"{at}/cancel", confirm=f"Cancel {name}?", tone="danger")
    return h(
        '<div class="actions">{}<details class="menu"><summary aria-label="more about {}">⋯'
        "</summary><div>{}{}{}</div></details></div>",
        *(pin, name, cancel, priority(place), hold(place.author)),
    )


def priority(place: Waiting) -> Markup:
    return h(
        '<form data-post="/api/experiments/{}/priority" data-done="{} has its priority">'
        '<label>priority <input name="priority" type="number" step="1" required '
        'data-type="number" value="{}"></label> <button>Set</button></form>',
        *(place.experiment, place.experiment, place.priority),
    )


def hold(author: str) -> Markup:
    ask = f"Let nothing of {author[:60]} start until you let it go on?"
    return show.button(f"Hold all of {author[:60]}", author_post(author, "hold"), confirm=ask)


def author_post(author: str, verb: str) -> str:
    return f"/api/authors/{quote(author, safe='')}/{verb}"


def rest(head: Head) -> Markup:
    left = head.total - len(head.places)
    if left <= 0:
        return Markup("")
    return h('<p><a href="{}">All {} that wait</a></p>', ALL, f"{head.total:,}")
