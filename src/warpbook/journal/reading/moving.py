"""Items from one topic's file to another's, so that nothing is lost whenever it is cut off."""

from collections.abc import Mapping

from warpbook.core.errors import BadInput, Taken
from warpbook.journal.journal import Journal
from warpbook.journal.reading import reading_text as writing
from warpbook.journal.reading.reading import INBOX, TRACKED, Item
from warpbook.journal.reading.shelf import by_id, copies, find_id, get, path_of, topic_name
from warpbook.journal.texts import textfile


def keep(journal: Journal, wanted: str, topic: str) -> Item:
    """Out of the inbox, into a topic."""
    item = get(journal, wanted)
    if item.topic != INBOX:
        raise BadInput(f"{item.id} is in no inbox but in {item.topic}: warpbook reading move")
    kept = "open" if item.kind in TRACKED else "queued"
    return move(journal, item.id, topic, {"state": kept} if item.state == INBOX else {})


def move(
    journal: Journal, wanted: str, topic: str, values: Mapping[str, str] | None = None
) -> Item:
    """It is written to its new place before it goes from the old one: cut off between the two, it
    is there twice, and moving it again ends that."""
    id, name = find_id(journal, wanted), topic_name(topic)
    target = path_of(name)
    there = copies(journal, id)
    if all(one.path == target for one in there):
        raise BadInput(f"{id} is in {name} already")
    if name == INBOX:
        raise BadInput("the inbox takes what feeds bring; name another topic")
    for one in there:
        if one.path != target:
            carry(journal, one, target, topic, values or {})
    return by_id(journal, id)


def carry(journal: Journal, item: Item, target: str, topic: str, values: Mapping[str, str]) -> None:
    text = textfile.read(journal.path(item.path)).content
    block = writing.block_of(item.path, text, item.id)
    moved = writing.with_values(item.path, block, item.id, values)

    def arrive(before: str) -> str:
        if not writing.has(target, before, item.id):
            return writing.with_blocks(target, before, topic, [moved])
        if writing.block_of(target, before, item.id) in (moved, block):
            return before
        raise Taken(
            f"{item.id} is in both {item.path}:{item.line} and {target}, and they differ; make "
            "them one by hand, nothing was changed"
        )

    def leave(before: str) -> str:
        if writing.block_of(item.path, before, item.id) != block:
            raise Taken(
                f"{item.id} was edited in {item.path} while it was moved, and is now in "
                f"{target} too; make them one by hand"
            )
        return writing.without(item.path, before, item.id)

    journal.edit(target, arrive)
    journal.edit(item.path, leave)
