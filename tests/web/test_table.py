import pytest

from warpbook.web.markup import h
from warpbook.web.table import Column, page_of, table

COLUMNS = (Column("id", "id", number=True), Column("title"))


def rows(count):
    return [[h("{}", number), h("{}", f"row <{number}>")] for number in range(count)]


def test_a_head_that_sorts_leads_to_both_orders():
    assert 'href="?sort=-id"' in table(COLUMNS, rows(1))
    sorted_ = table(COLUMNS, rows(1), {"sort": "-id"})
    assert 'href="?sort=id"' in sorted_
    assert 'aria-sort="descending"' in sorted_


def test_the_order_nobody_asked_for_is_shown_too():
    assert 'aria-sort="descending"' in table(COLUMNS, rows(1), {}, default="-id")


def test_sorting_keeps_the_rest_of_the_query():
    made = table(COLUMNS, rows(1), {"search": "a b", "page": "4"})
    assert 'href="?search=a+b&amp;sort=-id"' in made


def test_pages_say_where_one_is():
    made = table(COLUMNS, rows(50), {"page": "2"}, total=120)
    assert "51–100 of 120" in made
    assert 'href="?page=1"' in made
    assert 'href="?page=3"' in made


def test_the_last_page_leads_no_further():
    assert "next" not in table(COLUMNS, rows(20), {"page": "3"}, total=120)


@pytest.mark.parametrize("asked", ["", "0", "-1", "x", "9" * 40, "²"])
def test_what_is_no_page_is_the_first(asked):
    assert page_of({"page": asked}) == 1


def test_cells_are_what_they_are():
    assert "row &lt;0&gt;" in table(COLUMNS, rows(1))
