"""What is said of something to read in few words: its state, its kind, its age, where it is."""

from datetime import date
from urllib.parse import quote, urlencode, urlsplit

from warpbook.journal.reading.addresses import linkable
from warpbook.journal.reading.reading import Item
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, link, text

LONGEST_TITLE = 200
TONES = {
    "inbox": "warn", "queued": "wait", "reading": "busy", "done": "good", "revisit": "stale",
    "merged": "good",
}  # fmt: skip
MEANINGS = {
    "inbox": "a feed brought it: keep it, or drop it",
    "queued": "to be read",
    "reading": "begun",
    "done": "read",
    "revisit": "to be read again",
    "dropped": "out of the lists; it stays in its file",
    "asked": "somebody was asked",
    "assigned": "somebody has it",
    "open": "nobody has it yet",
    "merged": "it is in",
    "closed": "it is over",
}


def address(item: Item) -> str:
    return f"/reading/{quote(item.id)}"


def title(item: Item) -> Markup:
    return h(
        '<a class="named-title" href="{}">{}</a>', address(item), text(item.title, LONGEST_TITLE)
    )


def state(item: Item) -> Markup:
    """With the day that matters to it."""
    days = {"reading": item.started, "done": item.done, "revisit": item.revisit}
    said = MEANINGS[item.state]
    on = days.get(item.state, "")
    return h(
        '<span class="chip {}"{}>{}</span>',
        TONES.get(item.state, "plain"),
        attributes(data_tip=f"{said}, {on}" if on else said, tabindex=0),
        item.state,
    )


def tier(item: Item) -> Markup:
    if item.tier is None:
        return show.NONE
    return h('<span class="tier t{}">{}</span>', item.tier, item.tier)


def topic(name: str) -> Markup:
    return h('<a class="tag" href="/reading?{}">{}</a>', urlencode({"topic": name}), name[:60])


def site(item: Item) -> Markup:
    """The way out, by the name of its host; a cut address leads nowhere and is shown."""
    if not item.address:
        return Markup("")
    if not linkable(item.address):
        cut = (
            show.chip("cut short", "whoever copied the address had only a part") if item.cut else ""
        )
        return h("{} {}", text(item.address, 80), cut)
    host = urlsplit(item.address).netloc.rpartition("@")[2].removeprefix("www.")
    return link(item.address, h('{}<span aria-hidden="true"> ↗</span>', text(host, 60)))


def age(written: str, today: date) -> Markup:
    """How long ago a day was: `3 d`, `5 w`, `2 y`."""
    try:
        day = date.fromisoformat(written)
    except ValueError:
        return show.NONE
    return h('<span data-tip="{}" tabindex="0">{}</span>', written, span((today - day).days))


def span(days: int) -> str:
    if days <= 0:
        return "today"
    if days < 14:
        return f"{days} d"
    if days < 70:
        return f"{days // 7} w"
    return f"{days // 30} mo" if days < 730 else f"{days // 365} y"


def turn(item: Item) -> Markup:
    """The button for what most likely comes next."""
    verb, label = {"reading": ("done", "Done"), "inbox": ("", "")}.get(
        item.state, ("start", "Start")
    )
    if not verb or item.state in ("done", "merged", "closed"):
        return Markup("")
    said = f"{label}: {' '.join(item.title.split())[:80]}"
    return h(
        '<button type="button" data-post="/api/reading/{}/{}" data-done="{}" aria-label="{}">{}'
        "</button>",
        item.id,
        verb,
        "read" if verb == "done" else "begun",
        said,
        label,
    )
