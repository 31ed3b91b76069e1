"""The quiz: what its pages show, and a whole one by keyboard in a browser."""

import shutil
from datetime import UTC, date, datetime, timedelta

import pytest

from warpbook.journal.cards import deck, proposals, recall, sitting
from warpbook.journal.cards.cards import Card
from warpbook.journal.cards.proposals import NewCard
from warpbook.journal.journal import Journal
from warpbook.journal.teaching import syllabus
from warpbook.web.quiz import asking, card, listing, overview
from warpbook.web.quiz import course as course_markup
from warpbook.web.svg.forecast import bars

NOW = datetime(2026, 1, 4, 9, 0, tzinfo=UTC)
BAD = "<script>hit=1</script>\x1b[31m"
CARDS = "".join(f"Q: question {n}?\nA: answer {n}\n<!-- card:card000{n} -->\n\n" for n in range(3))


@pytest.fixture
def journal(new_book, tmp_path):
    shutil.copytree(new_book, tmp_path / "book")
    with Journal.open(tmp_path / "book", lambda: NOW) as opened:
        (opened.folder / "cards").mkdir()
        yield opened


def write(journal, text, name="gpu"):
    journal.path("cards", f"{name}.md").write_text(text)
    journal.index.refresh()


def cloze(text, number):
    return Card(f"k.{number}", "", "", text=text)


def test_a_cloze_is_asked_with_a_blank_and_answered_in_its_place():
    text = "A {{c1::warp}} has `{{c2::32 :: how many}}` threads."
    first, second = cloze(text, 1), cloze(text, 2)
    assert 'A <b class="blank">…</b> has <code>32</code>' in card.question(first)
    assert 'A <b class="filled">warp</b> has' in card.answer(first)
    assert '<code><b class="blank">how many</b></code>' in card.question(second)
    call = cloze("`{{c1::__syncwarp()}}` waits.", 1)
    assert '<code><b class="filled">__syncwarp()</b></code>' in card.answer(call)


def test_what_a_cloze_hides_is_not_in_its_question():
    asked = card.question(cloze("The {{c1::secret **word** [x](http://y)}} is out.", 1))
    assert "secret" not in asked
    assert "word" not in asked
    assert "<strong>word</strong>" in card.answer(cloze("The {{c1::secret **word**}} is out.", 1))


def test_code_of_a_card_is_highlighted_and_hostile_text_is_text():
    made = card.answer(Card("k", "", f"```cuda\nint x; // {BAD}\n```\n"))
    assert '<span class="tk">int</span>' in made
    hostile = Card("k", BAD, BAD)
    both = (
        card.question(hostile)
        + card.answer(hostile)
        + card.question(cloze(f"{{{{c1::a :: {BAD}}}}}", 1))
    )
    assert "<script" not in both
    assert "\x1b" not in both


def test_every_rating_says_when_the_card_comes_again_and_names_its_reviews(journal):
    write(journal, CARDS)
    recall.review(journal, "card0001", 4, at=NOW - timedelta(days=30))
    sheet = sitting.sheet(journal)
    assert sheet.held.card.id == "card0001"
    made = asking.quiz(sheet, "", 0)
    for rating, span in sheet.previews.items():
        assert f"<span>{span}</span><kbd>{rating}</kbd>" in made
    assert made.count("&#34;reviews&#34;: 1") == 4
    assert made.index("question 1?") < made.index("<details") < made.index("answer 1")


def test_the_end_says_how_it_went(journal):
    write(journal, CARDS)
    for number, rating in enumerate((1, 3, 4)):
        recall.review(journal, f"card000{number}", rating, 20.0)
        recall.suspend(journal, f"card000{number}")
    made = asking.quiz(sitting.sheet(journal), "", 0)
    assert "3 reviews of 3 cards in 60 s; <b>67%</b> known" in made
    assert "worth another look" in made
    assert "question 0?" in made
    assert "data-card" not in made


def test_an_empty_deck_says_how_to_begin(journal):
    made = overview.overview(overview.look(journal))
    assert "warpbook card add" in made
    assert "/quiz/course/softmax" in made


def test_the_overview_counts_by_topic_and_shows_what_waits(journal):
    write(journal, CARDS)
    recall.flag(journal, "card0001")
    proposals.add_all(journal, [NewCard(f"Why {BAD}?", "Because.", "gpu", f"a day {BAD}")])
    made = overview.overview(overview.look(journal))
    assert '<span class="n-new">3</span>' in made
    assert 'href="/quiz/cards?topic=gpu&amp;state=flagged">1' in made
    (one,) = proposals.list_all(journal)
    assert f"/api/proposals/{one.id}/approve" in made
    assert "<script" not in made


