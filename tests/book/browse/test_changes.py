"""What changed since an event, summed up from the log."""

import math

from warpbook.book.browse.changes import changes
from warpbook.book.events import append_all
from warpbook.core.run import RunStatus


def texts(found):
    return [line.text for line in found.lines]


def test_nothing_changed(book):
    last = book.log.last()
    found = changes(book, last)
    assert (found.after, found.last, found.events) == (last, last, 0)
    assert (found.counts, found.verdicts, found.lines) == ({}, [], [])


def test_a_night_in_a_few_lines(book, desk):
    claim, experiment = desk.tried()
    last = book.log.last()
    desk.results(experiment, *[math.log(1.3)] * 5)
    _, other = desk.tried("other")
    desk.ended(other, RunStatus.FAILED)
    book.findings.add("it pays", [("supports", claim.name)])
    book.log.note("good night")
    found = changes(book, last)
    (flip,) = found.verdicts
    assert (flip.hypothesis, flip.before, flip.after) == (claim.name, "open", "supported")
    assert found.runs == {"valid": 5, "failed": 1}
    said = texts(found)
    assert said[0].startswith(f"{claim.name} is supported, was open: ")
    assert "F-1: it pays" in said
    assert "good night" in said
    assert "6 runs ended: 5 valid, 1 failed" in said
    assert "1 hypothesis added" in said
    assert "1 experiment added" in said
    assert found.events == book.log.last() - last


def test_a_verdict_that_is_back_where_it_was_is_no_change(book):
    with book.writing() as write:
        for before, after in (("open", "supported"), ("supported", "open")):
            write.event("verdict.changed", "H-1", "H-1 is x: y", before=before, after=after)
        write.event("verdict.changed", "H-2", "H-2 is x: why", before="open", after="refuted")
        write.event("verdict.changed", "H-2", "H-2 is y: so", before="refuted", after="supported")
    found = changes(book, 0)
    assert [(f.hypothesis, f.before, f.after, f.why) for f in found.verdicts] == [
        ("H-2", "open", "supported", "so")
    ]
    assert found.counts["verdict.changed"] == 4


def test_many_events_are_counted_and_few_are_told(book):
    last = book.log.last()
    with book.writing() as write:
        lines = [("note", "", f"note {number}", {}) for number in range(5000)]
        lines += [("queue.reordered", "", "x", {}) for _ in range(300)]
        append_all(write.session, "ana", lines)
    found = changes(book, last)
    assert found.counts == {"note": 5000, "queue.reordered": 300}
    assert len(found.lines) == 21
    assert texts(found)[0] == "note 4999"
    assert texts(found)[-1] == "the queue was reordered 300 times"


def test_each_kind_is_found_by_its_index(book):
    with book.reading() as session:
        plan = session.connection().exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT count(*) FROM events WHERE kind = 'note' AND id > 5"
        )
        assert "USING COVERING INDEX events_kind (kind=? AND rowid>?)" in plan.all()[0][-1]
