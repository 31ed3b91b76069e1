"""Calibration: predicted against measured, who hits how often, and how sharp predictions are."""

import math
from collections.abc import Sequence

from warpbook.book.browse import calibration as browse
from warpbook.book.browse.calibration import MOST_POINTS, MOST_RECENT, Part, Point, Tally
from warpbook.core.effect import show_gain, show_interval
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, query_of, text
from warpbook.web.shell import page
from warpbook.web.svg import calibration as pictures
from warpbook.web.table import PAGE_ROWS, Column, page_of, table
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word

LONGEST_NAME = 40
OUTCOMES = ("hit", "over", "under", "unclear")
SORTS = {"newest", "-newest", "score", "-score"}


@page("/calibration", "Calibration")
async def calibration(visit: Visit) -> None:
    async def overview(query: Query) -> Markup:
        author = query.get("author", "")
        ask = visit.desk.view
        tallies = await ask(browse.tallies)
        points = await ask(browse.points, author)
        parts = await ask(browse.sharpness, author)
        return whole(tallies, points, parts, author, dict(query))

    async def listed(query: Query) -> Markup:
        author, sort = query.get("author", ""), query.get("sort", "-newest")
        sort = sort if sort in SORTS else "-newest"
        offset = (page_of(query) - 1) * PAGE_ROWS
        tallies = await visit.desk.view(browse.tallies)
        rows = await visit.desk.view(browse.page, author, sort, PAGE_ROWS, offset)
        return listing(rows, total(tallies, author), dict(query))

    visit.title("Calibration")
    await visit.panel(overview)
    await visit.panel(listed)


def total(tallies: Sequence[Tally], author: str) -> int:
    """Of scored predictions."""
    mine = [tally for tally in tallies if author in ("", tally.author)]
    return sum(tally.counts.get(outcome, 0) for tally in mine for outcome in OUTCOMES)


def whole(
    tallies: Sequence[Tally],
    points: Sequence[Point],
    parts: Sequence[Part],
    author: str,
    query: dict[str, str],
) -> Markup:
    top = heading("Calibration", choosing(tallies, author))
    if not tallies:
        return top + show.section("Nothing predicted yet", show.empty(NOTHING, TRY))
    counted = counts(tallies, author)
    if not total(tallies, author):
        waits = "No prediction has come out yet: that takes a run of its experiment."
        return top + counted + show.section("Predicted and measured", show.empty(waits))
    pair = h('<div class="pair">{}{}</div>', scatter(points, tallies, author), trend(parts))
    return top + counted + pair + authors(tallies, author, query)


NOTHING = (
    "A prediction is the 80% interval that goes with an experiment, locked before it runs. Once "
    "runs are in, this page says how often each author's intervals hold what was measured."
)
TRY = "warpbook try mine.py --on softmax --expect 1.2x..1.6x"


def choosing(tallies: Sequence[Tally], author: str) -> Markup:
    if len(tallies) < 2 and not author:
        return Markup("")
    options = join(
        h(
            '<option value="{}"{}>{}</option>',
            tally.author, attributes(selected=tally.author == author),
            text(tally.author, LONGEST_NAME),
        )
        for tally in tallies
    )  # fmt: skip
    return h(
        '<form data-query><label>author <select name="author"><option value="">all</option>{}'
        "</select></label></form>",
        options,
    )


def counts(tallies: Sequence[Tally], author: str) -> Markup:
    mine = [tally for tally in tallies if author in ("", tally.author)]
    summed = {o: sum(t.counts.get(o, 0) for t in mine) for o in (*OUTCOMES, "")}
    chips = join(h("<span>{} {}</span>", show.chip(o), f"{summed[o]:,}") for o in OUTCOMES)
    waiting = h('<span class="muted">{} not scored yet</span>', f"{summed['']:,}")
    return h('<p class="row outcomes">{} {}</p>', chips, waiting)


def scatter(points: Sequence[Point], tallies: Sequence[Tally], author: str) -> Markup:
    drawn = pictures.drawable(points)
    left = len(points) - len(drawn)
    notes = []
    if total(tallies, author) > MOST_POINTS:
        notes.append(f"The newest {MOST_POINTS} are drawn.")
    if left:
        notes.append(
            f"{left} are compared by difference or have lost their runs, and are not drawn."
        )
    if not drawn:
        return show.section("Predicted and measured", show.empty(" ".join(notes)))
    notes.append(
        "On the line, what was predicted is what came; a bar that does not reach it missed."
    )
    body = pictures.scatter(drawn) + h('<p class="muted">{}</p>', " ".join(notes))
    return show.section("Predicted and measured", body, pictures.legend())


