"""The pages of experiments and runs: what they show, and what a browser does with them."""

import re

import pytest
from book_desk import FAST, Desk

from warpbook.book import run_folder
from warpbook.book.book import Book
from warpbook.book.browse import experiments, sides
from warpbook.book.browse import run as runs
from warpbook.core.run import RunStatus
from warpbook.web.experiments.compared import compared
from warpbook.web.experiments.detail import top
from warpbook.web.experiments.listing import listing, wanted
from warpbook.web.pages.experiment import gather, source_of
from warpbook.web.pages.run import whole

HOSTILE = "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'>\x1b[31m\u202e"
LONG = "x" * 3_000_000


def fill(desk):
    """E-1 is done, E-2 failed with words nobody should trust, E-3 waits."""
    done = desk.experiment(desk.claim("wide loads win", because="*fewer* copies"), change="wide")
    for run in desk.results(done, FAST, FAST + 0.01, FAST - 0.01):
        (desk.book.folder / "runs" / run.name / run_folder.LOG).write_text("line of a log\n" * 5000)
    claim = desk.claim(HOSTILE, because=HOSTILE + LONG)
    failed = desk.experiment(claim, change=HOSTILE, title=HOSTILE)
    desk.ended(failed, RunStatus.FAILED, HOSTILE)
    (desk.book.folder / "runs" / "R-4" / run_folder.LOG).write_text(HOSTILE)
    (desk.book.folder / "runs" / "R-4" / run_folder.DIFF).write_text(f"+{HOSTILE}\n-{LONG}")
    desk.experiment(desk.claim("cold is faster"), change="cold")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """For tests that only read."""
    book = Book.create(tmp_path_factory.mktemp("filled") / "book", author="ana")
    fill(Desk(book))
    yield book
    book.close()


def listed(book, **query):
    asked = wanted(query)
    return listing(experiments.listing(book, asked), asked, experiments.choices(book), query)


def shown(book, name):
    found = gather(book, name)
    return top(found.detail, found.reasons)


def words(markup):
    return re.sub(r"\s+", " ", markup.striptags())


def harmless(markup):
    """No tag of theirs, nothing unseen, and not all of three megabytes."""
    made = str(markup)
    assert "<script" not in made
    assert "<img" not in made
    assert "\x1b" not in made
    assert "\u202e" not in made
    assert len(made) < 1_000_000
    return "window.hit" in made


def test_an_empty_book_says_what_to_do(tmp_path):
    book = Book.create(tmp_path / "book", author="ana")
    assert "warpbook try" in words(listed(book))
    book.close()


def test_a_list_has_prediction_effect_and_runs(filled):
    said = words(listed(filled, search="E-1"))
    for part in ("wide against old", "1.22x..1.35x", "1.30x", "3 of 3", "1–1 of 1"):
        assert part in said


def test_a_search_that_finds_nothing_says_what_is_searched(filled):
    assert "Titles, arms, commands" in words(listed(filled, search="nothing of the kind"))
    assert "no more experiments" in words(listed(filled, page="7"))


def test_what_is_picked_stays_picked_over_pages_and_searches(filled):
    made = str(listed(filled, pick="E-1,E-3", search="old"))
    assert 'href="/experiments/compare?of=E-1%2CE-3"' in made
    assert made.count('aria-checked="true"') == 2
    assert "?pick=E-1%2CE-3%2CE-2&amp;search=old" in made


def test_an_experiment_has_its_reason_and_both_intervals(filled):
    made = shown(filled, "E-1")
    assert "<em>fewer</em> copies" in made
    assert "H-1 predicted by ana: 1.22x..1.35x with 80%" in made
    assert re.search(r"3 runs together: 1\.30x, 95% interval 1\.\d\dx\.\.1\.\d\dx", made)


def test_each_state_offers_what_can_be_done_with_it(filled):
    done, waits = shown(filled, "E-1"), shown(filled, "E-3")
    assert 'data-post="/api/experiments/E-1/rerun"' in done
    assert "/cancel" not in done
    assert 'data-post="/api/experiments/E-3/cancel"' in waits
    assert 'data-post="/api/experiments/E-3/pin"' in waits
    assert "/rerun" not in waits


def test_a_run_has_its_samples_and_the_end_of_its_log(filled):
    made = whole(runs.view(filled, "R-1"))
    assert "change, round 8:" in made
    assert "the last 32.8 kB of 70.0 kB" in words(made)
    assert 'href="/api/runs/R-1/files/log"' in made


def test_the_source_shows_what_the_change_changes(filled):
    made = words(source_of(filled, "E-1"))
    assert "-echo old +echo wide" in made


def test_side_by_side_needs_two(filled):
    assert "Pick two or more" in compared(sides.sides(filled, ["E-1"]), "USD")
    said = words(compared(sides.sides(filled, ["E-1", "E-3"]), "USD"))
    assert "1.30x" in said
    assert "cold against old" in said


def test_whatever_people_typed_is_text(filled):
    assert harmless(listed(filled))
    assert harmless(listed(filled, search=HOSTILE, pick=HOSTILE, tag=HOSTILE))
    assert harmless(shown(filled, "E-2"))
    assert harmless(source_of(filled, "E-2"))
    assert harmless(whole(runs.view(filled, "R-4")))
    assert harmless(compared(sides.sides(filled, ["E-1", "E-2"]), "USD"))


