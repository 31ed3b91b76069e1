"""Campaigns, hypotheses and findings: their parts from data, and the pages in a browser."""

import math
import re

import pytest
from book_desk import FAST, TIME, Desk

from warpbook.book.book import Book
from warpbook.book.browse import campaigns, findings, hypotheses, lessons
from warpbook.book.browse.campaigns import Best, Glance
from warpbook.book.browse.limits import Limit
from warpbook.book.why import why
from warpbook.core.effect import KERNEL_TIME
from warpbook.web.campaigns import glance
from warpbook.web.campaigns.claims import claims, learned
from warpbook.web.campaigns.walk import walk
from warpbook.web.pages import campaign as campaign_page
from warpbook.web.pages import campaigns as campaigns_page
from warpbook.web.pages import finding as finding_page
from warpbook.web.pages import findings as findings_page
from warpbook.web.pages import hypothesis as hypothesis_page
from warpbook.web.svg.bullet import Bullet, bullet

HOSTILE = '<img src=x onerror="alert(1)">\x1b[31m\u202e</title>' + "y" * 50_000
AT = "2026-01-04T10:00:00+00:00"


def words(markup):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup)).strip()


def a_glance(**more):
    best = Best("H-3", "c", "supported", "", KERNEL_TIME, math.log(2), 0.6, 0.8, 5)
    limit = Limit(math.log(4), 250.0, 1000.0, "memory", "R-9")
    usual = {
        "number": "C-2", "name": "rows", "goal": "", "state": "active", "author": "ana",
        "created_at": AT, "metric": None, "workload": "", "device": "",
        "goal_gain": math.log(3), "budget_s": None, "budget_money": None, "spent_s": 0.0,
        "spent_money": 0.0, "counts": {}, "waiting": {}, "findings": 0, "best": best,
        "limit": limit,
    }  # fmt: skip
    return Glance(**usual | more)


def test_progress_tells_the_best_the_goal_and_the_floor():
    said = words(glance.progress(a_glance()))
    assert "Best so far 2.00x 1.82x..2.23x in time_us by H-3 , 5 runs supported" in said
    assert "Goal 3.00x : another 1.50x to go" in said
    assert "Floor allows 4.00x : 250 us by memory against a baseline of 1.00 ms in R-9" in said
    assert "the best is at 50% of it" in said


def test_progress_says_when_the_goal_is_reached_or_there_is_nothing_yet():
    assert "Goal 1.50x : reached" in words(glance.progress(a_glance(goal_gain=math.log(1.5))))
    nothing = glance.progress(a_glance(best=None, limit=None))
    assert "No run has counted yet" in nothing
    empty = glance.progress(a_glance(best=None, limit=None, goal_gain=None))
    assert "no goal is set" in empty


def test_a_goal_in_another_metric_is_not_drawn_beside_the_best():
    assert "goal" not in glance.progress(a_glance(metric=TIME)).lower()


def test_a_budget_is_a_bar_and_what_has_none_says_so():
    some = words(str(dict(glance.spending(a_glance(budget_s=3600.0, spent_s=900.0), "USD"))))
    assert "15 min of 1 h" in some
    none = str(dict(glance.spending(a_glance(), "USD")))
    assert "no limit" in none


