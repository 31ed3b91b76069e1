"""What the API answers about things to read and feeds, for its OpenAPI."""

from warpbook.web.api.card_shapes import Card
from warpbook.web.api.shapes import Shape


class Item(Shape):
    """Dates are written 2026-01-04, and empty where there is none. `canonical` is the address by
    which doubles are found."""

    id: str
    title: str
    topic: str
    address: str
    kind: str
    tier: int | None
    state: str
    added: str
    started: str
    done: str
    revisit: str
    up_to: str
    cut: bool
    feed: str
    published: str
    notes: str
    path: str
    line: int
    canonical: str


class Citing(Shape):
    date: str
    title: str


class ItemView(Item):
    """`questions` are the open ones in its notes; `days` are those that cite it."""

    questions: list[str]
    cards: list[Card]
    days: list[Citing]


class NextItem(Item):
    """`why` it comes now."""

    why: str


class Feed(Shape):
    """`seen` items of it were seen so far; `pulled` is when it was asked last, `failed` why not all
    of it came then."""

    url: str
    topic: str
    title: str
    seen: int
    last: str | None
    pulled: str | None
    new: int
    failed: str


class AddedFeed(Feed):
    """`items` is how many it has now; a pull brings them."""

    items: int
    message: str


class Pulled(Shape):
    """What came of one feed; `known` were on the shelf already."""

    url: str
    new: int
    known: int
    failed: str
    note: str


class Pull(Shape):
    feeds: list[Pulled]
    added: list[Item]
    message: str


class DroppedFeed(Shape):
    url: str
    topic: str
    title: str
