"""The journal's routes: days, plans, claims, the calendar and the search."""

import math
from datetime import date, timedelta
from hashlib import sha256

import pytest
from api_served import serving_api
from book_desk import Desk

from warpbook.book.book import Book
from warpbook.journal.texts import textfile

ON = "2026-01-04"
TOMORROW = str(date.today() + timedelta(days=2))


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api") / "book"
    book = Book.create(folder, author="ana")
    desk = Desk(book)
    desk.results(desk.tried("fewer copies")[1], *[math.log(1.3)] * 3)
    book.close()
    with serving_api(folder) as api:
        api.folder = folder
        yield api


@pytest.fixture
def api(served):
    """Without any day."""
    for file in served.folder.glob("journal/*.md"):
        file.unlink()
    return served


def file_of(api, on=ON):
    return api.folder / "journal" / f"{on}.md"


def test_a_day_is_added_to_and_read(api):
    added = api.post(f"/days/{ON}", {"text": "5x over PyTorch", "minutes": 30, "track": "gpu"})
    assert added.json() == {"date": ON, "path": f"journal/{ON}.md", "waits": False}
    found = api.get(f"/days/{ON}").json()
    assert found["text"] == file_of(api).read_text()
    assert found["sha256"] == sha256(file_of(api).read_bytes()).hexdigest()
    assert found["minutes"] == 30
    assert [one["text"] for one in found["counters"]] == ["Day 1 of gpu"]
    assert [one["state"] for one in found["claims"]] == ["unverified"]
    listed = api.get("/days", track="gpu").json()
    assert [one["title"] for one in listed["items"]] == ["5x over PyTorch"]
    assert api.get("/days", since="2026-01-05").json()["items"] == []


def test_a_file_is_written_back_only_where_nobody_else_wrote(api):
    api.post(f"/days/{ON}", {"text": "first"})
    found = api.get(f"/days/{ON}").json()
    sent = {"text": "mine\n", "sha256": found["sha256"]}
    assert api.post(f"/days/{ON}/replace", sent).status_code == 200
    refused = api.post(f"/days/{ON}/replace", sent | {"text": "older\n"})
    assert refused.status_code == 409
    assert refused.json()["error"] == "taken"
    assert file_of(api).read_text() == "mine\n"
    (kept,) = file_of(api).parent.glob("*.kept-*")
    assert kept.name in refused.json()["message"]
    assert kept.read_text() == "older\n"


def test_a_day_is_begun_and_may_be_empty(api):
    nothing = sha256(b"").hexdigest()
    begun = api.post(f"/days/{ON}/replace", {"text": "", "sha256": nothing})
    assert begun.status_code == 200
    assert file_of(api).read_bytes() == b""


def test_what_an_editor_has_open_waits(api):
    api.post(f"/days/{ON}", {"text": "first"})
    with textfile.held(file_of(api)):
        said = api.post(f"/days/{ON}", {"text": "meanwhile"}).json()
        assert said["waits"]
        assert "is added when the editor has closed" in said["message"]
        sent = {"text": "mine", "sha256": sha256(file_of(api).read_bytes()).hexdigest()}
        assert api.post(f"/days/{ON}/replace", sent).status_code == 409
    assert file_of(api).read_text() == "first\n"
    for file in api.folder.glob("journal/.waiting/*.md"):
        file.unlink()


def test_plans_are_made_and_settled(api):
    api.post("/plans", {"text": "try cp.async"})
    api.post("/plans", {"text": "read on"})
    found = api.get("/plans").json()["items"]
    assert [one["text"] for one in found] == ["try cp.async", "read on"]
    assert api.post("/plans/done", {"plan": found[0]["id"]}).status_code == 200
    assert api.post("/plans/drop", {"plan": "read on"}).status_code == 200
    assert file_of(api, date.today()).read_text() == "- [x] try cp.async\n- [-] read on\n"
    assert api.get("/plans").json()["items"] == []
    assert len(api.get("/plans", state="all", limit=1).json()["items"]) == 1
    assert api.post("/plans/done", {"plan": "nowhere"}).status_code == 404


def test_a_claim_is_linked_to_its_experiment(api):
    api.post(f"/days/{ON}", {"text": "It was 1.3x faster."})
    (claim,) = api.get("/claims", state="unverified").json()["items"]
    linked = api.post(f"/claims/{claim['claim']}/link", {"to": "E-1"}).json()
    assert linked["state"] == "linked"
    assert linked["figure"]["text"].startswith("1.30x")
    assert file_of(api).read_text() == "It was 1.3x faster. (run:E-1)\n"
    assert api.post(f"/claims/{claim['claim']}/link", {"to": "E-99"}).status_code == 404


def test_a_year_a_week_a_draft_and_the_search(api):
    api.post(f"/days/{ON}", {"text": "a bank conflict", "minutes": 30})
    cells = {one["date"]: one for one in api.get("/calendar", year=2026).json()["days"]}
    assert cells[ON]["minutes"] == 30
    assert not cells["2026-01-05"]["logged"]
    summed = api.get("/summary", kind="month", date=ON).json()
    assert (summed["minutes"], summed["days"]) == (30, [ON])
    assert "run:E-1" in api.get("/days/today/draft").json()["text"]
    hits = api.get("/find", text="bank", kind="day").json()["hits"]
    assert [(hit["kind"], hit["key"]) for hit in hits] == [("day", ON)]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"/days/{TOMORROW}", {"text": "x"}, 400),
        (f"/days/{TOMORROW}/replace", {"text": "x", "sha256": "0" * 64}, 400),
        ("/days/2026-02-30", {"text": "x"}, 400),
        ("/days/2026-1-1", {"text": "x"}, 422),
        (f"/days/{ON}", {"text": " \n "}, 400),
        (f"/days/{ON}", {"text": "x", "minutes": 1441}, 422),
        (f"/days/{ON}", {"text": "a\x00b"}, 422),
        (f"/days/{ON}/replace", {"text": "x"}, 422),
        (f"/days/{ON}/replace", {"text": "x", "sha256": "abc"}, 422),
        ("/plans", {"text": "two\nlines"}, 422),
        ("/plans", {"text": "  "}, 400),
        ("/claims/2026-01-04.9/link", {"to": "E-1"}, 404),
        ("/claims/nothing/link", {"to": "E-1"}, 422),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is_there(api, path, body, status):
    assert api.post(path, body).status_code == status
    assert [*api.folder.glob("journal/*.md")] == []


def test_half_a_character_is_refused(api):
    sent = b'{"text": "a\\ud800b"}'
    kind = {"content-type": "application/json"}
    assert api.client.post(f"/api/days/{ON}", content=sent, headers=kind).status_code == 422
    assert not file_of(api).exists()


def test_a_track_may_have_any_name(api):
    for name in ("a: b # c", "[x", "'\"", "null", "12", "- x", "<b>&"):
        assert api.post(f"/days/{ON}", {"text": "x", "track": name}).status_code == 200
    found = api.get(f"/days/{ON}").json()
    assert found["problems"] == []
    assert found["tracks"] == ["a: b # c", "[x", "'\"", "null", "12", "- x", "<b>&"]


def test_a_day_that_is_not_there_or_cannot_be_read_is_told(api):
    assert api.get(f"/days/{ON}").status_code == 404
    file_of(api).parent.mkdir(exist_ok=True)
    file_of(api).write_bytes(b"fine\n\xff\xfe\n")
    refused = api.get(f"/days/{ON}")
    assert refused.status_code == 400
    assert f"{file_of(api)}:2:" in refused.json()["message"]
