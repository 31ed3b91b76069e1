"""The journal's pages: their parts from real files, and the pages in a browser."""

import math
import re
import shutil
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import pytest

from warpbook.book.book import Book
from warpbook.core.errors import BadInput
from warpbook.journal.days.calendar import calendar
from warpbook.journal.journal import Journal
from warpbook.web.journal import day, overview, plans, summaries
from warpbook.web.pages import day as day_page
from warpbook.web.pages import search as search_page
from warpbook.web.svg.year import year

NOW = datetime(2026, 1, 8, 9, 0, tzinfo=UTC)  # a Thursday
ON = date(2026, 1, 4)
HOSTILE = "\"'><script>hit=1</script><img src=x onerror=hit=1></textarea>\x1b[31m\u202e"
TEXT = """---
track: gpu
minutes: 90
kernels: [softmax]
---
# Day 22/365 (T - 10)

One pass: run:E-1, see kernel:softmax. It was 5x over PyTorch.
run:E-99 is lost.

- [ ] try cp.async
- [x] read the guide

Q: What is a warp?
A: 32 threads.
<!-- card:k3f9a2bc -->
"""


def words(markup):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup)).strip()


@pytest.fixture(scope="module")
def blank(tmp_path_factory):
    """A book with one experiment and its runs, to copy."""
    from book_desk import Desk

    folder = tmp_path_factory.mktemp("blank") / "book"
    with closing(Book.create(folder, author="ana")) as book:
        desk = Desk(book)
        _, experiment = desk.tried("fewer copies")
        desk.results(experiment, *[math.log(1.3)] * 3)
    return folder


@pytest.fixture
def journal(blank, tmp_path):
    shutil.copytree(blank, tmp_path / "book")
    with open(tmp_path / "book" / "warpbook.toml", "a") as file:
        file.write("[journal.tracks.gpu]\nof = 365\ntarget = 2026-01-20\n")
    with Journal.open(tmp_path / "book", lambda: NOW) as opened:
        yield opened


def write(journal, on, text):
    path = journal.path("journal", f"{on}.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    journal.index.refresh()


def test_a_day_has_its_counts_with_the_claimed_ones_beside(journal):
    write(journal, "2026-01-02", "---\ntrack: gpu\n---\n")
    write(journal, ON, TEXT)
    said = words(day.top(journal, ON))
    assert "Sunday 4 January 2026" in said
    assert "Day 2 of gpu, 2/365, T - 16 the text says Day 22/365, T - 10 90 minutes" in said


def test_a_days_text_has_live_figures_and_no_comments(journal):
    write(journal, ON, TEXT)
    made = day.left(journal, ON)
    assert re.search(r'<a class="cite" href="/experiments/E-1">run:E-1 <b>1\.30x', made)
    assert '<a class="cite" href="/kernels/softmax">kernel:softmax <b>' in made
    assert '<span class="cite unknown">run:E-99 <i>not in this book</i></span>' in made
    assert 'aria-label="open">☐</span> try cp.async' in made
    assert "Q: What is a warp?<br />\nA: 32 threads." in made
    assert "card:k3f9a2bc" not in made


def test_beside_the_text_are_plans_claims_cards_and_what_it_is_tied_to(journal):
    write(journal, ON, TEXT)
    made = day.right(journal, ON)
    said = words(made)
    assert "try cp.async Done Drop read the guide done" in said
    assert "5x over PyTorch linked One pass: run:E-1" in said  # its line cites a run
    assert "/api/claims/" not in made
    assert "What is a warp? Answer 32 threads." in said
    assert re.search("kernels softmax .* of the floor", said)


def test_a_claim_that_cites_nothing_can_be_linked(journal):
    write(journal, ON, "It was 5x over PyTorch, at 82% of cuBLAS.\n")
    made = day.right(journal, ON)
    assert made.count('data-post="/api/claims/2026-01-04.') == 2
    assert words(made).count("It was 5x over PyTorch, at") == 1
    assert "2 unverified" in words(made)


def test_the_row_of_a_claim_stays_its_own_when_another_is_put_above(journal):
    def rows():
        made = day.right(journal, ON)
        return re.findall(r'data-key="(claim-[^"]+)"><b>([^<]*)', made)

    write(journal, ON, "It was 5x over PyTorch.\n")
    (before,) = rows()
    write(journal, ON, "It ran at 82% of cuBLAS.\n\nIt was 5x over PyTorch.\n")
    assert rows()[1] == before
    write(journal, ON, "It was 5x over PyTorch.\n\nIt was 5x over PyTorch.\n")
    assert len({key for key, _ in rows()}) == 2


def test_a_date_without_a_file_offers_to_begin_it_with_what_is_planned(journal):
    write(journal, ON, "tomorrow: try cp.async\n")
    made = day.left(journal, date(2026, 1, 6))
    assert "Nothing is written of this day. It begins with what is planned: 1 open." in made
    nothing = sha256(b"").hexdigest()
    assert (
        f"&#34;text&#34;: &#34;- [ ] try cp.async\\n&#34;, &#34;sha256&#34;: &#34;{nothing}" in made
    )
    assert "Open from earlier try cp.async since 2026-01-04" in words(
        day.right(journal, date(2026, 1, 6))
    )


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2026-02-30", "there is no such day"),
        ("2026-01-09", "in the future"),
        ("yesterdays", "is no date"),
        ("2026-1", "is no date"),
    ],
)
def test_a_date_that_is_none_or_has_not_come_is_told(journal, written, said):
    with pytest.raises(BadInput, match=said):
        day_page.day_of(journal, written)


