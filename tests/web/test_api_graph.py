"""The graph as the API gives it: a view, never the whole book."""

import pytest
from api_served import serving_api
from book_desk import Desk
from many import many_claims

from warpbook.book.book import Book

MOST = 300


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api") / "book"
    book = Book.create(folder, author="ana")
    book.campaigns.add("elsewhere")
    many_claims(book, MOST + 20)
    Desk(book).claim("one alone", campaign="elsewhere")
    book.close()
    with serving_api(folder) as served:
        yield served


def test_a_campaign_of_any_size_is_300_nodes_and_groups_that_open(api):
    found = api.get("/graph", campaign="inbox").json()
    assert (found["centre"], found["campaign"]) == ("C-1", "inbox")
    assert len(found["nodes"]) <= MOST
    known = {node["id"] for node in found["nodes"]}
    assert all({edge["from"], edge["to"]} <= known for edge in found["edges"])
    (group,) = (node for node in found["nodes"] if node["kind"] == "group")
    shown = [node for node in found["nodes"] if node["kind"] == "hypothesis"]
    assert len(shown) + group["count"] == MOST + 20
    opened = api.get("/graph", campaign="inbox", open=group["id"]).json()
    assert opened["opened"]["total"] == MOST + 20
    assert api.get("/graph", campaign="inbox", open=group["id"], page=2).json() != opened


def test_a_node_has_what_is_around_it(api):
    found = api.get("/graph", node="H-321").json()
    assert (found["centre"], found["campaign"]) == ("H-321", "elsewhere")
    assert {node["id"] for node in found["nodes"]} == {"H-321", "C-2"}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"campaign": "nowhere"}, 404),
        ({"node": "H-999"}, 404),
        ({"node": "R-1"}, 400),
        ({"node": "../book.db"}, 400),
        ({"node": "rung:a/b"}, 400),
        ({"node": "H-1\n"}, 422),
        ({"open": "group:no:such:thing"}, 400),
        ({"page": 0}, 422),
    ],
)
def test_what_is_not_in_the_graph_is_said(api, query, status):
    answer = api.get("/graph", **query)
    assert answer.status_code == status, answer.text
    assert answer.json()["message"]
