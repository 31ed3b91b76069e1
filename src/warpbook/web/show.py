"""The book's numbers, times, names and states as markup: with units, intervals and explanations.

Knows nothing of pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from warpbook.core import units
from warpbook.core.duration import show_duration
from warpbook.core.effect import Metric, show_gain, show_interval
from warpbook.journal.ids import id_of
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.words import WORDS

PLACES = {
    "C": "campaigns",
    "H": "hypotheses",
    "E": "experiments",
    "R": "runs",
    "F": "findings",
}
NAME = re.compile(r"\b([HERF])-([1-9]\d{0,9})\b")
# What a state says at a glance; the word itself is always there too.
TONES = {
    "supported": "good", "valid": "good", "hit": "good", "done": "good", "correct": "good",
    "refuted": "bad", "disqualified": "bad", "failed": "bad", "wrong": "bad", "crashed": "bad",
    "suspect": "bad", "lost": "bad", "timed out": "bad",
    "running": "busy", "queued": "wait", "open": "wait", "held": "warn", "paused": "warn",
    "stopped": "warn", "invalid": "warn", "over": "warn", "under": "warn", "stale": "stale",
    "unverified": "warn", "linked": "good",
}  # fmt: skip
NONE = h('<span class="none">–</span>')


def ref(name: str, label: object = None) -> Markup:
    """A link to what has this name: H-3, E-31, R-57, F-7 or C-1."""
    address = f"/{PLACES[name[0]]}/{quote(name)}"
    return h('<a class="ref" href="{}">{}</a>', address, name if label is None else label)


def campaign(name: str) -> Markup:
    return h('<a class="ref" href="/campaigns/{}">{}</a>', quote(name), name)


def refs(names: Sequence[str]) -> Markup:
    return join((ref(name) for name in names), " ") if names else NONE


def linked(text: str, limit: int = 2000) -> Markup:
    """A sentence of the log in which names such as H-3 lead to what they name."""
    parts, at = [], 0
    clipped = text[:limit]
    for found in NAME.finditer(clipped):
        parts += [h("{}", clipped[at : found.start()]), ref(found[0])]
        at = found.end()
    parts.append(h("{}", clipped[at:]))
    if len(text) > limit:
        parts.append(h('<span class="cut">… {} more characters</span>', f"{len(text) - limit:,}"))
    return join(parts)


def gain(value: float | None, metric: Metric | None) -> Markup:
    return NONE if value is None or metric is None else h("{}", show_gain(value, metric))


def interval(low: float | None, high: float | None, metric: Metric | None) -> Markup:
    if low is None or high is None or metric is None:
        return NONE
    return h('<span class="interval">{}</span>', show_interval(low, high, metric))


def effect(
    value: float | None, low: float | None, high: float | None, metric: Metric | None
) -> Markup:
    """The effect with its interval beside it."""
    if value is None:
        return NONE
    around = "" if low is None or high is None else interval(low, high, metric)
    return h('<span class="effect"><b>{}</b> {}</span>', gain(value, metric), around)


def seconds(value: float | None) -> Markup:
    return NONE if value is None else h("{}", show_duration(value))


def microseconds(value: float | None) -> Markup:
    return NONE if value is None else h("{}", units.microseconds(value))


def bytes_(value: float | None) -> Markup:
    return NONE if value is None else h("{}", units.size(value))


def percent(value: float | None) -> Markup:
    return NONE if value is None else h("{}", units.percentage(value))


def money(value: float | None, currency: str) -> Markup:
    return NONE if value is None else h("{}", f"{value:.2f} {currency}")


def ago(iso: str | None, now: datetime | None = None) -> Markup:
    """`3 min ago`, with the exact time on hover; the browser keeps it current."""
    at = parsed(iso)
    if at is None:
        return NONE
    passed = max(((now or datetime.now(UTC)) - at).total_seconds(), 0.0)
    shown = "just now" if passed < 5 else f"{show_duration(passed)} ago"
    return h(
        '<time datetime="{}" data-tip="{}" tabindex="0">{}</time>',
        at.isoformat(), f"{at:%Y-%m-%d %H:%M:%S} UTC", shown,
    )  # fmt: skip


def elapsed(iso: str | None, until: str | None = None) -> Markup:
    """How long since; it ticks in the browser, unless it ended."""
    at, end = parsed(iso), parsed(until)
    if at is None:
        return NONE
    passed = max(((end or datetime.now(UTC)) - at).total_seconds(), 0.0)
    if end is not None:
        return h("<span>{}</span>", show_duration(passed))
    return h('<time data-since="{}">{}</time>', at.isoformat(), show_duration(passed))


def parsed(iso: str | None) -> datetime | None:
    if not iso:
        return None
    try:
        at = datetime.fromisoformat(iso)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def chip(state: str, why: str = "") -> Markup:
    """A state as a word in its tone; `why` on hover, else what the word means."""
    tip = why or WORDS.get(state)
    return h(
        '<span class="chip {}"{}>{}</span>',
        TONES.get(state, "plain"), attributes(data_tip=tip, tabindex=0 if tip else None), state,
    )  # fmt: skip


def belief(chance: float, history: Markup | None = None) -> Markup:
    """A bar with its number, and how it got there."""
    shown = chance_shown(chance)
    return h(
        '<span class="belief" role="img" aria-label="belief {}">'
        '<span class="bar"><span style="width:{}"></span></span><b>{}</b>{}</span>',
        shown, f"{100 * chance:.0f}%", shown, history,
    )  # fmt: skip


def chance_shown(chance: float) -> str:
    """In percent; nothing that was believed is rounded to certain."""
    if chance < 0.005:
        return "<1%"
    return ">99%" if chance >= 0.995 else f"{100 * chance:.0f}%"


def empty(sentence: str, command: str = "", more: Markup | None = None) -> Markup:
    """What a place says while there is nothing in it, and what to do about it."""
    typed = h("<pre><code>{}</code></pre>", command) if command else ""
    return h('<div class="empty"><p>{}</p>{}{}</div>', sentence, typed, more)


def row_keys(texts: Iterable[str]) -> list[str]:
    """For the rows of a list by what they say: what is typed in one stays with it when another is
    put above."""
    seen: Counter[str] = Counter()
    made = []
    for one in map(id_of, texts):
        seen[one] += 1
        made.append(f"{one}-{seen[one]}")
    return made


def button(label: str, post: str, body: str = "", confirm: str = "", tone: str = "") -> Markup:
    """A button that posts to the API."""
    more = attributes(data_body=body or None, data_confirm=confirm or None)
    return h(
        '<button type="button" class="{}" data-post="{}"{}>{}</button>', tone, post, more, label
    )


def facts(pairs: Sequence[tuple[object, object]]) -> Markup:
    """Names and values; what has no value is left out."""
    rows = (h("<dt>{}</dt><dd>{}</dd>", name, value) for name, value in pairs if value is not None)
    return h('<dl class="facts">{}</dl>', join(rows))


def section(title: object, body: Markup, more: Markup | None = None, id_: str = "") -> Markup:
    """A part of a page with its heading; `more` stands at the heading's right."""
    return h(
        '<section class="card"{}><div class="head"><h2>{}</h2>{}</div>{}</section>',
        attributes(id_=id_ or None), title, more, body,
    )  # fmt: skip
