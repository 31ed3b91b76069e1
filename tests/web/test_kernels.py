"""The pages of kernels: their parts from data, and what a browser sees of them."""

import shutil
from dataclasses import replace
from itertools import pairwise

import httpx
import pytest
from book_desk import Desk
from kernel_book import GPU, WORKLOAD, judgement, kernel_run, measured

from warpbook.book.book import Book
from warpbook.book.browse import ladders
from warpbook.core.judgement import Status
from warpbook.web.pages.kernels import listing
from warpbook.web.pages.ladder import whole
from warpbook.web.rung import history, sources_of
from warpbook.web.svg import roofline
from warpbook.web.svg.times import times

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def book(new_book, tmp_path):
    made = Book.open(shutil.copytree(new_book, tmp_path / "book"))
    yield made
    made.close()


@pytest.fixture
def shipped(book):
    return ladders.ladder(book, "softmax")


def test_every_timed_rung_is_on_the_roofline_below_its_roofs(shipped):
    picture = str(roofline.roofline(shipped))
    assert picture.count("<circle") == len(shipped.timed) > 10
    assert all(step.name in picture for step in shipped.timed)
    assert "memory 4.33 TB/s" in picture
    assert "fp32 51.1 TFLOP/s" in picture


def test_names_on_the_roofline_do_not_overlap():
    places = roofline.spaced([100, 101, 102, 180, 181], 400)
    assert all(after - before >= roofline.LABEL_STEP for before, after in pairwise(places))
    assert roofline.spaced([390, 395], 400)[-1] <= 400


def test_without_operations_the_page_says_so_and_has_the_bars(shipped):
    bare = replace(shipped, cost=replace(shipped.cost, operations={}))
    page = str(whole(bare, {}))
    assert "counted in bytes alone" in page
    assert page.count('role="listitem"') == len(shipped.timed)
    assert "receipts do not say" in str(whole(replace(shipped, cost=None), {}))


def test_a_rung_without_a_time_says_why_or_what_to_type(book):
    measured(book, judgement("online", status=Status.WRONG, reason=f"row 3 {HOSTILE}"))
    measured(book, judgement("fused", 300.0))
    page = str(whole(ladders.ladder(book, "softmax", GPU, WORKLOAD), {}))
    assert "row 3 &lt;script&gt;" in page
    assert "<script>" not in page
    assert f"warpbook judge softmax --rung passes --workload {WORKLOAD}" in page


def test_shipped_numbers_are_labelled_with_device_and_source(shipped):
    assert "Shipped with Warpbook: NVIDIA H200; torch 2.11" in str(whole(shipped, {}))


def test_a_rung_has_its_files_and_what_is_different_from_the_one_below(book, shipped):
    page = str(sources_of(book, shipped, shipped.step("shuffles")))
    assert "shuffles.py" in page
    assert "shuffles.cu" in page
    assert "different from shared, the rung below" in page
    assert 'class="add"' in page


def test_hostile_words_of_the_book_are_text(book):
    judged = replace(judgement("fused", 300.0), rung=HOSTILE)
    judged = replace(judged, environment={"device": HOSTILE, "torch": HOSTILE})
    measured(book, judged, problem=f"/home/{HOSTILE * 500}")
    (entry,) = [one for one in ladders.entries(book) if one.mine]
    found = ladders.ladder(book, entry.address.removeprefix("/kernels/"))
    step = found.step(HOSTILE)
    shown = [listing([entry]), whole(found, {}), history(found, step, found.marks)]
    assert all("<script>" not in str(part) for part in shown)
    assert len(str(shown[0])) < 5000


def test_times_over_the_days_have_a_mark_each(book):
    for us in (1000.0, 900.0):
        kernel_run(Desk(book), us=us)
    found = ladders.ladder(book, "softmax")
    past = ladders.history(book, found, found.step("online"))
    assert str(times(past)).count("<circle") == 2


@pytest.mark.browser
def test_choosing_a_workload_and_a_rung_keeps_both_in_the_address(page):
    page.goto("/kernels")
    page.get_by_role("link", name="softmax", exact=True).click()
    page.get_by_label("workload").select_option("32768x1024-fp32")
    page.wait_for_function("document.body.innerText.includes('The floor is 62.0 us')")
    page.get_by_role("link", name="online", exact=True).click()
    page.get_by_text("online.py, ").wait_for()
    page.get_by_text("What is different from").click()
    page.locator(".add").first.wait_for()
    assert "workload=32768x1024-fp32" in page.url
    assert "rung=online" in page.url
    chosen = page.locator("select[name=rung]")
    chosen.select_option("shared")
    page.get_by_text("shared.py, ").wait_for()
    page.go_back()
    page.get_by_text("online.py, ").wait_for()
    assert chosen.input_value() == "online"


@pytest.mark.browser
def test_a_judgement_that_is_recorded_appears_by_itself(page, served):
    page.goto("/kernels")
    page.get_by_text("Nothing was measured in this book yet").wait_for()
    measured(served.book, judgement("fused", 300.0))
    page.get_by_text("300 us").wait_for()


@pytest.mark.parametrize(
    "address",
    [
        "/kernels/nothing", "/kernels/..%2f..%2fetc%2fpasswd", "/kernels/%2e%2e",
        "/kernels/softmax?rung=../problem", "/kernels/softmax?rung=/etc/passwd",
        "/kernels/softmax?device=moon", "/kernels/softmax?workload=%00",
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused_in_words(served, address):
    headers = {"authorization": f"Bearer {served.token}"}
    answer = httpx.get(served.address + address, headers=headers, timeout=60)
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text
