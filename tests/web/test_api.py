"""The API: what it reads and changes, with the same checks as the command line."""

import json
import math
import os

import pytest
from api_served import serving_api
from book_desk import Desk

from warpbook.book.book import Book
from warpbook.core.run import RunStatus

PROBLEM = """
from warpbook.kernels.problem import Problem, Workload

problem = Problem(
    name="double",
    ladder=("plain",),
    workloads=(Workload("1000", (1000,), timed_on=("cpu",)),),
)
"""
RUNG = '"""{title}"""\nLANGUAGE = "torch"\n\n\ndef double(x, out=None):\n    return x + x\n'


class Setting:
    def __init__(self, book, api):
        self.book, self.api, self.desk = book, api, Desk(book)

    def events(self):
        return self.book.log.last()


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api") / "book"
    book = Book.create(folder, author="ana")
    with serving_api(folder) as api:
        yield Setting(book, api)
    book.close()


@pytest.fixture(scope="module")
def api(setting):
    return setting.api


@pytest.fixture(scope="module")
def decided(setting):
    """A claim that its runs support."""
    claim, experiment = setting.desk.tried("decided")
    setting.desk.results(experiment, *[math.log(1.3)] * 5)
    assert setting.book.hypotheses.get(claim.name).verdict == "supported"
    return claim, experiment


def test_the_book_says_which_it_is(setting, api):
    found = api.get("/book").json()
    assert found["folder"] == str(setting.book.folder)
    assert found["last_event"] == setting.events()


def test_a_claim_is_added_tried_and_withdrawn(setting, api):
    made = api.post("/hypotheses", {"claim": "wider is faster", "at_least": "5%", "tags": ["w"]})
    assert made.status_code == 201
    name = made.json()["name"]
    row = setting.book.hypotheses.get(name)
    assert (row.claim, row.tags) == ("wider is faster", ["w"])
    assert row.delta == pytest.approx(math.log(1.05))
    assert api.get(f"/hypotheses/{name}").json()["needs"].startswith("needs at least 3")
    gone = api.post(f"/hypotheses/{name}/withdraw").json()
    assert (gone["name"], gone["state"]) == (name, "withdrawn")


def test_a_command_is_tried_in_the_books_folder(setting, api):
    (setting.book.folder / "work.sh").write_text("echo 1")
    made = api.post(
        "/try",
        {
            "command": "sh work.sh",
            "baseline": "sh work.sh --slow",
            "metric": "time_s",
            "device": "none",
            "expect": "1.2x..1.6x",
        },
        author="agent",
    ).json()
    plan = setting.book.experiments.plan(made["name"])
    assert plan.cwd == str(setting.book.folder)
    assert [file.path for file in plan.change.files] == ["work.sh"]
    assert made["hypothesis"]["author"] == made["experiment"]["author"] == "agent"
    assert made["predictions"][0]["locked_at"]


def test_a_kernel_file_is_looked_for_in_the_books_folder(setting, api):
    folder = setting.book.folder
    (folder / "double" / "rungs").mkdir(parents=True)
    (folder / "double" / "problem.py").write_text(PROBLEM)
    (folder / "double" / "rungs" / "plain.py").write_text(RUNG.format(title="Plain"))
    (folder / "mine.py").write_text(RUNG.format(title="Mine"))
    given = {"change": "mine.py", "on": "double", "against": "plain", "device": "cpu"}
    made = api.post("/try", given | {"expect": "1.1x..1.3x"})
    assert made.status_code == 201, made.text
    plan = setting.book.experiments.plan(made.json()["name"])
    assert (plan.problem, plan.baseline.rung) == (str(folder / "double"), "plain")
    assert plan.change.text == RUNG.format(title="Mine")
    again = api.post("/try", given | {"expect": "1.1x..1.3x"})
    assert (again.status_code, again.json()["error"]) == (409, "taken")
    assert made.json()["name"] in again.json()["message"]
    lost = api.post("/try", given | {"expect": "1.1x..1.3x", "change": "gone.py"})
    assert lost.status_code == 400
    assert str(folder / "gone.py") in lost.json()["message"]


def test_an_experiment_is_moved_about(setting, api):
    _, experiment = setting.desk.tried("moved")
    name = experiment.name
    assert api.post(f"/experiments/{name}/pin").json()["pinned"] is True
    assert api.get("/queue").json()["places"][0]["experiment"]["name"] == name
    assert api.post(f"/experiments/{name}/unpin").json()["pinned"] is False
    assert api.post(f"/experiments/{name}/priority", {"priority": 7}).json()["priority"] == 7
    assert api.post(f"/experiments/{name}/more", {"runs": 2}).json()["runs_wanted"] == 5
    assert api.post(f"/experiments/{name}/cancel").json()["state"] == "cancelled"
    assert api.post(f"/experiments/{name}/queue").json()["state"] == "queued"
    noise = api.post(f"/experiments/{name}/noise", {"runs": 3}).json()
    assert noise["title"].startswith("A against A")
    assert api.post(f"/experiments/{name}/cancel").json()["name"] == name
    assert api.post(f"/experiments/{name}/rerun").json()["state"] == "queued"


