"""Dialogs for things to read: an item, a feed, what is said of an item."""

from collections.abc import Sequence

from warpbook.journal.reading.reading import KINDS, Item, states_of
from warpbook.web.forms import area, choice, dialog, field, offered
from warpbook.web.markup import Markup, attributes, h, join

TIERS = [("", "none"), *((str(n), str(n)) for n in range(1, 6))]


def new_item() -> Markup:
    kinds = [("", "by its address"), *((kind, kind) for kind in KINDS)]
    return dialog(
        "new-reading", "Something to read", "/api/reading",
        [
            field("address", "Address", autofocus=True, maxlength=4096,
                  placeholder="https://"),
            field("title", "Title", "Needed where there is no address.", maxlength=1000),
            field("topic", "Topic", "A file in reading/; general by default.", list="topics",
                  maxlength=60),
            choice("kind", "Kind", kinds),
            choice("tier", "Tier", TIERS, "From 1, the best, to 5.", data_type="number"),
            area("notes", "Notes", "Markdown. Q: and A: in it make a card.", 3),
        ],
        "Add it", done="it is on the list",
    )  # fmt: skip


def new_feed() -> Markup:
    return dialog(
        "new-feed", "A feed", "/api/feeds",
        [
            field("url", "Address", "RSS or Atom. It is fetched once, to see that it is one.",
                  required=True, autofocus=True, maxlength=4096, placeholder="https://"),
            field("topic", "Topic", "Where what you keep of it goes.", list="topics",
                  maxlength=60),
            field("title", "Title", "Its own by default.", maxlength=500),
        ],
        "Add it",
    )  # fmt: skip


def topics(names: Sequence[str]) -> Markup:
    """What fields for a topic suggest."""
    return offered("topics", names)


def facts(item: Item) -> Markup:
    """What is said of an item, filled in."""
    return dialog(
        "facts", "What is said of it", f"/api/reading/{item.id}/set",
        [
            field("title", "Title", value=item.title, required=True, maxlength=1000),
            field("address", "Address", value=item.address, maxlength=4096),
            chosen("kind", "Kind", [(kind, kind) for kind in KINDS], item.kind),
            chosen("tier", "Tier", TIERS, str(item.tier or ""), data_type="number"),
            chosen("state", "State", [(one, one) for one in states_of(item.kind)], item.state),
        ],
        "Change it", done="changed",
    )  # fmt: skip


def chosen(
    name: str, label: str, options: Sequence[tuple[str, str]], here: str, **more: object
) -> Markup:
    made = join(
        h('<option value="{}"{}>{}</option>', value, attributes(selected=value == here), shown)
        for value, shown in options
    )
    return h(
        '<label><span>{}</span><select name="{}"{}>{}</select></label>',
        label,
        name,
        attributes(**more),
        made,
    )