def test_front_matter_that_cannot_be_read_is_told_with_its_line(journal):
    write(journal, ON, "---\ntrack: [\n---\nwords\n")
    made = words(day.left(journal, ON))
    assert "To mend in the file journal/2026-01-04.md:" in made
    assert "words" in made


def test_a_year_has_a_link_for_each_day_and_its_gaps(journal):
    write(journal, ON, "---\nminutes: 30\n---\none\n")
    write(journal, "2026-01-06", "---\nminutes: 120\n---\none\n\ntwo\n")
    made = year(calendar(journal), journal.today(), ON)
    assert made.count("<a ") == 365
    assert made.count('tabindex="0"') == 2  # the region that scrolls, and today
    assert 'aria-label="Tuesday 2026-01-06: 120 minutes, 2 entries"' in made
    assert re.search(r'Monday 2026-01-05: nothing"[^/]*class="level0"', made)
    assert re.search(r'Saturday 2026-01-03: nothing"[^/]*class="before"', made)
    assert re.search(r'2026-01-04: 30 minutes, 1 entry"[^/]*class="level1"', made)


def test_the_overview_has_choices_streaks_and_gaps(journal):
    for on, track in ((4, "gpu"), (5, "gpu"), (7, "maths")):
        write(journal, date(2026, 1, on), f"---\ntrack: {track}\n---\n")
    made = overview.whole_year(journal, {"track": "gpu"})
    assert '<option value="gpu" selected>gpu</option>' in made
    assert '<option value="2026">2026</option>' in made
    assert re.search(r"gpu 2 – 2 1 \(2 days\) 2026-01-06 to 2026-01-07, 2 days", words(made))
    assert "maths 1 1 1 none" in words(overview.whole_year(journal, {}))


def test_a_year_that_is_none_is_the_last_twelve_months(journal):
    for asked in ("20x6", "99999", "0000", "-200"):
        assert "days from 2025-01-09 to 2026-01-08" in overview.whole_year(journal, {"year": asked})
    assert "days from 2025-01-01 to 2025-12-31" in overview.whole_year(journal, {"year": "2025"})


def test_week_and_month_lead_to_what_they_sum_up(journal):
    journal.now = lambda: datetime.now(UTC)  # the runs are of this moment
    write(journal, journal.today(), "---\nminutes: 45\n---\n")
    made = summaries.summaries(journal, {})
    assert '<a class="ref" href="/experiments/E-1">E-1</a> <b>1.30x' in made
    assert "minutes 45" in words(made)
    assert "3 valid" in words(made)
    assert "Best gains" not in summaries.summaries(
        journal, {"week": "2020-01-01", "month": "2020-01-01"}
    )


def test_the_latest_days_and_what_is_to_mend(journal):
    write(journal, ON, "# A good day\n")
    write(journal, "2026-01-09", "ahead\n")
    write(journal, "2026-13-01", "no date\n")
    assert "2026-01-04 Sun A good day journal" in words(overview.latest(journal, {}))
    assert "2026-01-09" not in overview.latest(journal, {})
    said = words(overview.problems(journal))
    assert "journal/2026-13-01.md:1:" in said
    assert "2026-01-09 is in the future" in said


def test_search_marks_what_it_found_and_leads_there(journal):
    write(journal, ON, "Words about a bank conflict.\n\n- [ ] bank on it\n\nQ: A bank?\n")
    cards = journal.path("cards", "memory.md")
    cards.parent.mkdir(exist_ok=True)
    cards.write_text("Q: What is a bank?\nA: A part.\n<!-- card:k3f9a2bd -->\n")
    journal.index.refresh()
    made = search_page.whole(journal, {"text": "bank"})
    assert "Words about a <mark>bank</mark> conflict." in made
    assert made.count('href="/journal/2026-01-04"') == 3
    assert 'href="/quiz/cards/k3f9a2bd"' in made
    assert made.count("<mark>") > search_page.whole(
        journal, {"text": "bank", "kind": "card"}
    ).count("<mark>")
    assert "fewer copies" in words(search_page.whole(journal, {"text": "copies"}))
    assert 'href="/experiments/E-1"' in search_page.whole(journal, {"text": "copies"})


@pytest.mark.parametrize("text", ["", "???", "nowhere to be found"])
def test_a_search_without_an_answer_says_so(journal, text):
    assert "<mark>" not in search_page.whole(journal, {"text": text})
    assert 'class="empty"' in search_page.whole(journal, {"text": text})


