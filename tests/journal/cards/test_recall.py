"""The log of reviews and the table that follows it."""

import json
import os
import random
import sqlite3
from datetime import timedelta

import pytest
from clocked import Clock, text, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warpbook.book import sqlite
from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.cards import deck, recall, reviews, schedule
from warpbook.journal.ids import id_of
from warpbook.journal.index import Index
from warpbook.journal.journal import Journal
from warpbook.journal.texts import textfile

CARDS = "Q: What is a warp?\nA: 32 threads.\n\nQ: b\nA: 2\n<!-- card:bbbb -->\n"


@pytest.fixture
def journal(folder):
    with Journal.open(folder, Clock()) as made:
        write(made, "cards/gpu.md", CARDS)
        yield made


def table(journal):
    recall.sync(journal)
    rows = journal.index.connection.execute(f"SELECT {recall.COLUMNS} FROM journal_recall")
    found = (recall.recall_of(row) for row in rows)
    return {one.card: one for one in found if one != schedule.Recall(one.card)}


def replayed(journal):
    data = journal.path(reviews.FILE).read_bytes()
    folded = schedule.fold(reviews.read(data).acts, journal.settings.retention)
    return {card: one for card, one in folded.items() if one != schedule.Recall(card)}


def log(journal):
    return journal.path(reviews.FILE).read_text().splitlines()


def test_a_review_is_a_line_and_moves_the_card(journal):
    outcome = recall.review(journal, "bbbb", 4, 3.14)
    (line,) = map(json.loads, log(journal))
    assert line == {
        "id": outcome.act.id,
        "card": "bbbb",
        "at": "2026-01-04T09:00:00.000Z",
        "act": "review",
        "rating": 4,
        "seconds": 3.1,
    }
    assert (outcome.before.state, outcome.after.state) == ("new", "review")
    assert outcome.after.due > journal.now() + timedelta(days=3)


@pytest.mark.parametrize("rating", [1, 2, 3, 4])
def test_the_preview_is_what_happens(journal, rating):
    for earlier in (4, 3, 2, 1):
        recall.review(journal, "bbbb", earlier)
        journal.now.on(days=9, hours=5)
    seen = recall.preview(journal, "bbbb")
    assert recall.review(journal, "bbbb", rating).after.due == seen[rating]
    assert replayed(journal)["bbbb"].due == seen[rating]


def test_a_preview_holds_after_the_clock_went_over_a_day(journal):
    recall.review(journal, "bbbb", 4)
    journal.now.on(days=4, minutes=-1)
    shown_at = journal.now()
    seen = recall.preview(journal, "bbbb", shown_at)
    journal.now.on(minutes=3)
    assert recall.review(journal, "bbbb", 3, at=shown_at).after.due == seen[3]


def test_the_fuzz_leaves_the_generator_of_others_alone_and_spreads_cards(journal):
    random.seed(5)
    expected = random.random()
    random.seed(5)
    dues = {recall.review(journal, f"card{n}", 4).after.due for n in range(12)}
    assert random.random() == expected
    assert len(dues) > 1


def test_a_rating_is_one_of_four(journal):
    with pytest.raises(BadInput, match="not 5"):
        recall.review(journal, "bbbb", 5)


def test_the_first_review_writes_the_id_and_an_edit_then_keeps_the_history(journal):
    card = id_of("What is a warp?")
    recall.review(journal, card, 3)
    assert text(journal, "cards/gpu.md").startswith(
        f"Q: What is a warp?\nA: 32 threads.\n<!-- card:{card} -->\n\nQ: b"
    )
    edited = text(journal, "cards/gpu.md").replace("What is a warp?", "What is a warp, on NVIDIA?")
    write(journal, "cards/gpu.md", edited)
    held = deck.get(journal, card)
    assert (held.card.question, held.recall.reviews) == ("What is a warp, on NVIDIA?", 1)