def test_a_run_that_runs_is_stopped_and_another_is_not(setting, api):
    _, experiment = setting.desk.tried("running")
    run = setting.desk.start(experiment)
    assert [one["name"] for one in api.get("/now").json()["running"]] == [run.name]
    assert api.post(f"/runs/{run.name}/stop").json()["stop_asked"] is True
    setting.desk.record(run, setting.desk.receipt(run, status=RunStatus.FAILED, reason="no luck"))
    refused = api.post(f"/runs/{run.name}/stop")
    assert (refused.status_code, refused.json()["error"]) == (400, "bad_input")
    assert "is not running" in refused.json()["message"]


def test_the_queue_is_paused_and_an_author_held(setting, api):
    assert api.post("/queue/pause").json()["paused"] is True
    assert setting.book.queue.paused()
    assert api.post("/queue/resume").json()["paused"] is False
    assert api.post("/authors/bob/hold").json() == {"name": "bob", "held": True}
    assert setting.book.queue.held() == ["bob"]
    assert api.post("/authors/bob/unhold").json() == {"name": "bob", "held": False}


def test_campaigns_begin_change_and_end(setting, api):
    made = api.post("/campaigns", {"name": "a/b", "goal": "2x", "aim": "2x", "budget_s": 60})
    assert made.status_code == 201
    number = made.json()["number"]
    assert api.post("/campaigns", {"name": "a/b"}).status_code == 409
    budget = api.post(f"/campaigns/{number}/budget", {"budget_money": 5}).json()
    assert (budget["budget_s"], budget["budget_money"]) == (60, 5)
    lifted = api.post(f"/campaigns/{number}/budget", {"budget_s": None}).json()
    assert (lifted["budget_s"], lifted["budget_money"]) == (None, 5)
    assert api.post(f"/campaigns/{number}/budget").status_code == 400
    for verb, state in (("stop", "stopped"), ("resume", "active"), ("archive", "archived")):
        assert api.post(f"/campaigns/{number}/{verb}").json()["state"] == state
    assert api.post("/hypotheses", {"claim": "x", "campaign": number}).status_code == 400


def test_a_finding_is_recorded_only_where_the_runs_allow_it(setting, api, decided):
    claim, _ = decided
    made = api.post("/findings", {"statement": "it pays", "supports": [claim.name]})
    assert made.status_code == 201
    assert made.json()["links"][0]["to"] == claim.name
    against = api.post("/findings", {"statement": "it does not", "refutes": [claim.name]})
    assert against.status_code == 400
    name = made.json()["name"]
    assert api.post(f"/findings/{name}/withdraw").json()["state"] == "withdrawn"
    assert [one["name"] for one in api.get("/findings").json()["items"]] == [name]


def test_more_runs_and_fresh_ones_of_a_claim(setting, api, decided):
    claim, experiment = decided
    assert api.post(f"/hypotheses/{claim.name}/confirm").json()["name"] == experiment.name
    assert api.post(f"/hypotheses/{claim.name}/more", {"runs": 1}).json()["name"] == experiment.name


def test_notes_and_the_log(setting, api):
    last = setting.events()
    note = api.post("/notes", {"text": "<b>hm</b>", "subject": "H-1"}).json()
    assert (note["id"], note["text"], note["subject"]) == (last + 1, "<b>hm</b>", "H-1")
    assert api.get("/log", after=last).json() == [note]
    assert api.get("/log", limit=1).json() == [note]
    assert api.get("/log", kind="note", subject="h1").json()[-1] == note
    assert api.get("/changes", after=last).json()["lines"][0]["text"] == "<b>hm</b>"


def test_lists_have_pages(setting, api):
    for number in range(3):
        setting.desk.claim(f"page {number}")
    first = api.get("/hypotheses", search="page", limit=2).json()
    assert [one["claim"] for one in first["items"]] == ["page 2", "page 1"]
    rest = api.get("/hypotheses", search="page", limit=2, offset=first["next_offset"]).json()
    assert [one["claim"] for one in rest["items"]] == ["page 0"]
    assert rest["next_offset"] is None


