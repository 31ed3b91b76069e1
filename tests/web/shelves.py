"""Things to read, feeds and cards for the books of other tests: some of everything, and hostile."""

import json
from datetime import date, timedelta

from warpbook.journal.cards import recall
from warpbook.journal.journal import Journal
from warpbook.journal.reading import feeds, pulls, shelf
from warpbook.journal.reading.feeds import Feed, Pulled
from warpbook.journal.reading.shelf import New
from warpbook.journal.teaching import syllabus

CODE = "```cuda\nint i = threadIdx.x;  // a lane\n```\n"
CARDS = (
    f"Q: What does this compute?\n{CODE}A: The place of a thread:\n{CODE}<!-- card:busy0001 -->\n\n"
    "A {{c1::warp}} has {{c2::32 :: how many}} threads.\n<!-- card:busy0002 -->\n"
)
PROPOSED = 'Q: What is a bank?\nA: A part.\n<!-- proposed:prop0001 {"topic": "gpu"} -->\n'
RSS, DOWN = "https://n.example/rss", "https://down.example/rss"


def busy(folder):
    """The id of the item that has most on it."""
    (folder / "cards").mkdir()
    (folder / "cards" / "gpu.md").write_text(CARDS)
    (folder / "cards" / "proposed.md").write_text(PROPOSED)
    with Journal.open(folder) as journal:
        journal.index.refresh()
        days = [str(date.today() - timedelta(days=days)) for days in (400, 30, 3)]
        notes = f"**Good** on tiling; H-1 says more.\n\n{CODE}\nQ: Why 33?\nA: Banks.\n\nQ: How?\n"
        added = shelf.add_all(
            journal,
            [
                New("Products", "https://x.example/a", "memory", "", 1, notes, "reading", days[0]),
                New("Cut", "https://x.example/b…", "memory", "", 2, "", "done", days[1]),
                New("A chapter", "", "books", "chapter", state="revisit", revisit=days[2]),
                New("A change", "https://github.com/a/b/pull/3", "books", state="merged"),
                New("News", "https://n.example/1", "inbox", feed=RSS, published=days[2]),
            ],
        ).items
        path = journal.path("reading", "books.md")
        path.write_text(f"{path.read_text()}\n## Products, again\n- address: http://x.example/a/\n")
        for url, title in ((RSS, "A feed"), (DOWN, "Another")):
            feeds.add(journal, url, "news", title, unchecked=True)
        pulls.record(journal, [Pulled(Feed(RSS), 1), Pulled(Feed(DOWN), failed="no answer")])
        recall.review(journal, "busy0002.1", 1, 3.0)
        recall.flag(journal, "busy0002.2")
        syllabus.present(journal, "softmax", 1)
    return next(item.id for item in added if item.title == "Products")


def hostile(folder, bad, reason):
    """Markup wherever something to read or a card may have words; ids are bad00001 and bad00002."""
    (folder / "cards").mkdir()
    (folder / "reading").mkdir()
    card = f"Q: {bad('question')}\nA: {bad('answer')}\n<!-- card:bad00002 -->\n\n"
    cloze = f"A {{{{c1::{bad('hidden')} :: {bad('hint')}}}}} in {bad('cloze')}\n"
    (folder / "cards" / "gpu.md").write_text(
        f"---\ntopic: {json.dumps(bad('topic'))}\n---\n{card}{cloze}\n```{bad('info')}\n```\n"
    )
    more = json.dumps({"topic": bad("topic"), "source": bad("source")}).replace("<", "\\u003c")
    (folder / "cards" / "proposed.md").write_text(
        f"Q: {bad('proposed')}\nA: {bad('answer')}\n<!-- proposed:bad00003 {more} -->\n"
    )
    (folder / "reading" / "memory.md").write_text(
        f"## {bad('item')}\n<!-- reading:bad00001 -->\n- address: javascript:hit=1\n"
        f"- up to: {bad('far')}\n- feed: {bad('feed')}\n\n{reason}\nQ: {bad('open')}\n\n"
        f"## {bad('twice')}\n- address: https://x.example/{'y' * 20_000}\n\n"
        f"## {bad('again')}\n- address: https://x.example/{'y' * 20_000}\n"
    )
    (folder / "reading" / "inbox.md").write_text(f"## {bad('news')}\n- feed: {bad('feed')}\n")
    entries = ({"url": f"https://x.example/{bad('url')}", "title": bad("feed"), "topic": bad("t")},)
    with open(folder / "reading" / "feeds.toml", "w") as file:
        for entry in entries:
            file.write("[[feed]]\n")
            file.writelines(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
