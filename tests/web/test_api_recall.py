"""The API of reading, feeds, cards, the quiz and courses."""

import sys
import threading
import time
from pathlib import Path

import pytest
from api_served import serving_api

from warpbook.book.book import Book

sys.path.append(str(Path(__file__).parents[1] / "journal"))
CARDS = "".join(f"Q: question {n}?\nA: answer {n}\n<!-- card:card000{n} -->\n\n" for n in range(2))
CLOZE = "A {{c1::warp}} has {{c2::32 :: how many}} threads.\n<!-- card:cloze000 -->\n"
PROPOSED = (
    'Q: What is a bank?\nA: A part of shared memory.\n<!-- proposed:prop0001 {"topic": "gpu"} -->\n'
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api") / "book"
    Book.create(folder, author="ana").close()
    with serving_api(folder) as api:
        api.folder = folder
        yield api


@pytest.fixture
def api(served):
    """With two cards and a cloze, one card proposed, and nothing to read."""
    for file in [*served.folder.glob("cards/*"), *served.folder.glob("reading/*")]:
        file.unlink()
    (served.folder / "cards").mkdir(exist_ok=True)
    (served.folder / "reading").mkdir(exist_ok=True)
    (served.folder / "cards" / "gpu.md").write_text(CARDS + CLOZE)
    (served.folder / "cards" / "proposed.md").write_text(PROPOSED)
    return served


@pytest.fixture
def feed_server():
    from feed_server import FeedServer

    server = FeedServer()
    yield server
    server.close()


def test_a_card_is_asked_reviewed_and_taken_back(api):
    first = api.get("/quiz/next", topic="gpu").json()
    card = first["card"]
    assert set(card["intervals"]) == {"1", "2", "3", "4"}
    assert first["left"] == 4
    body = {"rating": 3, "reviews": card["reviews"], "seconds": 4.5}
    done = api.post(f"/cards/{card['id']}/review", body).json()
    assert (done["reviews"], done["state"], done["interval"]) == (
        1, "learning", card["intervals"]["3"],
    )  # fmt: skip
    stale = api.post(f"/cards/{card['id']}/review", body)
    assert (stale.status_code, stale.json()["error"]) == (409, "taken")
    after = api.get("/quiz/next").json()
    assert after["card"]["id"] != card["id"]
    assert after["sitting"] | {"last": ""} == {
        "reviews": 1, "cards": 1, "ratings": {"3": 1}, "seconds": 4.5, "missed": [], "last": "",
    }  # fmt: skip
    undone = api.post("/quiz/undo", {"of": done["act"]}).json()
    assert (undone["act"], undone["card"]["reviews"]) == ("review", 0)
    assert api.post("/quiz/undo", {"of": done["act"]}).status_code == 404, "once"
    assert api.get("/quiz/next").json()["card"]["id"] == card["id"]


def test_the_quiz_counts_by_topic(api):
    api.post("/cards/card0000/review", {"rating": 1, "reviews": 0})
    quiz = api.get("/quiz").json()
    (gpu,) = quiz["topics"]
    assert (gpu["name"], gpu["cards"], gpu["new"], gpu["learning"]) == ("gpu", 4, 3, 1)
    assert (quiz["proposals"], quiz["sitting"]["missed"]) == (1, ["card0000"])


def test_cards_are_flagged_and_rest_and_are_listed_so(api):
    assert api.post("/cards/card0000/flag").json()["flagged"]
    assert api.post("/cards/cloze000.1/suspend").json()["suspended"]
    listed = api.get("/cards", state="flagged").json()
    assert [card["id"] for card in listed["items"]] == ["card0000"]
    assert not api.post("/cards/card0000/unflag").json()["flagged"]
    assert not api.post("/cards/cloze000.1/unsuspend").json()["suspended"]
    assert api.get("/cards", state="suspended").json()["items"] == []
    page = api.get("/cards", limit=3).json()
    assert (len(page["items"]), page["next_offset"]) == (3, 3)
    assert [card["id"] for card in api.get("/cards", search="answer 1").json()["items"]] == [
        "card0001"
    ]


def test_a_card_is_written_and_the_same_one_is_not(api):
    made = api.post(
        "/cards", {"question": "What is a lane?", "answer": "One thread.", "topic": "gpu"}
    )
    assert made.status_code == 201
    assert api.get(f"/cards/{made.json()['id']}").json()["answer"] == "One thread."
    again = api.post("/cards", {"question": "what is a  lane?", "answer": "x", "topic": "gpu"})
    assert again.status_code == 409
    assert api.post("/cards", {"question": "no answer"}).status_code == 400
    assert api.post("/cards/nosuch/review", {"rating": 1, "reviews": 0}).status_code == 404


def test_proposals_are_approved_and_rejected(api):
    (one,) = api.get("/proposals").json()["items"]
    assert (one["id"], one["topic"]) == ("prop0001", "gpu")
    assert api.post("/proposals/prop0001/reject").json()["state"] == "rejected"
    assert api.get("/proposals").json()["items"] == []
    card = api.post("/proposals/prop0001/approve", {"topic": "memory"}).json()
    assert (card["id"], card["path"]) == ("prop0001", "cards/memory.md")
    assert api.get("/proposals", rejected=True).json()["items"] == []


def test_a_step_of_a_course_joins_the_deck(api):
    course = next(one for one in api.get("/courses").json() if one["problem"] == "softmax")
    assert (course["presented"], course["next"]) == (0, 1)
    made = api.post("/courses/softmax/steps/1/presented").json()
    assert (made["presented"], made["all_steps"][0]["presented"]) == (1, True)
    ids = {card["id"] for card in made["all_steps"][0]["cards"]}
    assert {card["id"] for card in api.get("/cards", topic="softmax").json()["items"]} == ids
    assert api.post("/courses/softmax/steps/99/presented").status_code == 404
    assert api.get("/courses/nosuch").status_code == 404


def test_an_item_from_its_adding_to_its_end(api):
    made = api.post(
        "/reading", {"address": "https://example.org/matmul", "topic": "memory", "tier": 1}
    )
    assert made.status_code == 201
    item = made.json()
    at = f"/reading/{item['id']}"
    assert (item["state"], item["kind"], item["tier"]) == ("queued", "blog", 1)
    again = api.post("/reading", {"address": "http://www.example.org/matmul/?utm_source=x"})
    assert (again.status_code, again.json()["address"]) == (409, at)
    assert api.get("/reading/next").json()[0]["why"].startswith("tier 1")
    assert api.post(f"{at}/start", {"up_to": "section 2"}).json()["up_to"] == "section 2"
    api.post(f"{at}/note", {"text": "good on **tiling**"})
    api.post(f"{at}/question", {"text": "Why 33?"})
    assert api.get(at).json()["questions"] == ["Why 33?"]
    api.post(f"{at}/question", {"text": "Why 33?", "answer": "Banks."})
    found = api.post(f"{at}/done").json()
    assert (found["state"], found["up_to"], found["questions"]) == ("done", "section 2", [])
    assert [card["question"] for card in found["cards"]] == ["Why 33?"]
    assert "good on **tiling**" in found["notes"]
    assert api.post(f"{at}/up_to", {"up_to": ""}).json()["up_to"] == ""
    assert api.post(f"{at}/revisit", {"on": "2030-02-30"}).status_code == 400
    assert api.post(f"{at}/revisit", {"on": "2030-03-01"}).json()["revisit"] == "2030-03-01"
    assert api.post(f"{at}/move", {"topic": "gemm"}).json()["path"] == "reading/gemm.md"
    assert api.post(f"{at}/keep", {}).status_code == 400, "it is in no inbox"
    assert (
        api.post(f"{at}/set", {"title": "Products", "state": "revisit"}).json()["title"]
        == "Products"
    )
    assert api.post(f"{at}/drop").json()["state"] == "dropped"
    assert api.get("/reading").json()["items"] == []
    assert len(api.get("/reading", state="dropped", search="tiling").json()["items"]) == 1
    assert api.get("/reading/nosuch00").status_code == 404


def test_what_a_pull_brings_waits_in_the_inbox(api, feed_server):
    from feed_server import rss

    feed_server.pages["/rss"] = rss("one", "two")
    added = api.post("/feeds", {"url": f"{feed_server.address}/rss", "topic": "news"})
    assert (added.status_code, added.json()["items"]) == (201, 2)
    down = api.post("/feeds", {"url": f"{feed_server.address}/gone", "unchecked": True}).json()
    pulled = api.post("/feeds/pull").json()
    assert [item["title"] for item in pulled["added"]] == ["one", "two"]
    assert "2 new in the inbox; not all came from" in pulled["message"]
    first, second = api.get("/feeds").json()
    assert (first["new"], first["failed"], bool(second["failed"])) == (2, "", True)
    (one, two) = api.get("/reading", topic="inbox").json()["items"]
    assert api.post(f"/reading/{one['id']}/keep").json()["topic"] == "news"
    assert api.post(f"/reading/{two['id']}/keep", {"topic": "other"}).json()["topic"] == "other"
    assert api.post("/feeds/drop", {"feed": down["url"]}).json()["url"] == down["url"]
    assert len(api.get("/feeds").json()) == 1


def test_a_slow_feed_holds_nobody_up_and_is_pulled_once_at_a_time(api, feed_server):
    for number in range(5):  # more than the desk has threads
        url = f"{feed_server.address}{'/to/' * number}/slow"
        assert api.post("/feeds", {"url": url, "unchecked": True}).status_code == 201
    pulling = threading.Thread(target=lambda: api.post("/feeds/pull"), daemon=True)
    pulling.start()
    while not feed_server.asked:
        time.sleep(0.01)
    assert api.post("/feeds/pull").json()["error"] == "taken"
    assert api.get("/reading").status_code == 200
    assert pulling.is_alive(), "it waits for the feed still"
    feed_server.closing.set()
    pulling.join()


def test_answers_are_as_they_are_described(api):
    from pydantic import TypeAdapter

    from warpbook.web.api import card_shapes, reading_shapes
    from warpbook.web.api.shapes import Page

    item = api.post("/reading", {"title": "Banks", "notes": "Q: Why?\nA: So.\n"}).json()
    done = api.post("/cards/card0000/review", {"rating": 3, "reviews": 0}).json()
    api.post("/feeds", {"url": "https://x.example/rss", "unchecked": True})
    for shape, answer in (
        (card_shapes.Reviewed, done),
        (reading_shapes.ItemView, item),
        (Page[reading_shapes.Item], api.get("/reading").json()),
        (list[reading_shapes.NextItem], api.get("/reading/next").json()),
        (list[reading_shapes.Feed], api.get("/feeds").json()),
        (Page[card_shapes.Card], api.get("/cards").json()),
        (card_shapes.CardView, api.get("/cards/cloze000.2").json()),
        (card_shapes.Quiz, api.get("/quiz").json()),
        (card_shapes.Next, api.get("/quiz/next").json()),
        (Page[card_shapes.Proposal], api.get("/proposals").json()),
        (list[card_shapes.Course], api.get("/courses").json()),
        (card_shapes.CourseView, api.get("/courses/softmax").json()),
        (card_shapes.Undone, api.post("/quiz/undo").json()),
    ):
        TypeAdapter(shape).validate_python(answer, strict=True)
