"""The front page with its map, streaks and latest days, and a page for each day."""

from collections.abc import Iterator, Sequence
from datetime import date

from warpbook.journal.days.calendar import Calendar, of_days
from warpbook.journal.days.day_document import counted
from warpbook.journal.days.days import Day
from warpbook.web import show
from warpbook.web.journal import day as part
from warpbook.web.journal import overview
from warpbook.web.journal.prose import laid_out
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, h, join
from warpbook.web.rss import LONGEST, titled
from warpbook.web.site.contents import Contents, day_file
from warpbook.web.site.frame import Page
from warpbook.web.svg import year as picture
from warpbook.web.visit import heading

LATEST = 20


def front(found: Contents) -> Page:
    known = calendar_of(found)
    map_ = h("{}{}", map_of(found, known), overview.below(known))
    year = show.section("Days", map_, id_="days")
    latest = [day.date for day in found.days[::-1][:LATEST]]
    more = h('<p><a href="/months">All months</a></p>') if len(found.days) > LATEST else ""
    body = h(
        '{}<div class="year-and-streaks">{}{}</div>{}',
        heading(found.asked.title), year, streaks(known),
        show.section("Latest days", h("{}{}", listed(found, latest), more), id_="latest"),
    )  # fmt: skip
    return Page("index.html", found.asked.title, body)


def calendar_of(found: Contents, until: date | None = None) -> Calendar:
    """Of the days that are shown alone."""
    tracks = sorted({name for day in found.logged for name in day.tracks})
    named = [found.asked.track] if found.asked.track else tracks
    return of_days(found.logged, named, found.journal.today(), until)


def map_of(found: Contents, known: Calendar) -> Markup:
    began = found.days[0].date if found.days else None
    return picture.year(known, found.journal.today(), began)


def streaks(known: Calendar) -> Markup:
    if known.streaks.longest is None:
        return show.section("Streaks", show.empty("Nothing is logged yet."), id_="streaks")
    return overview.streaks(known, {})


def listed(found: Contents, dates: Sequence[date]) -> Markup:
    if not dates:
        return show.empty("No day is here.")
    lines = (overview.line(found.entries[str(on)]) for on in dates if str(on) in found.entries)
    return h('<ul class="list latest">{}</ul>', join(lines))


def pages(found: Contents) -> Iterator[Page]:
    for at, day in enumerate(found.days):
        before = found.days[at - 1] if at else None
        after = found.days[at + 1] if at + 1 < len(found.days) else None
        yield page(found, day, before, after)


def page(found: Contents, day: Day, before: Day | None, after: Day | None) -> Page:
    on = day.date
    view = part.View(on, day, found.figure_of)
    if day.body.strip():
        text = markdown(laid_out(day.body), LONGEST, found.figure_of)
    else:
        text = show.empty("A day with nothing in it. It counts.")
    counts = counted(found.journal, day, found.ranks)
    beside = part.claims(found.journal, view) + part.tied(found.journal, view)
    body = h(
        '{}{}{}<div class="split"><div>{}</div><div>{}</div></div>',
        heading(f"{on:%A} {on.day} {on:%B %Y}"), turning(before, day, after),
        part.counts(day, counts), h('<section class="card">{}</section>', text), beside,
    )  # fmt: skip
    return Page(day_file(on), titled(counts, day, found.asked.track), body)


def turning(before: Day | None, day: Day, after: Day | None) -> Markup:
    """To the days around it, and to its month."""
    return h(
        '<nav class="turning" aria-label="other days">{}<a href="/months/{}">{}</a>{}</nav>',
        to(before, "‹ {}", "prev"), f"{day.date:%Y-%m}", f"{day.date:%B %Y}",
        to(after, "{} ›", "next"),
    )  # fmt: skip


def to(day: Day | None, label: str, rel: str) -> Markup:
    if day is None:
        return h("<span></span>")
    return h('<a rel="{}" href="/journal/{}">{}</a>', rel, day.date, label.format(day.date))
