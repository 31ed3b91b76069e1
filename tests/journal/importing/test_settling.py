"""Years, and which of two numbers is the month: settled, told how, or asked for."""

from datetime import date

import pytest
from reading_logs import dates, left, read

TURN = ["2025-12-30", "2026-01-02", "2026-01-03"]


def log(*headings):
    return "\n\n".join(f"{heading}\nwhat was done" for heading in headings) + "\n"


@pytest.mark.parametrize(
    "headings",
    [
        ("## December 30, 2025", "## January 2", "## January 3"),
        ("## December 30", "## January 2", "## January 3, 2026"),
        ("2025", "## December 30", "2026", "## January 2", "## January 3"),
        ("## Tuesday, December 30", "## January 2", "## January 3"),
        ("# The year 2025", "## December 30", "## January 2", "## January 3"),
        ("# December 2025", "## December 30", "# January 2026", "## January 2", "## January 3"),
    ],
)
def test_a_year_anywhere_gives_the_others_and_both_orders_are_read(headings):
    text = "\n\n".join(headings)
    assert dates(text) == TURN
    if headings[0].startswith("## "):
        assert dates("\n\n".join(reversed(headings))) == TURN[::-1]


def test_a_year_may_close_the_entries_above_it():
    text = "## January 3\n\n## January 2\n\n2026\n\n## December 30\n\n2025\n"
    found = read(text)
    assert [str(day.date) for day in found.days] == TURN[::-1]
    assert found.days[1].how == "2026 in line 5 closes what stands above it"
    assert [sign.line for sign in found.signs] == [5, 9]


def test_a_year_right_below_an_entry_closes_it():
    found = read("12/14/25 (T - 149)\n\n2025\n\n## December 30\nold\n2024\n")
    assert [str(day.date) for day in found.days] == ["2025-12-14", "2024-12-30"]
    assert found.days[1].text == "## December 30\nold"
    assert [sign.line for sign in found.signs] == [3, 7]


def test_a_number_below_a_post_is_no_year():
    found = read("Jan 2, 2025\nDay 3/100 of CUDA\nslept\n2024\n")
    assert [str(day.date) for day in found.days] == ["2025-01-02"]
    assert not found.signs


def test_a_year_between_entries_that_could_do_either_is_asked_for():
    text = "## March 3\n\n2024\n\n## January 5\n\n## January 6\n"
    assert "could be 2023-03-03 or 2024-03-03; say which with --year" in read(text).left[0].why
    assert dates(text, year=2024) == ["2024-03-03", "2025-01-05", "2025-01-06"]
    assert dates(text, year=2023) == ["2023-03-03", "2024-01-05", "2024-01-06"]


def test_a_year_that_cannot_open_what_is_below_it_closes_what_is_above():
    text = "## January 4\n\n## December 23\n\n2024\n\n## December 9, 2023\n\n## May 7\n"
    assert dates(text) == ["2025-01-04", "2024-12-23", "2023-12-09", "2023-05-07"]


def test_no_year_is_ever_guessed():
    found = read(log("## January 2", "## January 3"))
    assert not found.days
    assert {one.why for one in found.left} == {"nothing says which year it is; give --year"}
    assert left(found) == {1, 2, 4, 5}


def test_the_year_that_is_given_is_that_of_the_oldest():
    newest = log("## January 3", "## January 2", "## December 30")
    assert dates(newest, year=2025) == TURN[::-1]
    assert dates(log("## December 30", "## January 2"), year=2025) == TURN[:2]


def test_t_minus_n_settles_month_and_day():
    found = read(log("12/09/25 (T - 154)", "12/10/2025 (T - 153)"))
    assert [str(day.date) for day in found.days] == ["2025-12-09", "2025-12-10"]
    assert found.days[0].how == "as written, month first: T - N agrees only so"
    assert [day.left for day in found.days] == [154, 153]
    assert dates(log("12/09/25 (T - 123)", "12/10/2025 (T - 93)")) == ["2025-09-12", "2025-10-12"]


def test_a_target_in_the_settings_gives_the_year_and_even_the_date():
    target = (date(2026, 5, 12),)
    assert dates("12/09 (T - 154)\nx", targets=target) == ["2025-12-09"]
    assert dates("## T - 154\nx", targets=target) == ["2025-12-09"]
    assert dates("12/09/25 (T - 154)\nx\n\nT - 150\ny\n", first="month")[1] == "2025-12-13"


