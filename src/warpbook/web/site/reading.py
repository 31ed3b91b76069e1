"""Reading by topic: each item with its state, its dates and its notes."""

from collections import Counter
from collections.abc import Iterator, Sequence

from warpbook.journal.reading.reading import Item
from warpbook.journal.reading.shelf_list import ORDER
from warpbook.web import show
from warpbook.web.journal.prose import laid_out
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, h, join, link, text
from warpbook.web.reading import words
from warpbook.web.rss import LONGEST
from warpbook.web.site.contents import Contents, slug, topic_file
from warpbook.web.site.frame import Page
from warpbook.web.table import Column, table
from warpbook.web.visit import heading

TITLE = 300


def pages(found: Contents) -> Iterator[Page]:
    for topic, items in found.topics.items():
        yield Page(topic_file(topic), topic, of_topic(found, topic, items))
    yield Page("reading.html", "Reading", index(found))


def index(found: Contents) -> Markup:
    if not found.topics:
        return heading("Reading") + show.empty("Nothing is on the list yet.")
    used = {item.state for items in found.topics.values() for item in items}
    states = [state for state in ORDER if state in used]
    columns = [Column("topic"), *(Column(state, number=True) for state in states)]
    rows = []
    for topic, items in found.topics.items():
        counts = Counter(item.state for item in items)
        name = h('<a href="/topics/{}">{}</a>', slug(topic), text(topic, 80))
        rows.append([name, *(h("{}", counts[state] or "") for state in states)])
    return heading("Reading") + show.section("Topics", table(columns, rows, caption="topics"))


def of_topic(found: Contents, topic: str, items: Sequence[Item]) -> Markup:
    top = heading(text(topic, 80), h('<a href="/reading">All topics</a>'))
    listed = join(article(found, item) for item in items)
    return top + h('<section class="card">{}</section>', listed)


def article(found: Contents, item: Item) -> Markup:
    title = h("<h2>{}</h2>", link(item.address, text(item.title, TITLE)))
    notes = markdown(laid_out(item.notes), LONGEST, found.figure_of) if item.notes.strip() else ""
    return h(
        '<article class="item" id="{}">{}<p class="row muted">{} {} {}{}</p>{}</article>',
        item.id, title, words.state(item), item.kind, words.site(item), about(item), notes,
    )  # fmt: skip


def about(item: Item) -> Markup:
    said = (
        ("tier", str(item.tier or "")), ("started", item.started), ("read", item.done),
        ("to revisit", item.revisit), ("read up to", item.up_to),
    )  # fmt: skip
    return join(h("<span>{} {}</span>", name, text(value, 120)) for name, value in said if value)
