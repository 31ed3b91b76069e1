"""The shelf: things to read, over all topics; adding, finding and changing them.

Files stay the truth, the index answers. Lists, and what to read next, are in `shelf_list`; from one
topic to another they go in `moving`.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.ids import id_of, plain
from warpbook.journal.journal import Journal
from warpbook.journal.reading import addresses
from warpbook.journal.reading import reading_text as writing
from warpbook.journal.reading.reading import (
    DATES,
    KINDS,
    LEAST_TIER,
    MOST_TIER,
    Item,
    default_state,
    derived_id,
    is_date,
    item_from,
    states_of,
)
from warpbook.journal.reading.reading_lines import COMMENT

FOLDER = "reading"
GENERAL = "general"  # the topic of what names none
LONGEST_TOPIC = 60
MOST_SHOWN = 8  # of several that one name fits
REVISIT_DAYS = 7
ENDED = ("done", "merged", "closed")


class OnShelf(Taken):
    """It is there already, as `item`."""

    def __init__(self, item: Item) -> None:
        super().__init__(
            f"this is there already: {item.id}  {item.title} ({item.topic}, {item.state})"
        )
        self.item = item


@dataclass(frozen=True)
class New:
    """Something to read that is not on the shelf yet. What is left empty follows from the rest."""

    title: str = ""
    address: str = ""
    topic: str = ""
    kind: str = ""
    tier: int | None = None
    notes: str = ""
    state: str = ""
    added: str = ""
    cut: bool = False
    started: str = ""
    done: str = ""
    revisit: str = ""
    up_to: str = ""
    feed: str = ""
    published: str = ""


@dataclass(frozen=True)
class Added:
    """`known` are those that were there already, or came twice, each with the item it is."""

    items: list[Item]
    known: list[tuple[New, Item]]


def topic_name(text: str) -> str:
    """A topic as the name of its file."""
    words = unicodedata.normalize("NFKC", text).lower()
    name = re.sub(r"[\W_]+", "-", words).strip("-")[:LONGEST_TOPIC].strip("-")
    if not name:
        raise BadInput(f"{text!r} is no topic: use letters or digits")
    return name


def path_of(topic: str) -> str:
    return f"{FOLDER}/{topic}.md"


def add(journal: Journal, new: New) -> Item:
    added = add_all(journal, [new])
    if added.known:
        raise OnShelf(added.known[0][1])
    return added.items[0]


def add_all(journal: Journal, news: Iterable[New]) -> Added:
    """Each topic's file is written once."""
    known = Known(journal)
    doubles: list[tuple[New, Item | str]] = []
    fresh: dict[str, dict[str, Item]] = {}
    titles: dict[str, str] = {}
    for new in news:
        item = made(journal, new)
        if double := known.find(item):
            own = fresh.get(item.topic, {}).get(double)
            doubles.append((new, own or double))
            continue
        item = known.take(item)
        fresh.setdefault(item.topic, {})[item.id] = item
        titles.setdefault(item.topic, new.topic or item.topic)
    for topic, items in fresh.items():
        write(journal, topic, titles[topic], items)
    there = {id: one for topic in fresh for id, one in items_of(journal, topic).items()}
    found = [there.get(id, item) for items in fresh.values() for id, item in items.items()]
    return Added(
        found,
        [(new, by_id(journal, i.id if isinstance(i, Item) else i)) for new, i in doubles],
    )


def write(journal: Journal, topic: str, title: str, items: Mapping[str, Item]) -> None:
    path = path_of(topic)
    blocks = {id: writing.block(item) for id, item in items.items()}

    def change(text: str) -> str:
        there = {found[1] for line in text.split("\n") if (found := COMMENT.fullmatch(line))}
        missing = [block for id, block in blocks.items() if id not in there]
        return writing.with_blocks(path, text, title, missing) if missing else text

    journal.edit(path, change)