@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("journal/2026-01-03.md", "---\nminutes: 5\n---\n# Day 1\n\n"),
        ("reading/memory.md", "# Memory\n\n## Paper\n<!-- reading:k3f9a2bc -->\n- kind: paper\n\n"),
    ],
)
def test_a_card_in_a_day_or_a_reading_note_gets_its_id_there(journal, path, before):
    write(journal, path, f"{before}Q: in a note?\nA: yes\n\nMore.\n")
    card = id_of("in a note?")
    recall.review(journal, card, 3)
    assert text(journal, path) == (
        f"{before}Q: in a note?\nA: yes\n<!-- card:{card} -->\n\nMore.\n"
    )
    assert deck.get(journal, card).card.written


def test_an_id_that_could_not_be_written_is_written_next_time(journal):
    card = id_of("What is a warp?")
    with textfile.held(journal.path("cards/gpu.md")):
        recall.review(journal, card, 3)
    assert text(journal, "cards/gpu.md") == CARDS
    recall.flag(journal, card)
    assert f"<!-- card:{card} -->" in text(journal, "cards/gpu.md")


def test_a_review_is_kept_when_its_card_was_edited_meanwhile(journal):
    journal.path("cards/gpu.md").write_text("Q: Something else\nA: 1\n")
    recall.review(journal, id_of("What is a warp?"), 3)
    assert len(log(journal)) == 1
    assert text(journal, "cards/gpu.md") == "Q: Something else\nA: 1\n"


def test_undo_walks_back_one_act_at_a_time(journal):
    first = recall.review(journal, "bbbb", 3)
    recall.flag(journal, "bbbb")
    recall.review(journal, "cccc", 1)
    assert [recall.undo(journal).act for _ in range(2)] == ["review", "flag"]
    assert table(journal) == {"bbbb": first.after}
    recall.undo(journal)
    assert table(journal) == {}
    with pytest.raises(NotFound, match="nothing to undo"):
        recall.undo(journal)
    assert len(log(journal)) == 6


def test_a_review_after_an_undo_is_what_was_previewed_before(journal):
    seen = recall.preview(journal, "bbbb")
    recall.review(journal, "bbbb", 1)
    recall.undo(journal)
    assert recall.review(journal, "bbbb", 4).after.due == seen[4]


def test_flag_and_suspend_and_back(journal):
    assert recall.flag(journal, "bbbb").after.flagged
    assert recall.suspend(journal, "bbbb").after.suspended
    assert recall.suspended_among(journal, ["aaaa", "bbbb"]) == {"bbbb"}
    recall.flag(journal, "bbbb", on=False)
    recall.suspend(journal, "bbbb", on=False)
    assert table(journal) == {}


def test_due_among_has_those_never_asked_and_those_due(journal):
    recall.review(journal, "bbbb", 4)
    recall.review(journal, "cccc", 1)
    recall.suspend(journal, "dddd")
    cards = ["aaaa", "bbbb", "cccc", "dddd"]
    assert recall.due_among(journal, cards) == ["aaaa"]
    journal.now.on(minutes=2)
    assert recall.due_among(journal, cards) == ["aaaa", "cccc"]
    journal.now.on(days=30)
    assert recall.due_among(journal, cards) == ["aaaa", "bbbb", "cccc"]


def test_damaged_lines_are_told_with_their_numbers_and_left_in_place(journal):
    recall.review(journal, "bbbb", 3)
    bad = [
        "no json",
        "[]",
        '{"id": "x", "card": "bbbb", "at": "2026-01-04T10:00:00Z", "act": "review", "rating": 9}',
        '{"id": "y", "card": "bbbb", "at": "2026-01-04T10:00:00", "act": "flag"}',
        '{"id": "z", "card": "bbbb", "at": "2026-13-04T10:00:00Z", "act": "flag"}',
        '{"id": "u", "card": "b\\ud800", "at": "2026-01-04T10:00:00Z", "act": "flag"}',
        "[" * 100_000,
        "",
    ]
    with journal.path(reviews.FILE).open("a") as file:
        file.write("\n".join(bad) + "\n")
    before = table(journal)
    recall.review(journal, "cccc", 3)
    problems = recall.sync(journal)
    assert [problem.line for problem in problems] == [2, 3, 4, 5, 6, 7, 8]
    assert str(problems[0]).startswith("cards/reviews.jsonl:2: no line of JSON")
    assert log(journal)[1:9] == bad
    assert table(journal) == before | {"cccc": recall.get(journal, "cccc")}


