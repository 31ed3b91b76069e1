"""Reading: what its pages show, and adding, reading and noting in a browser."""

import re
import shutil
from datetime import UTC, date, datetime

import pytest

from warpbook.core.errors import BadInput
from warpbook.journal.journal import Journal
from warpbook.journal.reading import feeds, pulls, shelf
from warpbook.journal.reading.shelf import New
from warpbook.web import forms as shared
from warpbook.web.api import feeds as feeds_api
from warpbook.web.api import reading as api
from warpbook.web.reading import beside, forms, item, listing, words

NOW = datetime(2026, 1, 10, 9, 0, tzinfo=UTC)
TODAY = NOW.date()
BAD = '"><script>hit=1</script><img src=x onerror=hit=1>'


@pytest.fixture
def journal(new_book, tmp_path):
    shutil.copytree(new_book, tmp_path / "book")
    with Journal.open(tmp_path / "book", lambda: NOW) as opened:
        yield opened


def listed(journal, **query):
    return listing.look(journal, listing.wanted(query), int(query.get("page", 1)))


def test_fields_are_those_of_the_api():
    def sent(markup):
        return set(re.findall(r'<(?:input|select|textarea) name="(\w+)"', markup))

    made = shelf.Item("abcd1234", "a title")
    assert sent(forms.new_item()) <= api.NewItem.model_fields.keys()
    assert sent(forms.new_feed()) <= feeds_api.NewFeed.model_fields.keys()
    assert sent(forms.facts(made)) <= api.Facts.model_fields.keys()
    assert sent(item.acts(made)) == {"topic"}
    assert shared.offered("topics", [BAD]).count("<script") == 0


def test_the_list_filters_counts_and_pages(journal):
    shelf.add_all(
        journal,
        [New(f"Post {n}", f"https://x.org/{n}", f"t{n % 3}", tier=1 + n % 5) for n in range(120)],
    )
    found = listed(journal, page=2)
    made = listing.listing(found, {"page": "2"})
    assert (len(found.items), found.total, found.states) == (50, 120, {"queued": 120})
    assert "51–100 of 120" in made
    assert 'href="?topic=t1"' in made
    assert listed(journal, topic="t1", tier="1").total == 8
    assert listed(journal, search="Post 77").total == 1
    assert listed(journal, state="done").total == 0
    for odd in ({"tier": "9"}, {"state": "lost"}, {"kind": "x"}):
        with pytest.raises(BadInput):
            listed(journal, **odd)


def test_a_row_says_how_far_how_old_and_where(journal):
    one = shelf.add(
        journal,
        New(
            "Banks",
            "https://www.x.org/a",
            "memory",
            state="reading",
            added="2026-01-02",
            up_to="page 4",
        ),
    )
    made = listing.listing(listed(journal), {})
    assert f'href="/reading/{one.id}"' in made
    assert "up to page 4" in made
    assert '<span data-tip="2026-01-02" tabindex="0">8 d</span>' in made
    assert 'href="https://www.x.org/a"' in made
    assert f"/api/reading/{one.id}/done" in made


def test_ages_are_short():
    assert [words.span(days) for days in (0, 1, 13, 20, 100, 800)] == [
        "today", "1 d", "13 d", "2 w", "3 mo", "2 y",
    ]  # fmt: skip


def test_an_address_that_leads_nowhere_is_no_link(journal):
    cut = shelf.add(journal, New("Cut", "https://x.org/very…", "t"))
    script = shelf.add(journal, New("Bad", "javascript:hit=1", "t"))
    assert "<a" not in words.site(cut)
    assert "cut short" in words.site(cut)
    assert "<a" not in words.site(script)


def test_a_list_of_feeds_that_cannot_be_read_is_told_beside_the_rest(journal):
    shelf.add(journal, New("First", "https://x.org/1", "t"))
    journal.path(feeds.FEEDS).write_text("[[feed]\n")
    made = beside.beside(beside.look(journal))
    assert "feeds.toml:1: not TOML" in made
    assert "First" in made