def test_numbers_that_nothing_settles_are_asked_for():
    found = read("12/09/25\nx")
    assert "could be 2025-09-12 or 2025-12-09; say which with --month-first" in found.left[0].why
    assert dates("12/09/25\nx", first="day") == ["2025-09-12"]
    assert dates("12/09/25\nx", first="month") == ["2025-12-09"]


def test_other_dates_of_the_log_show_the_order_of_its_numbers():
    assert dates(log("01/12/25", "25/12/25")) == ["2025-12-01", "2025-12-25"]


def test_entries_that_lie_close_together_settle_it_and_that_is_told():
    found = read(log("12/09/25", "12/10/2025"))
    assert [str(day.date) for day in found.days] == ["2025-12-09", "2025-12-10"]
    assert "the entries lie close together only so" in found.days[0].how


def test_one_entry_out_of_order_is_no_new_year():
    headings = ("## Dec 1, 2025", "## Dec 3", "## Dec 2", "## Dec 4")
    expected = ["2025-12-01", "2025-12-03", "2025-12-02", "2025-12-04"]
    assert dates(log(*headings)) == expected


def test_a_weekday_alone_is_the_next_one():
    assert dates(log("## Sunday, January 4, 2026", "## Monday", "## Wed")) == [
        "2026-01-04",
        "2026-01-05",
        "2026-01-07",
    ]


def test_impossible_and_future_dates_are_told_with_their_line_and_settle_nothing():
    found = read(log("## Jan 2, 2026", "## February 30", "## Jan 5, 2030", "## Jan 3"))
    assert [str(day.date) for day in found.days] == ["2026-01-02", "2026-01-03"]
    assert [str(problem) for problem in found.problems] == [
        "log.md:4: February 30 is no date",
        "log.md:7: 2030-01-05 is in the future (as written)",
    ]
    assert left(found) == {4, 5, 7, 8}


def test_february_29_in_a_year_without_one():
    found = read(log("## February 28, 2025", "## February 29"))
    assert len(found.days) == 1
    assert "no date in the year" in found.left[0].why


def test_a_file_that_is_called_by_a_date_is_that_day():
    found = read("no date in here\n\n- [ ] a plan", name="2026-01-04.md")
    assert [(str(day.date), day.text) for day in found.days] == [
        ("2026-01-04", "no date in here\n\n- [ ] a plan")
    ]


def test_a_date_in_front_matter_is_that_of_the_file():
    found = read("---\ntitle: warps\ndate: 2026-01-04\n---\nread about them\n")
    assert [str(day.date) for day in found.days] == ["2026-01-04"]


def test_a_fraction_in_a_heading_is_no_date():
    assert not read("# 2025\n\n## 3/4 done\n").days


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("T - 154", "T - N, and nothing says to which date; give `target`"),
        ("## Monday", "a weekday, and no dated entry before it"),
    ],
)
def test_what_is_missing_is_named(heading, why):
    [one] = read(f"{heading}\nread\n\nand wrote\n").left
    assert one.why.startswith(why)
    assert (one.line, one.last, one.texts) == (1, 4, (heading, "read", "", "and wrote"))


@pytest.mark.parametrize(
    "text",
    [
        "## Day 1 (2026-01-02): tiles\n\n## Day 4 | Jan 7, 2026 | softmax\n",
        "Day 1 of CUDA (Jan 2, 2026): tiles\nx\n\nDay 4 of CUDA - Jan 7\ny\n",
        "Jan 2, 2026: tiles\nJan 7: softmax\n",
        "| Day | Date | What |\n|---|---|---|\n| 1 | 2026-01-02 | x |\n| 4 | 2026-01-07 | y |\n",
    ],
)
def test_a_date_inside_of_a_line_is_its_own(text):
    assert dates(text) == ["2026-01-02", "2026-01-07"]


def test_a_date_in_the_text_behind_a_count_is_not_its_own():
    text = "## Jan 2, 2026 - Day 1\nx\n\n## Day 2: the release of 2024-01-05, again\n"
    assert dates(text) == ["2026-01-02", "2026-01-03"]