def test_a_torn_last_line_is_told_and_the_next_review_is_whole(journal):
    recall.review(journal, "bbbb", 3)
    with journal.path(reviews.FILE).open("a") as file:
        file.write('{"id": "x", "card": "bb')
    assert [problem.line for problem in recall.sync(journal)] == [2]
    recall.review(journal, "bbbb", 3)
    assert recall.get(journal, "bbbb").reviews == 2
    assert table(journal) == replayed(journal)


def test_a_last_line_without_its_end_counts(journal):
    recall.review(journal, "bbbb", 3)
    path = journal.path(reviews.FILE)
    path.write_text(path.read_text().rstrip("\n"))
    assert recall.get(journal, "bbbb").reviews == 1
    recall.review(journal, "bbbb", 3)
    assert recall.get(journal, "bbbb").reviews == 2


def test_a_log_that_was_edited_by_hand_is_folded_anew(journal):
    recall.review(journal, "bbbb", 3)
    recall.review(journal, "cccc", 3)
    path = journal.path(reviews.FILE)
    path.write_text(path.read_text().replace('"rating": 3', '"rating": 4', 1))
    assert recall.get(journal, "bbbb").state == "review"
    path.write_text("")
    assert table(journal) == {}


def test_another_retention_changes_what_is_due(journal):
    due = recall.review(journal, "bbbb", 4).after.due
    journal.path("warpbook.toml").write_text("[journal]\nretention = 0.97\n")
    with Journal.open(journal.folder, Clock()) as strict:
        assert recall.get(strict, "bbbb").due < due


def test_where_the_book_may_only_be_read_reviews_are_followed_all_the_same(journal):
    recall.review(journal, "bbbb", 3)
    recall.review(journal, "cccc", 3)
    journal.index.connection.execute("DELETE FROM journal_meta")
    path = journal.path("book.db")
    reading = Index(journal.folder, journal.settings, sqlite.connect_read_only(path))
    reader = Journal(journal.folder, journal.settings, reading, journal.now)
    assert recall.get(reader, "cccc").reviews == 1
    with pytest.raises(sqlite3.OperationalError):
        reading.connection.execute("DELETE FROM main.journal_recall")
    reader.close()


ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["review", "review", "review", "flag", "suspend", "unflag", "undo", "again", "sync"]
        ),
        st.sampled_from(["aaaa", "bbbb", "bbbb.1"]),
        st.integers(1, 4),
        st.integers(0, 20_000),
    ),
    max_size=12,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=ACTS)
def test_the_table_is_always_what_folding_the_whole_log_gives(journal, acts):
    path = journal.path(reviews.FILE)
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    for act, card, rating, minutes in acts:
        journal.now.on(minutes=minutes)
        written = path.read_text().splitlines()
        if act == "undo" and written:
            of = json.loads(written[rating % len(written)])["id"]
            reviews.append(path, reviews.new(card, "undo", journal.now(), of=of))
        elif act == "again" and written:  # a merge may leave a line twice
            textfile.append_line(path, written[rating % len(written)])
        elif act == "sync":
            assert table(journal) == replayed(journal)
        elif act not in ("undo", "again"):
            more = {"rating": rating} if act == "review" else {}
            reviews.append(path, reviews.new(card, act, journal.now(), **more))
    assert table(journal) == replayed(journal)
    journal.now.at = Clock().at


def test_a_file_in_an_editor_says_so(journal):
    with textfile.held(journal.path(reviews.FILE)), pytest.raises(Taken):
        recall.review(journal, "bbbb", 3)
    assert not os.path.exists(journal.path(reviews.FILE))