def test_beside_the_list(journal):
    shelf.add(journal, New("First", "https://x.org/1", "t", tier=1, notes="Q: Why?\n"))
    shelf.add_all(
        journal,
        [
            New(f"News {n}", f"https://n.org/{n}", "inbox", feed="https://n.org/rss")
            for n in range(13)
        ],
    )
    feeds.add(journal, "https://n.org/rss", "gpu", "News", unchecked=True)
    feeds.add(journal, "https://down.org/rss", title=BAD, unchecked=True)
    pulls.record(
        journal, [feeds.Pulled(feeds.Feed("https://down.org/rss"), failed=f"no answer {BAD}")]
    )
    path = journal.path("reading", "t.md")
    path.write_text(path.read_text() + "\n## First, again\n- address: http://x.org/1/\n")
    journal.index.refresh()
    made = beside.beside(beside.look(journal))
    assert "tier 1, queued since" in made
    assert made.count('class="row keep"') == 10
    assert "3 more" in made
    assert 'placeholder="gpu"' in made
    assert "no answer" in made
    assert "pulled not yet" in made
    assert "Why?" in made
    assert "There twice" in made
    assert "<script" not in made
    assert "<img" not in made


def test_an_item_shows_its_notes_and_what_speaks_of_it(journal):
    notes = f"**Good** {BAD}\n\n```python\nx = 1\n```\n\nQ: Why 33?\nA: Banks.\n\nQ: {BAD}?\n"
    one = shelf.add(journal, New(f"Banks {BAD}", "https://x.org/a", "memory", notes=notes))
    day = journal.path("journal", "2026-01-03.md")
    day.parent.mkdir()
    day.write_text(f"see reading:{one.id}\n")
    journal.index.refresh()
    made = item.view(item.look(journal, one.id))
    assert "<strong>Good</strong>" in made
    assert '<span class="tn">1</span>' in made
    assert 'href="/journal/2026-01-03"' in made
    assert "Why 33?</a>" in made
    assert "<script" not in made
    assert "<img" not in made


def test_what_can_be_done_follows_from_the_state():
    def verbs(state):
        made = item.acts(shelf.Item("abcd1234", "x", state=state))
        return re.findall(r"abcd1234/(\w+)", made)

    assert verbs("queued") == ["start", "done", "revisit", "drop", "move"]
    assert verbs("reading") == ["done", "revisit", "drop", "move"]
    assert verbs("inbox") == ["start", "done", "revisit", "drop", "keep"]


@pytest.mark.browser
def test_something_is_added_once_read_and_noted(page, served):
    page.goto("/reading")
    form = page.locator("dialog#new-reading")

    def add(address, title=""):
        page.locator('[data-open="new-reading"]').first.click()
        form.locator("[name=address]").fill(address)
        form.locator("[name=title]").fill(title)
        form.get_by_role("button", name="Add it").click()

    add("https://example.org/matmul", "Products")
    page.locator(".shelf").get_by_text("Products").wait_for()
    add("http://www.example.org/matmul/?utm_source=x")
    form.locator("[data-error]").get_by_text("there already").wait_for()
    form.get_by_role("link", name="show it").click()
    page.get_by_role("heading", name="Products").wait_for()
    page.get_by_role("button", name="Start").click()
    page.locator(".about-item .chip", has_text="reading").wait_for()
    page.locator("[name=up_to]").fill("section 2")
    page.get_by_role("button", name="Set").click()
    page.locator(".facts").get_by_text("section 2").wait_for()
    page.locator("#note").fill("It is **good**.")
    page.get_by_role("button", name="Note it").click()
    assert page.locator("#notes strong").inner_text() == "good"
    page.get_by_role("button", name="Done").click()
    page.locator(".about-item .chip", has_text="done").wait_for()
    with Journal.open(served.book.folder) as journal:
        journal.index.refresh()
        made = shelf.get(journal, "Products")
    assert (made.state, made.up_to, made.done) == ("done", "section 2", str(date.today()))
