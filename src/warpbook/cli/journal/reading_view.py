"""Items of the reading list as people and programs read them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from warpbook.cli.book.views import facts, page_note, short, table
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable
from warpbook.core.units import UNKNOWN
from warpbook.journal.reading.reading import document

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.reading.reading import Item
    from warpbook.journal.reading.shelf_list import Double, Next

COLUMNS = ("id", "title", "topic", "kind", "tier", "state")


def row(item: "Item") -> tuple[str, ...]:
    return (
        item.id,
        short(item.title, 48),
        item.topic,
        item.kind,
        str(item.tier or ""),
        standing(item),
    )


def standing(item: "Item") -> str:
    """The state, with the day that matters to it."""
    if item.state == "reading" and item.up_to:
        return f"reading, up to {short(item.up_to, 30)}"
    day = {"done": item.done, "revisit": item.revisit, "reading": item.started}.get(item.state)
    return f"{item.state} {day}" if day else item.state


def show_item(journal: "Journal", item: "Item", json: bool) -> None:
    from warpbook.journal.reading import shelf_list

    asked = shelf_list.questions(journal, item)
    if json:
        show_json(document(item, asked))
        return
    screen = console()
    screen.print(printable(f"{item.id}  {item.title}"), style="bold", soft_wrap=True)
    facts(
        screen,
        [
            ("address", f"{item.address}{'  (cut short)' if item.cut else ''}"),
            ("kind", f"{item.kind}, tier {item.tier}" if item.tier else item.kind),
            ("state", item.state),
            *((name, getattr(item, name)) for name in ("added", "started", "done", "revisit")),
            ("up to", item.up_to),
            ("feed", item.feed),
            ("published", item.published),
            ("topic", item.topic),
            ("where", f"{item.path}:{item.line}"),
        ],
    )
    if item.notes:
        screen.print()
        screen.print(printable(item.notes, lines=True), soft_wrap=True)
    show_questions(screen, asked)


def show_questions(screen: Console, asked: Sequence[str]) -> None:
    for question in asked:
        screen.print(printable(f"  open: {question}"), soft_wrap=True)


def show_list(
    journal: "Journal",
    items: "list[Item]",
    json: bool,
    questions: bool = False,
    limit: int = 0,
    offset: int = 0,
) -> None:
    from warpbook.journal.reading import shelf_list

    asked = {one.id: shelf_list.questions(journal, one) for one in items} if questions else {}
    if json:
        show_json([document(one, asked.get(one.id)) for one in items])
        return
    screen = console()
    if not items:
        screen.print("nothing of that is on the list; add something: warpbook reading add URL")
    elif questions:
        for one in items:
            screen.print(printable(f"{one.id}  {one.title}"), style="bold", soft_wrap=True)
            show_questions(screen, asked[one.id])
    else:
        screen.print(table(COLUMNS, [row(one) for one in items], right=("tier",)))
    page_note(screen, len(items), limit, offset)
    inbox = shelf_list.states(journal).get("inbox", 0) if limit else 0
    if inbox and not any(one.state == "inbox" for one in items):
        screen.print(f"{inbox} in the inbox: warpbook reading list --state inbox", style="dim")


def show_next(found: "list[Next]") -> None:
    first, *then = found
    screen = console()
    screen.print(printable(f"{first.item.id}  {first.item.title}"), style="bold", soft_wrap=True)
    facts(
        screen,
        [
            ("why", first.why),
            ("address", first.item.address or UNKNOWN),
            ("topic", f"{first.item.topic}, {first.item.kind}"),
            ("begin", f"warpbook reading start {first.item.id}"),
        ],
    )
    if then:
        screen.print()
        rows = [(one.item.id, short(one.item.title, 48), one.item.topic, one.why) for one in then]
        screen.print(table(("then", "title", "topic", "why"), rows))


def show_doubled(found: "list[Double]", json: bool) -> None:
    if json:
        show_json([{"same": one.same, "items": [document(i) for i in one.items]} for one in found])
        return
    screen = console()
    if not found:
        screen.print("nothing is there twice")
    for one in found:
        screen.print(f"the same {one.same}:", style="bold")
        rows = [(i.id, short(i.title, 40), i.state, f"{i.path}:{i.line}") for i in one.items]
        screen.print(table(("id", "title", "state", "where"), rows))
