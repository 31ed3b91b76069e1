"""What speaks of something to read; how feeds did last."""

from clocked import write

from warpbook.journal.citing import cards, days, questions
from warpbook.journal.reading import pulls
from warpbook.journal.reading.feeds import Feed, Pulled
from warpbook.journal.reading.shelf import by_id


def test_what_speaks_of_an_item(journal):
    notes = "Q: Why?\nA: Because.\n\nQ: How?\n"
    write(
        journal, "reading/memory.md", f"## Banks\n<!-- reading:abcd1234 -->\n\n{notes}\n## Other\n"
    )
    write(journal, "journal/2026-01-02.md", "---\nreading: [abcd1234]\n---\nread on\n")
    write(journal, "journal/2026-01-03.md", "more of reading:abcd1234 today\n")
    write(journal, "journal/2026-01-04.md", "nothing\n")
    item = by_id(journal, "abcd1234")
    assert [one.date for one in days(journal, item)] == ["2026-01-03", "2026-01-02"]
    assert [one.card.question for one in cards(journal, item)] == ["Why?"]
    assert [(one.question, one.item) for one in questions(journal, 5)] == [("How?", "abcd1234")]


def test_the_last_pull_is_kept_by_feed(journal):
    assert pulls.last(journal) == {}
    pulls.record(journal, [Pulled(Feed("u"), 3), Pulled(Feed("v"), failed="no answer")])
    found = pulls.last(journal)
    assert (found["u"].new, found["u"].failed, found["v"].failed) == (3, "", "no answer")