def made(journal: Journal, new: New) -> Item:
    """The item it becomes, without an id."""
    address = writing.one_line(new.address)
    title = writing.one_line(new.title) or re.sub(r"^\w+://", "", address)
    if not title:
        raise BadInput("something to read needs a title or an address")
    topic = topic_name(new.topic or GENERAL)
    kind = require(new.kind, KINDS, "kind") or addresses.kind_of(address)
    state = require(new.state, states_of(kind), "state") or default_state(kind, topic)
    for name in DATES:
        require_date(getattr(new, name), name)
    return writing.fitting(
        Item(
            id="",
            title=title,
            topic=topic,
            address=address,
            kind=kind,
            tier=require_tier(new.tier),
            state=state,
            added=new.added or journal.today().isoformat(),
            started=new.started,
            done=new.done,
            revisit=new.revisit,
            up_to=new.up_to,
            cut=new.cut or addresses.cut(address),
            feed=new.feed,
            published=new.published,
            notes=new.notes,
            path=path_of(topic),
        )
    )


def require(value: str, known: tuple[str, ...], name: str) -> str:
    if value and value not in known:
        raise BadInput(f"{value!r} is no {name}; known: {', '.join(known)}")
    return value


def require_tier(tier: int | None) -> int | None:
    if tier is not None and not LEAST_TIER <= tier <= MOST_TIER:
        raise BadInput(f"a tier is a number from {LEAST_TIER} to {MOST_TIER}, not {tier}")
    return tier


def require_date(value: str, name: str) -> None:
    if value and not is_date(value):
        raise BadInput(f"{name}: {value!r} is no date; write it as 2026-01-04")


class Known:
    """What is on the shelf, by what makes two items the same."""

    def __init__(self, journal: Journal) -> None:
        rows = journal.index.connection.execute(
            "SELECT key, title, topic, json_extract(document, '$.canonical') "
            "FROM journal_entries WHERE kind = 'reading' ORDER BY path DESC, line DESC"
        ).fetchall()
        self.ids = {key for key, *_ in rows}
        self.addresses = {address: key for key, *_, address in rows if address}
        self.rows = rows
        self.taken: dict[tuple[str, str], str] = {}

    @cached_property
    def titles(self) -> dict[tuple[str, str], str]:
        """For the few that have no address."""
        return {(plain(title), topic): key for key, title, topic, _ in self.rows}

    def find(self, item: Item) -> str | None:
        if form := item.canonical:
            return self.addresses.get(form)
        said = plain(item.title), item.topic
        return self.titles.get(said) or self.taken.get(said)

    def take(self, item: Item) -> Item:
        """The item with an id that no other has, and known from now on."""
        id = derived_id(item.address, item.title, item.topic)
        number = 2
        while id in self.ids:
            id = id_of(id, str(number))
            number += 1
        self.ids.add(id)
        if form := item.canonical:
            self.addresses[form] = id
        self.taken.setdefault((plain(item.title), item.topic), id)
        return replace(item, id=id)


def items_of(journal: Journal, topic: str) -> dict[str, Item]:
    return {one.key: item_from(one) for one in journal.index.entries("reading", topic=topic)}


def by_id(journal: Journal, id: str) -> Item:
    found = journal.index.one("reading", id)
    if found is None:
        raise NotFound(f"there is no reading {id}")
    return item_from(found)


def copies(journal: Journal, id: str) -> list[Item]:
    """More than one where a move was cut off, or somebody copied a part of a file."""
    rows = journal.index.connection.execute(
        "SELECT document FROM journal_entries WHERE kind = 'reading' AND key = ? "
        "ORDER BY path, line",
        (id,),
    )
    return [Item(**{k: v for k, v in json.loads(d).items() if k != "canonical"}) for (d,) in rows]


def get(journal: Journal, wanted: str) -> Item:
    """By its id, the beginning of it, words of its title, or its address; one alone must fit."""
    found = copies(journal, find_id(journal, wanted))
    if len(found) > 1:
        places = " and ".join(f"{one.path}:{one.line}" for one in found)
        raise Taken(
            f"{found[0].id} is there twice, at {places}; take one away, or, if a move was cut "
            f"off: warpbook reading move {found[0].id} TOPIC"
        )
    return found[0]


