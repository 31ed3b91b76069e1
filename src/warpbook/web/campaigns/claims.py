"""Hypotheses as markup: what is claimed, where it stands, and what was learned.

Says in words what the book has worked out, and works out nothing itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from warpbook.book.browse.hypotheses import Line, Next
from warpbook.book.browse.lessons import Lesson, Lessons, Part
from warpbook.core import wording
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.svg.spark import spark
from warpbook.web.table import Column, table
from warpbook.web.words import word

LONGEST_CLAIM, LONGEST_WHY, LONGEST_NAME = 300, 400, 80
COLUMNS = (
    Column(word("hypothesis"), "created", wide=True),
    Column(word("belief"), "belief"),
    Column(word("effect"), "effect"),
    Column(word("run", "runs"), "runs", number=True),
    Column(word("evidence"), "evidence"),
    Column("next"),
)


def short(value: str, limit: int = LONGEST_CLAIM) -> Markup:
    """The beginning of a text. It may have been cut before, so it does not say by how much."""
    more = h('<span class="cut">…</span>') if len(value) > limit else ""
    return h("{}{}", value[:limit], more)


def told(value: str, limit: int = LONGEST_WHY) -> Markup:
    """The same of a sentence of the log, whose names lead to what they name."""
    more = h('<span class="cut">…</span>') if len(value) > limit else ""
    return h("{}{}", show.linked(value[:limit]), more)


def claimed(direction: int, delta: float, metric: Metric) -> str:
    """`time_us gets better by at least 3%`."""
    way = "worse" if direction < 0 else "better"
    return f"{metric.name[:LONGEST_NAME]} gets {way} by at least {wording.size(delta, metric)}"


def guarded(guard: Mapping[str, Any]) -> str:
    metric = decode(Metric, guard["metric"])
    most = wording.size(float(guard["margin"]), metric)
    return f"{metric.name[:LONGEST_NAME]} gets worse by at most {most}"


def campaign_link(number: int, name: str) -> Markup:
    return h('<a class="ref" href="/campaigns/C-{}">{}</a>', number, text(name, 120))


def chips(status: str, stale: str) -> Markup:
    flag = h(" {}", show.chip("stale", stale[:LONGEST_WHY])) if stale else ""
    return h("{}{}", show.chip(status), flag)


def claims(lines: Sequence[Line], query: Mapping[str, str], total: int) -> Markup:
    """A page of hypotheses as a table; on a narrow screen, one below the other."""
    rows = [row(one) for one in lines]
    return h(
        '<div class="claims">{}</div>',
        table(COLUMNS, rows, query, total, "hypotheses", default="-created"),
    )


def row(one: Line) -> list[Markup]:
    went = f"belief over {len(one.history)} evaluations"
    drawn = spark(one.history, went, 0.0, 1.0, 64, 22) if len(one.history) > 1 else None
    found = wording.evidence(one.log_support, one.log_refute) if one.runs else None
    tags = join((h('<span class="tag">{}</span>', tag[:60]) for tag in one.tags[:8]), " ")
    return [
        h(
            '{} {}<div class="claim"><a href="/hypotheses/{}">{}</a></div>'
            '<div class="muted least">{} {}</div>',
            show.ref(one.name), chips(one.status, one.stale), one.name,
            short(one.claim), claimed(one.direction, one.delta, one.metric), tags,
        ),
        labelled("belief", show.belief(one.belief, drawn)),
        labelled("effect", show.effect(one.estimate, one.low, one.high, one.metric)),
        labelled("runs", h("{}", one.runs)),
        labelled("evidence", h("{}", found) if found else show.NONE),
        labelled("next", coming(one)),
    ]  # fmt: skip


def labelled(name: str, value: Markup) -> Markup:
    """The name is seen where there is no head above it."""
    return h('<span class="named">{}</span>{}', name, value)


def coming(one: Line) -> Markup:
    """What is needed, and the experiment that will bring it on."""
    if one.status != "open":
        return h('<span class="muted">{}</span>', one.needs)
    planned = waits(one.next) if one.next else h('<span class="muted">nothing is planned</span>')
    return h('{}<div class="muted">{}</div>', planned, one.needs)


def waits(following: Next) -> Markup:
    return h("{} {}", show.ref(following.experiment), show.chip(following.state))


def learned(found: Lessons, more: str) -> Markup:
    """What has been validated and what has been ruled out; `more` leads to all of a status."""
    parts = [
        part("Validated", "supported", found.supported, more, "Nothing is supported yet."),
        part("Ruled out", "refuted", found.refuted, more, "Nothing is ruled out yet."),
    ]
    if found.stale.total:
        parts.append(part("To measure again", "stale", found.stale, more, ""))
    return h('<div class="grid">{}</div>', join(parts))


def part(title: str, status: str, found: Part, more: str, none: str) -> Markup:
    items = join(h("<li>{}</li>", lesson(one)) for one in found.lessons)
    left = found.total - len(found.lessons)
    all_of = f"and {left:,} more"
    rest = h('<p><a href="{}?status={}">{}</a></p>', more, status, all_of) if left else ""
    body = h('<ul class="list">{}</ul>{}', items, rest) if found.lessons else show.empty(none)
    return h('<div class="lessons {}"><h3>{}</h3>{}</div>', status, title, body)


def lesson(one: Lesson) -> Markup:
    """One sentence with its effect, interval, runs, what rests on it, and whether it is stale."""
    line = one.line
    many = f"{line.runs:,} run{'s' * (line.runs != 1)}"
    resting = h(" Recorded in {}.", show.refs(one.findings)) if one.findings else ""
    return h(
        "{} {}: {}, {}, evidence {}.{}{}",
        show.ref(line.name), short(line.claim.rstrip(".")),
        show.effect(line.estimate, line.low, line.high, line.metric), many,
        wording.evidence(line.log_support, line.log_refute), resting,
        stale(line.stale, one.again) if line.stale else "",
    )  # fmt: skip


def stale(why: str, again: str) -> Markup:
    """Why it is, and what to type."""
    typed = h("<pre><code>{}</code></pre>", again) if again else ""
    return h(
        '<div class="ground">{} {}{}</div>',
        show.chip("stale"),
        told(why),
        typed,
    )