def test_where_nothing_is_asked_the_pages_know_when_the_next_card_is_due(journal):
    write(journal, CARDS)
    for number in range(3):
        recall.review(journal, f"card000{number}", 4)
    due = min(recall.get(journal, f"card000{number}").due for number in range(3))
    for made in (
        overview.overview(overview.look(journal)),
        asking.quiz(sitting.sheet(journal), "", 0),
    ):
        assert f'data-due="{due.isoformat()}"' in made


def test_a_course_shows_the_next_step_and_takes_what_was_read(journal):
    place = syllabus.present(journal, "softmax", 1)
    made = course_markup.course(place, {})
    assert place.course.step(2).title in made
    assert "/api/courses/softmax/steps/2/presented" in made
    read = course_markup.course(place, {"step": "1"})
    assert "You have read this step" in read
    assert "steps/1/presented" not in read
    for odd in ("0", "99", "x", "1" * 50):
        assert place.course.step(2).title in course_markup.course(place, {"step": odd})


def test_cards_are_listed_by_state_and_page(journal):
    write(journal, "".join(f"Q: q {n}?\nA: a\n\n" for n in range(60)))
    recall.suspend(journal, deck.cards(journal, limit=1)[0].card.id)
    found = listing.look(journal, "", "", "", 2)
    assert (len(found.rows), found.total) == (10, 60)
    rests = listing.look(journal, "gpu", "suspended", "", 1)
    assert (len(rests.rows), rests.total) == (1, 1)
    assert listing.look(journal, "", "new", "", 1).total == 59
    assert listing.look(journal, "", "", "q 7", 1).total == 1
    assert "51–60 of 60" in listing.listing(found, {"page": "2"})


def test_one_card_shows_its_reviews_without_those_undone(journal):
    write(journal, CARDS)
    for rating in (1, 3, 4):
        recall.review(journal, "card0000", rating, 3.0)
    recall.undo(journal)
    made = listing.closely(listing.look_closely(journal, "card0000"))
    assert "easy</span>" not in made
    assert made.count('class="rated') == 2
    assert "cards/gpu.md:1" in made


def test_the_forecast_draws_a_bar_a_day():
    made = bars([3, 0, 7], date(2026, 1, 4))
    assert made.count("<rect") == 3
    assert "10 cards come back within 3 days, 3 of them today" in made


@pytest.mark.browser
def test_three_cards_by_keyboard(page, served, tabs):
    folder = served.book.folder
    (folder / "cards").mkdir(exist_ok=True)
    (folder / "cards" / "keys.md").write_text(CARDS)
    page.goto("/quiz")
    page.get_by_role("row", name="keys").get_by_role("link", name="Ask").click()
    shown = page.locator("[data-card]")
    first = shown.get_attribute("data-card")
    other = tabs()
    other.goto("/quiz/ask?topic=keys")
    other.locator(f'[data-card="{first}"]').wait_for()
    assert page.locator(".ratings").is_hidden()
    page.keyboard.press("3")
    page.keyboard.press("Space")
    page.locator(".answer").get_by_text("answer").wait_for()
    page.keyboard.press("1")
    page.locator(f'[data-card]:not([data-card="{first}"])').wait_for()
    other.locator(f'[data-card]:not([data-card="{first}"])').wait_for()
    second = shown.get_attribute("data-card")
    page.keyboard.press("f")
    page.locator(".asked .chip", has_text="flagged").wait_for()
    page.locator(".typed").fill("32 threads")
    page.keyboard.press("Enter")
    page.keyboard.press("4")
    page.locator(f'[data-card]:not([data-card="{second}"])').wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.locator(f'[data-card="{second}"]').wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    page.locator(f'[data-card]:not([data-card="{second}"])').wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.locator(f'[data-card="{first}"][data-reviews="1"]').wait_for()
    for _ in range(3):
        at = shown.get_attribute("data-key")
        page.keyboard.press("Escape")
        page.keyboard.press("Space")
        page.keyboard.press("4")
        page.wait_for_function(
            "(at) => document.querySelector('[data-card]')?.dataset.key !== at", arg=at
        )
        if page.locator(".over").count():
            break
    page.get_by_text("That was all for now").wait_for()
    with Journal.open(folder) as journal:
        journal.index.refresh()
        done = sitting.sitting(journal)
    assert [act.act for act in done.acts if act.act != "review"] == ["flag", "suspend"]
    assert done.missed == [first]