def test_experiments_are_found_by_their_claims_and_sorted(setting, api):
    claim = setting.desk.claim("zebra stripes help", tags=["zoo"])
    made = [setting.desk.experiment(claim, change=f"zebra {n}", runs=n) for n in (2, 1)]
    names = [one.name for one in made]
    found = api.get("/experiments", search="zebra strip", sort="id", limit=1).json()
    assert [one["name"] for one in found["items"]] == names[:1]
    rest = api.get("/experiments", search="zebra strip", sort="id", limit=1, offset=1).json()
    assert [one["name"] for one in rest["items"]] == names[1:]
    assert rest["next_offset"] is None
    tagged = api.get("/experiments", tag="zoo", state="future", device="none").json()
    assert [one["name"] for one in tagged["items"]] == names[::-1]
    assert api.get("/experiments", search="zebra", state="past").json()["items"] == []
    assert api.get("/experiments", sort="uid").status_code == 422


def test_a_run_has_its_files_and_no_others(setting, api, decided):
    _, experiment = decided
    run = setting.book.experiments.runs(experiment.name)[0]
    folder = setting.book.folder / "runs" / run.name
    (folder / "log").write_bytes(b"<script>alert(1)</script>\n" + b"x" * 100 + b"\xff")
    (folder / "sources").mkdir()
    (folder / "sources" / "<b>.py").write_text("pass")
    (folder / "diff.patch").symlink_to("/etc/passwd")
    (folder / "sources" / "link").symlink_to(setting.book.folder / "book.db")
    listed = {one["name"] for one in api.get(f"/runs/{run.name}/files").json()}
    assert listed == {"log", "receipt.json", "sources/<b>.py"}
    log = api.get(f"/runs/{run.name}/files/log")
    assert log.headers["content-type"] == "text/plain; charset=utf-8"
    assert log.headers["x-content-type-options"] == "nosniff"
    assert log.headers["content-disposition"] == "attachment"
    assert log.content.startswith(b"<script>")
    tail = api.get(f"/runs/{run.name}/files/log", tail=2)
    assert (tail.content, tail.headers["warpbook-bytes"]) == (b"x\xff", "125-127/127")
    part = api.get(f"/runs/{run.name}/files/log", start=1, most=6)
    assert (part.content, part.headers["warpbook-bytes"]) == (b"script", "1-7/127")
    assert api.get(f"/runs/{run.name}/log", tail=2).json()["text"] == "x\N{REPLACEMENT CHARACTER}"
    assert api.get(f"/runs/{run.name}/files/sources/%3Cb%3E.py").text == "pass"
    assert api.get(f"/runs/{run.name}/receipt").json()["run"] == run.name
    gone = ("diff.patch", "sources/link", "alive", "sources", "plan.json", "book.db")
    for name in gone:
        assert api.get(f"/runs/{run.name}/files/{name}").status_code in (400, 404), name


def test_a_pipe_in_a_runs_folder_holds_nobody_up(setting, api, decided):
    _, experiment = decided
    run = setting.book.experiments.runs(experiment.name)[1]
    os.mkfifo(setting.book.folder / "runs" / run.name / "log")
    assert api.get(f"/runs/{run.name}/log").status_code == 400


UNKNOWN = [
    ("GET", "/hypotheses/H-999"), ("GET", "/experiments/E-999"), ("GET", "/runs/R-999"),
    ("GET", "/runs/R-999/log"), ("GET", "/runs/R-999/files/log"), ("GET", "/findings/F-999"),
    ("GET", "/campaigns/nowhere"), ("GET", "/measurements/M-9"), ("GET", "/nowhere"),
    ("GET", "/telemetry?device=nothing"), ("GET", "/experiments?campaign=nowhere"),
    ("POST", "/experiments/E-999/pin"), ("POST", "/hypotheses/H-999/withdraw"),
    ("POST", "/runs/R-999/stop"), ("POST", "/findings/F-999/withdraw"),
    ("POST", "/campaigns/nowhere/archive"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), UNKNOWN)
def test_what_is_not_there(setting, api, method, path):
    before = setting.events()
    answer = api.client.request(method, f"/api{path}", json={} if method == "POST" else None)
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert answer.json()["message"]
    assert setting.events() == before