def trend(parts: Sequence[Part]) -> Markup:
    if not parts:
        return show.section(word("sharpness"), show.empty("No intervals of ratios yet."))
    return show.section(
        h("{} over time", word("sharpness", "Sharpness")),
        h(
            '<p class="muted">How wide the intervals were, and how often they hit, of the newest '
            "{} predictions: narrow and right is best.</p>{}{}",
            f"{min(sum(part.count for part in parts), MOST_RECENT):,}",
            pictures.widths(parts),
            pictures.rates(parts),
        ),
    )


def authors(tallies: Sequence[Tally], author: str, query: dict[str, str]) -> Markup:
    columns = [
        Column(h("author")),
        Column(h("scored"), number=True),
        Column(h("hit rate")),
        Column(h("against 80%, with its 95% interval")),
        Column(h("{} (upper end over lower)", word("sharpness", "width")), number=True),
        Column(
            h('<abbr class="word" tabindex="0" data-tip="{}">widened</abbr>', WIDENED), number=True
        ),
        Column(h("hit, over, under, unclear")),
        Column(h("not scored"), number=True),
    ]
    rows = [author_row(tally, query) for tally in tallies if author in ("", tally.author)]
    return show.section("By author", table(columns, rows, caption="hit rate by author"))


WIDENED = (
    "how much wider an author's next intervals are taken when belief is worked out, from 10 scored "
    "predictions on"
)


def author_row(tally: Tally, query: dict[str, str]) -> list[Markup]:
    spread = tally.interval
    between = f"{spread[0] * 100:.0f} to {spread[1] * 100:.0f}%" if spread else ""
    return [
        h('<a data-query href="{}">{}</a>', query_of(query, author=tally.author),
          text(tally.author, LONGEST_NAME)),
        h("{}", f"{tally.scored:,}"),
        h('{} <span class="interval">{}</span>', show.percent(tally.hit_rate), between),
        pictures.rate_bar(tally),
        show.NONE if tally.width is None else h("{}", f"{math.exp(min(tally.width, 30)):.2f}x"),
        h("{}", f"{tally.widen:.2f}x") if tally.widen > 1 else h('<span class="muted">not</span>'),
        h("{}", ", ".join(f"{tally.counts.get(outcome, 0):,}" for outcome in OUTCOMES)),
        h("{}", f"{tally.counts.get('', 0):,}"),
    ]  # fmt: skip


def listing(points: Sequence[Point], count: int, query: dict[str, str]) -> Markup:
    if not count:
        return Markup("")
    columns = [
        Column(word("experiment"), wide=True),
        Column(word("hypothesis")),
        Column(h("author")),
        Column(word("prediction", "predicted")),
        Column(h("measured (95% interval)")),
        Column(h("outcome")),
        Column(h("locked"), sort="newest"),
    ]
    rows = [point_row(point) for point in points]
    made = table(columns, rows, query, count, "scored predictions", default="-newest")
    return show.section("Scored predictions", made, id_="predictions")


def point_row(point: Point) -> list[Markup]:
    return [
        h("{} {}", show.ref(point.experiment), text(point.title, 120)),
        show.ref(point.hypothesis),
        h("{}", text(point.author, LONGEST_NAME)),
        h('<span class="interval">{}</span>', show_interval(point.low, point.high, point.metric)),
        measured(point),
        show.chip(point.outcome),
        show.ago(point.at),
    ]


def measured(point: Point) -> Markup:
    if point.measured is None:
        return show.NONE
    found = show_gain(point.direction * point.measured, point.metric)
    runs = f"{point.runs} run{'s' * (point.runs != 1)}"
    if point.measured_low is None or point.measured_high is None:
        return h('<span class="effect"><b>{}</b></span> <span class="muted">{}</span>', found, runs)
    low, high = sorted(point.direction * end for end in (point.measured_low, point.measured_high))
    return h(
        '<span class="effect"><b>{}</b> <span class="interval">{}</span></span> <span '
        'class="muted">{}</span>',
        found, show_interval(low, high, point.metric), runs,
    )  # fmt: skip
