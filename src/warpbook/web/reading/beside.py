"""What stands beside the list: what to read next, the inbox, feeds, open questions, doubles."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput
from warpbook.journal import citing
from warpbook.journal.citing import Open
from warpbook.journal.reading import feed_list, shelf_list
from warpbook.journal.reading.feed_list import Standing
from warpbook.journal.reading.feeds import Feed
from warpbook.journal.reading.reading import INBOX, Item, item_from
from warpbook.journal.reading.shelf import GENERAL
from warpbook.journal.reading.shelf_list import Double, Next
from warpbook.web import forms, show
from warpbook.web.markup import Markup, attributes, h, join, link, text
from warpbook.web.reading import words

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

MOST_NEXT, MOST_INBOX, MOST_QUESTIONS, MOST_DOUBLES = 4, 10, 10, 10


@dataclass(frozen=True)
class Beside:
    next: Sequence[Next]
    inbox: Sequence[Item]
    waiting: int  # all that is in the inbox
    feeds: Sequence[Standing]
    questions: Sequence[Open]
    doubled: Sequence[Double]
    today: date
    wrong: str = ""  # with the list of feeds


def look(journal: "Journal") -> Beside:
    newest = journal.index.entries(
        "reading", topic=INBOX, state=INBOX, descending=True, limit=MOST_INBOX
    )
    feeds, wrong = known_feeds(journal)
    return Beside(
        shelf_list.next_items(journal, limit=MOST_NEXT),
        [item_from(one) for one in newest],
        shelf_list.states(journal, INBOX).get(INBOX, 0),
        feeds,
        citing.questions(journal, MOST_QUESTIONS),
        shelf_list.doubled(journal),
        journal.today(),
        wrong,
    )


def known_feeds(journal: "Journal") -> tuple[list[Standing], str]:
    """And what is wrong with the file of them: the page has more than feeds."""
    try:
        return feed_list.listed(journal), ""
    except BadInput as error:
        return [], str(error)


def beside(found: Beside) -> Markup:
    return join(
        [
            coming(found.next),
            inbox(found),
            feeds(found),
            questions(found.questions),
            doubled(found.doubled),
        ]
    )


def coming(found: Sequence[Next]) -> Markup:
    if not found:
        return Markup("")
    rows = join(
        h(
            '<li class="{}"><div>{}<div class="muted about">{}{}</div></div>{}</li>',
            "first" if at == 0 else "",
            words.title(one.item),
            h("{} ", words.site(one.item)) if one.item.address else "",
            text(one.why, 200),
            words.turn(one.item),
        )
        for at, one in enumerate(found)
    )
    return show.section("Read next", h('<ol class="list next-up">{}</ol>', rows))


def inbox(found: Beside) -> Markup:
    if not found.waiting and not found.feeds:
        return Markup("")
    titles = {one.feed.url: one.feed for one in found.feeds}
    rows = join(arrived(one, titles, found.today) for one in found.inbox)
    left = found.waiting - len(found.inbox)
    more = h('<p><a href="/reading?topic=inbox">{} more</a></p>', f"{left:,}") if left > 0 else ""
    body = (
        h('<ul class="list inbox" data-flip>{}</ul>{}', rows, more)
        if found.inbox
        else show.empty("Nothing waits.")
    )
    count = h(' <span class="count">{}</span>', f"{found.waiting:,}") if found.waiting else ""
    return show.section(h("Inbox{}", count), body, pulling(found.feeds), id_="inbox")


def arrived(item: Item, known: Mapping[str, Feed], today: date) -> Markup:
    feed = known.get(item.feed) or Feed(item.feed)
    return h(
        '<li data-key="{}"><div>{}</div><div class="muted about">{} {} · {}</div>{}</li>',
        item.id,
        words.title(item),
        words.site(item),
        text(feed.title, 60),
        words.age(item.published or item.added, today),
        keeping(item, feed.topic or GENERAL),
    )


def keeping(item: Item, topic: str) -> Markup:
    """Into a topic, by default that of its feed; or out."""
    return h(
        '<form class="row keep" data-post="/api/reading/{0}/keep" data-done="kept">'
        '<input name="topic" list="topics" size="12" maxlength="60" placeholder="{1}" '
        'aria-label="topic of {2}" autocomplete="off"><button aria-label="keep {2}">Keep</button>'
        '<button type="button" data-post="/api/reading/{0}/drop" data-done="dropped" '
        'aria-label="drop {2}">Drop</button></form>',
        item.id,
        topic,
        " ".join(item.title.split())[:80],
    )


def pulling(feeds: Sequence[Standing]) -> Markup:
    if not feeds:
        return Markup("")
    return show.button("Pull now", "/api/feeds/pull", tone="main")


def feeds(found: Beside) -> Markup:
    add = forms.opens("+ Feed", "new-feed")
    if found.wrong:
        return show.section("Feeds", show.empty(found.wrong), id_="feeds")
    if not found.feeds:
        empty = show.empty("No feeds yet. What a feed brings waits in an inbox until you keep it.")
        return show.section("Feeds", empty, add, id_="feeds")
    rows = join(map(feed, found.feeds))
    return show.section("Feeds", h('<ul class="list feeds">{}</ul>', rows), add, id_="feeds")


def feed(one: Standing) -> Markup:
    failed = one.pull.failed if one.pull else ""
    when = show.ago(one.pull.at) if one.pull else h("not yet")
    trouble = h('<div class="wrong">{}</div>', text(failed, 300)) if failed else ""
    return h(
        '<li data-key="{}"><div class="row"><b>{}</b>{}<span class="acts">{}</span></div>{}'
        '<div class="muted about">{} · {} seen · pulled {}</div></li>',
        f"feed {one.feed.url}"[:300],
        link(one.feed.url, text(one.feed.name, 80)),
        words.topic(one.feed.topic) if one.feed.topic else "",
        dropping(one),
        trouble,
        text(one.feed.url, 100),
        f"{one.seen:,}",
        when,
    )


def dropping(one: Standing) -> Markup:
    return h(
        '<button type="button" class="quiet"{}>Drop</button>',
        attributes(
            data_post="/api/feeds/drop",
            data_body=json.dumps({"feed": one.feed.url}),
            data_confirm=f"Take {one.feed.name[:100]} off the list? What it brought stays.",
            data_done="the feed is off the list",
            aria_label=f"drop {one.feed.name[:80]}",
        ),
    )


def questions(found: Sequence[Open]) -> Markup:
    if not found:
        return Markup("")
    rows = join(
        h(
            '<li>{}<div class="muted about"><a href="/reading/{}">{}</a></div></li>',
            text(one.question, 300),
            one.item,
            text(one.title, 100),
        )
        for one in found
    )
    more = h('<a href="/reading?questions=1">all</a>')
    return show.section("Open questions", h('<ul class="list">{}</ul>', rows), more)


def doubled(found: Sequence[Double]) -> Markup:
    if not found:
        return Markup("")
    rows = join(
        h(
            '<li><span class="muted">the same {}</span>{}</li>',
            one.same,
            join(
                h(
                    '<div>{} <span class="muted about">{}</span></div>',
                    words.title(item),
                    f"{item.path}:{item.line}",
                )
                for item in one.items
            ),
        )
        for one in found[:MOST_DOUBLES]
    )
    left = len(found) - MOST_DOUBLES
    more = h('<p class="muted">and {} more</p>', f"{left:,}") if left > 0 else ""
    return show.section(
        h('There twice <span class="count">{}</span>', f"{len(found):,}"),
        h('<ul class="list">{}</ul>{}', rows, more),
        id_="doubled",
    )