def test_a_bullet_tells_in_words_what_it_shows():
    made = bullet(Bullet(KERNEL_TIME, math.log(2), 0.6, 0.8, math.log(3), math.log(4)))
    assert 'aria-label="best so far 2.00x, goal 3.00x, the floor allows 4.00x"' in made
    for name in ("baseline 1.00x", "goal 3.00x", "floor 4.00x"):
        assert f">{name}</text>" in made


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A book in which every text is hostile."""
    book = Book.create(tmp_path_factory.mktemp("hostile") / "book", author="ana")
    desk = Desk(book)
    book.campaigns.add("<script>a/b</script>", goal=HOSTILE)
    claim = desk.claim(HOSTILE, because=HOSTILE, tags=[HOSTILE], campaign="C-2")
    experiment = desk.experiment(claim, change=HOSTILE, title=HOSTILE)
    desk.results(experiment, *[FAST] * 4)
    book.findings.add(HOSTILE, [("supports", claim.name)], tags=[HOSTILE])
    book.log.note(HOSTILE, claim.name)
    desk.result(experiment, environment={"device": HOSTILE})
    yield book
    book.close()


def parts(book):
    """Every page, as markup."""
    everywhere = campaigns.listing(book, campaigns.Wanted())
    lines = hypotheses.listing(book, hypotheses.Wanted("C-2"))
    one = campaigns.glance(book, "C-2")
    told = lessons.lessons(book, "C-2")
    finding = findings.detail(book, "F-1")
    return {
        "campaigns": campaigns_page.listing(everywhere, {"search": HOSTILE[:99]}, HOSTILE[:9]),
        "campaign": campaign_page.overview(one, told, "USD"),
        "hypotheses": campaign_page.listing(lines, hypotheses.Wanted(), {"sort": HOSTILE[:99]}),
        "hypothesis": hypothesis_page.whole(hypothesis_page.gather(book, "H-1")),
        "findings": findings_page.listing(findings.listing(book, findings.Wanted()), {}),
        "finding": finding_page.whole(finding),
        "walk": walk(why(book, "F-1")),
        "lessons": learned(told, "/campaigns/C-2"),
        "claims": claims(lines.lines, {}, 1),
    }


def test_hostile_text_is_text_everywhere_and_clipped(hostile):
    for name, markup in parts(hostile).items():
        assert "<img" not in markup, name
        assert "<script" not in markup, name
        assert "</title" not in markup, name
        assert "\x1b" not in markup, name
        assert "\u202e" not in markup, name
        assert "yyy" in markup, name
        assert len(markup) < 60_000, name


@pytest.fixture(scope="module")
def filled(served):
    """One supported, one refuted, one open, in a campaign of their own."""
    book, desk = served.book, served.desk
    book.campaigns.add("faster rows", goal="half the time", metric=TIME, goal_gain=math.log(2))
    for name, gain in (("good", FAST), ("bad", -FAST)):
        claim = desk.claim(f"{name} idea", campaign="faster rows", because=f"**{name}**")
        desk.results(desk.experiment(claim, change=name), *[gain] * 4)
    desk.experiment(desk.claim("waiting idea", campaign="faster rows"), change="waiting")
    return served


@pytest.mark.browser
def test_a_campaign_from_its_card_to_its_claims(page, filled):
    page.goto("/campaigns")
    page.get_by_role("link", name="faster rows").click()
    page.get_by_role("heading", name="faster rows").wait_for()
    learned_ = page.locator("#learned")
    assert "good idea" in learned_.locator(".supported").inner_text()
    assert "bad idea" in learned_.locator(".refuted").inner_text()
    rows = page.locator("#hypotheses tbody tr")
    assert rows.count() == 1
    assert "waiting idea" in rows.inner_text()
    page.locator(".tabs").get_by_text("ruled out").click()
    page.wait_for_url("**?status=refuted")
    page.locator("#hypotheses").get_by_text("bad idea").wait_for()
    page.locator("#hypotheses input[type=search]").fill("nowhere")
    page.get_by_text("No hypothesis here has that").wait_for()
    assert "search=nowhere" in page.url


@pytest.mark.browser
def test_a_hypothesis_follows_its_runs(page, filled):
    (claim,) = filled.book.hypotheses.list(search="waiting idea")
    page.goto(f"/hypotheses/{claim.name}")
    page.get_by_text("Open: no run has counted yet.").wait_for()
    (experiment,) = filled.book.experiments.list(search="waiting")
    filled.desk.results(experiment, *[FAST] * 4)
    page.get_by_text("Supported: the evidence of 4 runs").wait_for()
    assert page.locator(".forest circle").count() == 4
    filled.book.hypotheses.withdraw(claim.name)
    page.locator("h1").get_by_text("withdrawn").wait_for()


@pytest.mark.browser
def test_a_campaign_is_archived_and_goes_on(page, filled):
    filled.book.campaigns.add("to put away")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto("/campaigns/to%20put%20away")
    page.get_by_role("button", name="Archive").click()
    page.locator("h1").get_by_text("archived").wait_for()
    assert filled.book.campaigns.get("to put away").state == "archived"
    page.goto("/campaigns")
    page.get_by_role("heading", name="faster rows").wait_for()
    assert page.get_by_text("to put away").count() == 0
    page.goto("/campaigns/C-3")
    page.get_by_role("button", name="Resume").click()
    page.locator("h1").get_by_text("active").wait_for()


@pytest.mark.browser
def test_what_is_not_there_is_told(page):
    for address in (
        "/campaigns/nowhere",
        "/hypotheses/H-99",
        "/hypotheses/%3Cscript%3E",
        "/findings/F-99",
        "/campaigns?sort=odd",
    ):
        page.goto(address)
        page.locator(".empty").get_by_text(re.compile("there is no|is no|no order")).wait_for()