@pytest.fixture(scope="module")
def book_served(served):
    fill(served.desk)
    return served


def names(page):
    return page.locator(".experiments tbody td:nth-child(2)").all_inner_texts()


@pytest.mark.browser
def test_searching_and_sorting_need_no_new_page(book_served, page):
    page.goto("/experiments")
    page.evaluate("window.same = true")
    assert names(page) == ["E-3", "E-2", "E-1"]
    page.get_by_label("sort by runs").click()
    page.wait_for_function("document.querySelector('tbody td:nth-child(2)').innerText == 'E-1'")
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("runs")
    page.locator("main").get_by_role("searchbox").fill("cold")
    page.wait_for_function("document.querySelectorAll('.experiments tbody tr').length == 1")
    assert names(page) == ["E-3"]
    assert page.url.endswith("/experiments?sort=-runs&search=cold")
    assert page.evaluate("window.same")
    page.go_back()
    page.wait_for_function("document.querySelectorAll('.experiments tbody tr').length == 3")
    assert page.locator("main").get_by_role("searchbox").input_value() == ""


@pytest.mark.browser
def test_what_is_typed_with_pauses_is_one_step_back(book_served, page):
    page.goto("/experiments")
    field = page.locator("main").get_by_role("searchbox")
    for typed in ("co", "cold"):
        field.fill(typed)
        page.wait_for_url(f"**/experiments?search={typed}")
    page.go_back()
    page.wait_for_function("document.querySelectorAll('.experiments tbody tr').length == 3")
    assert (page.url.endswith("/experiments"), field.input_value()) == (True, "")


@pytest.mark.browser
def test_two_that_are_picked_are_compared(book_served, page):
    page.goto("/experiments")
    for name in ("E-1", "E-3"):
        page.get_by_role("checkbox", name=f"compare {name}").click()
        page.get_by_role("checkbox", name=f"compare {name}", checked=True).wait_for()
    page.get_by_role("link", name="Compare 2").click()
    page.wait_for_url("**/experiments/compare?of=E-1%2CE-3")
    heads = page.locator(".sides thead a.ref")
    heads.first.wait_for()
    assert heads.all_inner_texts() == ["E-1", "E-3"]
    page.get_by_label("leave E-3 out").click()
    page.get_by_text("Pick two or more").wait_for()


@pytest.mark.browser
def test_boxes_ticked_in_one_breath_are_all_ticked(book_served, page):
    page.goto("/experiments")
    boxes = page.locator("a.pick")
    boxes.first.wait_for()
    boxes.evaluate_all("all => all.slice(0, 2).forEach(box => box.click())")
    page.get_by_role("link", name="Compare 2").wait_for()
    boxes.evaluate_all("all => all.slice(0, 2).forEach(box => box.click())")
    page.get_by_role("link", name="Compare 2").wait_for(state="detached")
    assert "pick" not in page.url


@pytest.mark.browser
def test_words_nobody_should_trust_do_nothing(book_served, page):
    for address in ("/experiments", "/experiments/E-2", "/runs/R-4"):
        page.goto(address)
        page.get_by_text("window.hit = 1").first.wait_for()
    page.goto("/experiments/E-2")
    page.locator("svg [data-tip]").first.hover()
    page.locator("#tip").wait_for()
    assert page.evaluate("window.hit") is None


@pytest.mark.browser
def test_a_rerun_is_queued_and_the_page_follows(book_served, page):
    page.goto("/experiments/E-1")
    page.get_by_role("button", name="Re-run").click()
    page.locator("h1 .chip", has_text="queued").wait_for()
    page.get_by_role("button", name="Pin").click()
    page.locator("h1 .chip", has_text="pinned").wait_for()
    assert book_served.book.experiments.get("E-1").pinned
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Cancel").first.click()
    page.locator("h1 .chip", has_text="cancelled").wait_for()


@pytest.mark.browser
def test_what_is_not_there_is_said(book_served, page):
    for address in ("/experiments/E-77", "/runs/R-77", "/experiments/compare?of=E-1,E-77"):
        assert page.goto(address).status == 404
        page.get_by_text("-77 in this book").wait_for()
    assert page.goto("/experiments/nonsense").status == 400


@pytest.mark.browser
def test_what_a_run_prints_is_followed_without_a_line_in_the_log(book_served, page):
    desk = book_served.desk
    made = desk.experiment(desk.claim("it prints"), change="prints")
    page.goto(f"/experiments/{made.name}")
    page.locator("h1 .chip", has_text="queued").wait_for()
    run = desk.start(made)
    page.locator("h1 .chip", has_text="running").wait_for()
    folder = book_served.book.folder / "runs" / run.name
    folder.mkdir(parents=True)
    (folder / run_folder.LOG).write_text("round 1 of many")
    page.get_by_text("round 1 of many").wait_for()
    page.goto(f"/runs/{run.name}")
    (folder / run_folder.LOG).write_text("round 2 of many")
    page.get_by_text("round 2 of many").wait_for()