BAD = [
    ("/notes", b"{"),
    ("/notes", b""),
    ("/notes", b"[]"),
    ("/notes", b"null"),
    ("/notes", b'{"text": ""}'),
    ("/notes", b'{"text": "\\ud800"}'),
    ("/notes", b'{"text": "a\\u0000b"}'),
    ("/notes", b'{"text": "\xff"}'),
    ("/notes", b'{"text": "x", "more": 1}'),
    ("/notes", b'{"text": "' + 30_000 * b"x" + b'"}'),
    ("/notes", b'{"text": "x", "subject": "../H-1"}'),
    ("/notes", 100_000 * b"["),
    ("/notes", b'{"text": 1' + 9000 * b"0" + b"}"),
    ("/hypotheses", b'{"claim": "x", "belief": NaN}'),
    ("/hypotheses", b'{"claim": "x", "belief": 1e999}'),
    ("/hypotheses", b'{"claim": "x", "belief": 1}'),
    ("/hypotheses", b'{"claim": "  "}'),
    ("/hypotheses", b'{"claim": "x", "at_least": "-3%"}'),
    ("/hypotheses", b'{"claim": "x", "metric": ":"}'),
    ("/hypotheses", b'{"claim": "x", "guards": ["accuracy"]}'),
    ("/hypotheses?author=", b'{"claim": "x"}'),
    ("/hypotheses?auther=a", b'{"claim": "x"}'),
    ("/campaigns", b'{"name": "C-9"}'),
    ("/campaigns", b'{"name": "x", "budget_s": Infinity}'),
    ("/campaigns", b'{"name": "x", "budget_s": 0}'),
    ("/findings", b'{"statement": "x"}'),
    ("/experiments/E-1/priority", b'{"priority": 1e30}'),
    ("/experiments/E-1/priority", b'{"priority": true}'),
    ("/experiments/E-1/more", b'{"runs": 0}'),
    ("/try", b'{"expect": "1.2x..1.6x"}'),
    ("/try", b'{"expect": "1.2x..1.6x", "change": "x", "on": "' + 300 * b"y" + b'"}'),
    ("/try", b'{"expect": "1.6x..1.2x", "change": "online", "on": "softmax"}'),
    ("/try", b'{"expect": "1.2x..1.6x", "command": "a\\u0000", "baseline": "b"}'),
    ("/try", b'{"expect": "1.2x..1.6x", "hypothesis": "H-1; DROP TABLE"}'),
]


@pytest.mark.parametrize(("path", "body"), BAD, ids=range(len(BAD)))
def test_bad_requests_are_told_and_change_nothing(setting, api, decided, path, body):
    before = setting.events()
    headers = {"content-type": "application/json"}
    answer = api.client.post(f"/api{path}", content=body, headers=headers)
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["error"] == "bad_input"
    assert 0 < len(answer.json()["message"]) < 1000
    assert setting.events() == before


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/api/notes", {"content-type": "text/plain"}, 415),
        ("POST", "/api/notes", {"origin": "http://evil.example"}, 403),
        ("POST", "/api/notes", {"host": "evil.example"}, 403),
        ("POST", "/api/notes", {"authorization": ""}, 401),
        ("PUT", "/api/notes", {}, 405),
        ("DELETE", "/api/experiments/E-1", {}, 405),
        ("OPTIONS", "/api/notes", {}, 405),
        ("POST", "/api/runs/R-1%2F..%2FR-2/stop", {}, 400),
        ("GET", "/api/runs/R-1/files/%2e%2e%2f%2e%2e%2fbook.db", {}, 400),
        ("GET", "/api/docs", {}, 404),
        ("GET", "/api/redoc", {}, 404),
        ("GET", "/api/", {}, 404),
        ("GET", "/api/book/", {}, 404),
    ],
)
def test_what_is_refused_has_the_same_document(setting, api, method, path, headers, status):
    before = setting.events()
    headers = {"content-type": "application/json"} | headers
    answer = api.client.request(method, path, headers=headers, content=b'{"text": "x"}')
    assert answer.status_code == status
    assert set(answer.json()) == {"error", "message"}
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert setting.events() == before


def test_a_body_over_a_mebibyte_is_refused(setting, api):
    before = setting.events()
    answer = api.post("/notes", {"text": (1 << 20) * "x"})
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    assert setting.events() == before


def test_a_link_lets_a_browser_in_once(setting, api):
    made = api.post("/links")
    assert made.status_code == 201
    link = made.json()["link"]
    assert link.startswith(f"{api.address}/enter?code=")
    assert made.headers["cache-control"] == "no-store"
    entered = []
    for _ in range(2):
        entered.append(api.client.get(link, headers={"authorization": ""}).status_code)
        api.client.cookies.clear()
    assert entered == [303, 403]


def test_the_openapi_names_every_route_and_loads_nothing(api):
    found = api.get("/openapi.json").json()
    assert found["servers"] == [{"url": "/api"}]
    operations = [one for path in found["paths"].values() for one in path.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    for one in operations:
        assert one["summary"]
        assert one["tags"]
        assert "HTTPValidationError" not in json.dumps(one)


def test_a_book_that_cannot_be_written_is_said_so(tmp_path):
    book = Book.create(tmp_path / "book", author="ana")
    book.close()
    with serving_api(tmp_path / "book") as api:
        # As when another process holds it for long: the file is gone from under the server.
        for name in ("book.db", "book.db-wal", "book.db-shm"):
            (tmp_path / "book" / name).unlink(missing_ok=True)
        answer = api.post("/notes", {"text": "x"})
    assert (answer.status_code, answer.json()["error"]) == (503, "missing")