def find_id(journal: Journal, wanted: str) -> str:
    wanted = wanted.strip()
    rows = journal.index.connection.execute(
        "SELECT key, title, topic, json_extract(document, '$.canonical') FROM journal_entries "
        "WHERE kind = 'reading' ORDER BY path, line"
    ).fetchall()
    id, words, form = wanted.lower(), plain(wanted), addresses.canonical(wanted)
    if not words:
        raise BadInput("which reading: an id, the beginning of one, or words of a title")
    if any(key == id for key, *_ in rows):
        return id
    exact = {row[0]: row for row in rows if row[3] == form or plain(row[1]) == words}
    fits = exact or {
        row[0]: row
        for row in rows
        if row[0].startswith(id) or all(word in plain(row[1]) for word in words.split())
    }
    if not fits:
        raise NotFound(f"no reading has the id or the words {wanted!r}: warpbook reading list")
    if len(fits) > 1:
        some = [f"{key}  {title[:60]} ({topic})" for key, title, topic, _ in fits.values()]
        more = f"\n  and {len(some) - MOST_SHOWN} more" if len(some) > MOST_SHOWN else ""
        listed = "".join(f"\n  {line}" for line in some[:MOST_SHOWN])
        raise BadInput(f"{wanted!r} fits {len(some)} of them, name one by its id:{listed}{more}")
    return str(next(iter(fits)))


def change(
    journal: Journal, item: Item, values: Mapping[str, str], title: str | None = None
) -> Item:
    """Fields by the names used in the file; an empty value takes one away."""
    journal.edit(
        item.path, lambda text: writing.with_values(item.path, text, item.id, values, title)
    )
    return by_id(journal, item.id)


def set_state(
    journal: Journal, wanted: str, state: str, on: date | None = None, up_to: str | None = None
) -> Item:
    """`on` is the day it happened; for revisit the day it is due, a week from now if not given."""
    item = get(journal, wanted)
    values = of_state(journal, item, state, item.kind, on)
    if up_to is not None:
        values["up to"] = writing.one_line(up_to)
    return change(journal, item, values)


def of_state(
    journal: Journal, item: Item, state: str, kind: str, on: date | None = None
) -> dict[str, str]:
    """The fields that a state brings with it."""
    require(state, states_of(kind), "state of a " + kind)
    today = journal.today()
    if on and on > today and state != "revisit":
        raise BadInput(f"{on} is in the future; it is {today}")
    day = (on or today).isoformat()
    values = {"state": state}
    if state == "reading" and (on or not item.started):
        values["started"] = day
    if state in ENDED:
        values |= {"done": day, "revisit": ""}
    if state == "revisit":
        values["revisit"] = (on or today + timedelta(days=REVISIT_DAYS)).isoformat()
    return values


def set_up_to(journal: Journal, wanted: str, up_to: str) -> Item:
    """How far it was read; empty for no longer anywhere."""
    return change(journal, get(journal, wanted), {"up to": up_to})


def set_facts(
    journal: Journal,
    wanted: str,
    title: str | None = None,
    address: str | None = None,
    kind: str | None = None,
    tier: int | None = None,
    state: str | None = None,
) -> Item:
    """What is not given stays. Its id stays too. All of it is changed, or nothing."""
    item = get(journal, wanted)
    values = {}
    if title is not None and not writing.one_line(title):
        raise BadInput("a title has at least one word")
    if address is not None:
        values["address"] = writing.one_line(address)
        require_free(journal, item, values["address"])
        values["cut"] = "yes" if addresses.cut(address) else ""
    if kind is not None:
        values["kind"] = require(kind, KINDS, "kind")
        if item.state not in states_of(kind):
            values["state"] = default_state(kind, item.topic)
    if tier is not None:
        values["tier"] = str(require_tier(tier))
    if state is not None:
        brings = of_state(journal, item, state, kind or item.kind)
        values |= brings if state != item.state else {}
    return change(journal, item, values, title)


def require_free(journal: Journal, item: Item, address: str) -> None:
    form = addresses.canonical(address)
    other = Known(journal).addresses.get(form) if form else None
    if other and other != item.id:
        raise OnShelf(by_id(journal, other))


def note(journal: Journal, wanted: str, text: str, on: date | None = None) -> Item:
    item = get(journal, wanted)
    if not text.strip():
        raise BadInput("a note has at least one word")
    day = (on or journal.today()).isoformat()
    journal.edit(item.path, lambda before: writing.with_note(item.path, before, item.id, text, day))
    return by_id(journal, item.id)


def question(journal: Journal, wanted: str, text: str, answer: str = "") -> Item:
    """An open question, or a card where the answer is given."""
    item = get(journal, wanted)
    if not text.strip():
        raise BadInput("a question has at least one word")
    journal.edit(
        item.path, lambda before: writing.with_question(item.path, before, item.id, text, answer)
    )
    return by_id(journal, item.id)