def test_hostile_text_is_text_everywhere(journal):
    text = (
        f"---\ntrack: '{HOSTILE[1:].replace(chr(27), '').replace(chr(39), '')}'\ncalled: <script>\n"
        f"kernels: ['<script>']\n---\n# {HOSTILE} Day 3\n\n- [ ] {HOSTILE}\n\n5x over {HOSTILE}\n\n"
        f"tomorrow: [x](javascript:hit=1) {HOSTILE}\n\nQ: {HOSTILE}\nA: {HOSTILE} <!-- x --><b>\n"
    )
    write(journal, ON, text)
    write(journal, "2026-13-01", HOSTILE)
    parts = [
        day.top(journal, ON), day.left(journal, ON), day.right(journal, ON),
        overview.whole_year(journal, {"track": HOSTILE, "year": HOSTILE, "week": HOSTILE}),
        overview.latest(journal, {"track": "", "page": HOSTILE}), overview.problems(journal),
        plans.open_plans(journal), summaries.summaries(journal, {"week": HOSTILE}),
        search_page.whole(journal, {"text": f"script {HOSTILE}", "kind": HOSTILE}),
        search_page.whole(journal, {"text": "script"}),
    ]  # fmt: skip
    for made in parts:
        assert not re.search(r"<(script|img|/textarea|b>\n)", made)
        assert "javascript:" not in re.sub(r">[^<]*<", "><", made)
        assert "\x1b" not in made
        assert "\u202e" not in made
    assert "<mark>script</mark>" in parts[-1]


@pytest.fixture(scope="module")
def yesterday(served):
    """A day to write in, of yesterday: so that it is there at any hour."""
    on = date.today() - timedelta(days=1)
    folder = served.book.folder / "journal"
    folder.mkdir(exist_ok=True)
    (folder / f"{on}.md").write_text("# A good day\n\n- [ ] try cp.async\n")
    return folder / f"{on}.md"


@pytest.mark.browser
def test_a_day_is_read_written_and_follows_its_file(page, yesterday):
    page.goto("/journal")
    page.locator("#plans").get_by_text("try cp.async").wait_for()
    page.locator("#latest").get_by_role("link", name=yesterday.stem).click()
    page.locator("#text").get_by_text("A good day").wait_for()
    page.locator("#add textarea").fill("Two passes become one.")
    page.locator("#add").get_by_role("button", name="Add").click()
    page.locator("#text").get_by_text("Two passes become one.").wait_for()

    page.locator("#add textarea").fill("typed, not sent")
    with open(yesterday, "a") as file:
        file.write("\nA line by hand.\n")
    page.locator("#text").get_by_text("A line by hand.").wait_for()
    assert page.locator("#add textarea").input_value() == "typed, not sent"

    page.locator("#plans").get_by_role("button", name="Done").click()
    page.locator("#plans").get_by_text("settled later").wait_for()
    today = yesterday.with_name(f"{date.today()}.md")
    assert today.read_text() == "- [x] try cp.async\n"

    page.goto("/journal")
    page.locator("#plans").get_by_text("No plan is open.").wait_for()
    page.get_by_label("plan", exact=True).press_sequentially("half")
    today.write_text("- [x] try cp.async\n- [ ] by hand\n")
    page.locator("#plans").get_by_text("by hand").wait_for()
    page.keyboard.type(" a plan")
    assert page.get_by_label("plan", exact=True).input_value() == "half a plan"


@pytest.mark.browser
def test_a_file_that_changed_meanwhile_is_not_overwritten(page, yesterday):
    yesterday.write_text("first\n\n\u200d spaces stay  \n")
    page.goto(f"/journal/{yesterday.stem}")
    page.get_by_role("button", name="Edit the file").click()
    area = page.locator("dialog textarea")
    page.wait_for_function("document.querySelector('dialog textarea').value.startsWith('first')")
    area.press("Control+Home")
    area.press("End")
    area.type(" and second")
    yesterday.write_text("by hand\n")
    page.get_by_role("button", name="Write it").click()
    page.get_by_text("has changed since; what you wrote is kept as").wait_for()
    assert yesterday.read_text() == "by hand\n"
    assert area.input_value() == "first and second\n\n\u200d spaces stay  \n"
    (kept,) = yesterday.parent.glob("*.kept-*")
    assert kept.read_text() == area.input_value()
    kept.unlink()

    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Load what is there now").click()
    page.wait_for_function("document.querySelector('dialog textarea').value == 'by hand\\n'")
    area.fill("in the end\n")
    page.get_by_role("button", name="Write it").click()
    page.locator("#text").get_by_text("in the end").wait_for()
    assert yesterday.read_text() == "in the end\n"


@pytest.mark.browser
def test_search_by_its_key_and_the_year_by_arrows(page, served, yesterday):
    yesterday.with_name("2026-01-04.md").write_text("a bank conflict\n")
    page.goto("/journal")
    stop = page.locator(".year a[tabindex='0']")
    stop.focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('href')") == (
        f"/journal/{yesterday.stem}"
    )
    page.keyboard.press("/")
    page.keyboard.type("bank con/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?text=bank+con%2F")
    page.locator(".hits mark").first.wait_for()
    page.locator(".hits a").first.click()
    page.wait_for_url("**/journal/2026-01-04")
