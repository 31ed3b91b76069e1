"""Plans carry from day to day until done or dropped; the latest mention decides."""

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.days import days, plans
from warpbook.journal.texts import blocks

TODAY = date(2026, 1, 10)
BOXES = {"open": " ", "done": "x", "dropped": "-"}


def mentions(text):
    return [(m.text, m.state) for m in plans.mentions(blocks.lines(text))]


def write(journal, on, text):
    journal.edit(days.relative(on), lambda _: text)


def test_boxes_and_tomorrow_are_plans():
    text = "tomorrow: try cp.async\n\n- [ ] open\n* [X] done\n1. [-] dropped\n"
    assert mentions(text) == [
        ("try cp.async", "open"), ("open", "open"), ("done", "done"), ("dropped", "dropped"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("Tomorrow: try cp.async", "try cp.async"),
        ("Read X. tomorrow: try cp.async", "try cp.async"),
        ("- Read X! **Tomorrow:** one; two", "one; two"),
        ("(It was slow.) Plan for tomorrow: measure", "measure"),
        ("Plans for tomorrow: a. tomorrow: b", "a. tomorrow: b"),
        ("Why?\nRead on; tomorrow : more", "more"),
    ],
)
def test_tomorrow_may_be_said_in_other_ways(text, plan):
    assert mentions(text) == [(plan, "open")]


@pytest.mark.parametrize(
    "text", ["not tomorrow: no", "see you tomorrow. Read: x", "# a. tomorrow: x"]
)
def test_other_words_about_tomorrow_are_no_plan(text):
    assert mentions(text) == []


def test_a_list_below_tomorrow_is_plans():
    assert mentions("Read X. Plan for tomorrow:\n- one\n") == [("one", "open")]
    assert mentions("## Plan for tomorrow\n- one\n") == [("one", "open")]
    text = "Tomorrow:\n- one\n- two\n\nwords\n- none\n\n## Tomorrow\n1. three\n"
    assert mentions(text) == [("one", "open"), ("two", "open"), ("three", "open")]


def test_code_and_empty_boxes_are_none():
    assert mentions("```\n- [ ] code\n```\n- [ ]\n- [y] no\ntomorrow\n") == []


def test_a_plan_is_its_text_whatever_its_case_and_spaces(journal):
    write(journal, date(2026, 1, 8), "- [ ] Try  cp.async\n")
    write(journal, date(2026, 1, 9), "- [x] try CP.ASYNC\n")
    assert plans.listed(journal) == []
    (done,) = plans.listed(journal, ("done",))
    assert (done.since, done.last) == (date(2026, 1, 8), date(2026, 1, 9))


STEPS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["a", "b", "c"]), st.sampled_from([*BOXES])),
    max_size=12,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(STEPS)
def test_the_latest_mention_decides(journal, steps):
    for path in journal.folder.glob("journal/*.md"):
        path.unlink()
    for number in range(5):
        mine = [(text, state) for day, text, state in steps if day == number]
        if mine:
            lines = "".join(f"- [{BOXES[state]}] {text}\n" for text, state in mine)
            path = journal.path(days.relative(date(2026, 1, 1) + timedelta(days=number)))
            path.parent.mkdir(exist_ok=True)
            path.write_text(lines)
    journal.index.refresh()
    expected = {text: state for _, text, state in sorted(steps, key=lambda step: step[0])}
    found = {plan.text: plan.state for plan in plans.listed(journal, [*BOXES])}
    assert found == expected
    carried = {plan.text for plan in plans.carried(journal, TODAY)}
    assert carried == {text for text, state in expected.items() if state == "open"}


def test_a_new_day_begins_with_what_is_open(journal):
    write(journal, date(2026, 1, 8), "tomorrow: first\n\n- [ ] second\n- [x] third\n")
    days.add(journal, TODAY, "words")
    assert days.get(journal, TODAY).body == "- [ ] first\n- [ ] second\n\nwords\n"


def test_a_day_of_the_past_begins_without_later_plans(journal):
    write(journal, date(2026, 1, 8), "- [ ] later\n")
    days.add(journal, date(2026, 1, 7), "words")
    assert days.get(journal, date(2026, 1, 7)).body == "words\n"


def test_done_marks_the_box_of_today_and_leaves_earlier_days(journal):
    write(journal, date(2026, 1, 8), "- [ ] first\n")
    days.add(journal, TODAY, "words")
    days.settle(journal, plans.find(journal, "1"), "done")
    assert days.get(journal, TODAY).body == "- [x] first\n\nwords\n"
    assert days.get(journal, date(2026, 1, 8)).body == "- [ ] first\n"
    assert plans.listed(journal) == []


def test_a_plan_said_as_tomorrow_is_dropped_by_a_line_of_its_own(journal):
    write(journal, TODAY, "---\nminutes: 5\n---\ntomorrow: first\n")
    days.settle(journal, plans.find(journal, "FIRST"), "dropped")
    assert journal.path(days.relative(TODAY)).read_text() == (
        "---\nminutes: 5\n---\ntomorrow: first\n\n- [-] first\n"
    )


def test_a_plan_that_was_settled_meanwhile_is_said_to_be(journal):
    write(journal, TODAY, "- [ ] first\n")
    plan = plans.find(journal, "first")
    days.settle(journal, plan, "dropped")
    for called in (plan.id, "first"):
        with pytest.raises(NotFound, match=f"'first' is dropped already, on {TODAY}"):
            plans.find(journal, called)


def test_a_plan_is_found_by_number_or_words_of_it(journal):
    write(journal, TODAY, "- [ ] read the paper\n- [ ] read the book\n")
    assert plans.find(journal, "2").text == "read the book"
    assert plans.find(journal, "paper").text == "read the paper"
    with pytest.raises(BadInput, match="may be 2 plans"):
        plans.find(journal, "read")
    with pytest.raises(NotFound, match="no open plan '3'"):
        plans.find(journal, "3")
