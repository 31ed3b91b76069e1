"""The graph's picture and page from data, and what a browser does with it."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from book_desk import FAST, TIME
from many import many_experiments

from warpbook.book.browse.knowledge import EDGES, Edge, Node, Opened, View
from warpbook.book.browse.layout import arrange
from warpbook.book.browse.neighbourhood import Ask
from warpbook.web.pages.graph import address_of, ask_of, graph_page, page_address
from warpbook.web.svg.graph import graph, wrapped
from warpbook.web.svg.graph_edges import CARD_H, CARD_W, HEADS, Room, routes
from warpbook.web.svg.graph_words import EDGES as EDGE_WORDS
from warpbook.web.svg.graph_words import sentence, tip

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">\x1b[31m\u202e"\'</svg>'
GROUP = "group:experiment:done:H-3"
NODES = (
    Node("F-2", "finding", "Pairing rows does nothing.", "active", runs=3),
    Node("H-3", "hypothesis", "Two rows a program", "refuted", belief=0.02, tags=("rows",)),
    Node("E-5", "experiment", "paired against online", "done", runs=4),
    Node("rung:softmax/online", "rung", "softmax/online"),
    Node("rung:softmax/mine.py", "rung", "softmax/mine.py"),
    Node("problem:softmax", "problem", "softmax"),
    Node("problem:/home/ana/odd", "problem", "/home/ana/odd"),
    Node("C-2", "campaign", "rows & columns", "active"),
    Node(GROUP, "group", "41 more experiments of H-3, done", count=41, holds="experiment"),
)
TIES = (
    Edge("F-2", "refutes", "H-3"),
    Edge("E-5", "tests", "H-3"),
    Edge("E-5", "baseline", "rung:softmax/online"),
    Edge("E-5", "change", "rung:softmax/mine.py"),
    Edge("rung:softmax/online", "in", "problem:softmax"),
    Edge(GROUP, "tests", "H-3"),
    Edge("H-3", "in", "C-2"),
)


def seen(nodes=NODES, edges=TIES, **more):
    laid = View("C-2", nodes[-2], "rows & columns", tuple(nodes), tuple(edges), **more)
    return replace(laid, places=arrange(nodes, edges, {}))


class Tags(HTMLParser):
    """The tags of markup, with their attributes and the text in them."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(str(markup))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def having(self, name):
        return {attrs[name]: attrs for _, attrs in self.tags if name in attrs}


def test_every_node_is_a_link_that_says_what_it_is():
    found = Tags(graph(seen(), lambda node: page_address(node, Ask(campaign="rows & columns"))))
    links = {attrs["data-name"]: attrs for tag, attrs in found.tags if tag == "a"}
    assert {name: attrs["href"] for name, attrs in links.items()} == {
        "F-2": "/findings/F-2",
        "H-3": "/hypotheses/H-3",
        "E-5": "/experiments/E-5",
        "rung:softmax/online": "/kernels/softmax?rung=online#rung",
        "rung:softmax/mine.py": "/kernels/softmax",
        "problem:softmax": "/kernels/softmax",
        "problem:/home/ana/odd": "/graph?node=problem%3A%2Fhome%2Fana%2Fodd",
        "C-2": "/campaigns/C-2",
        GROUP: "?campaign=rows+%26+columns&open=group%3Aexperiment%3Adone%3AH-3",
    }
    assert links["H-3"]["aria-label"] == "hypothesis H-3, refuted: Two rows a program"
    assert "belief 2%" in links["H-3"]["data-tip"]
    assert "data-query" in links[GROUP]


def test_without_addresses_there_are_no_links():
    """As in a report."""
    found = Tags(graph(seen()))
    assert "a" not in {tag for tag, _ in found.tags}
    assert "Pairing rows does" in found.text


def test_every_edge_tells_its_sentence():
    told = Tags(graph(seen())).having("data-tip")
    assert {
        "F-2 refutes H-3",
        "E-5 has softmax/online as baseline",
        "E-5 has softmax/mine.py as change",
        "softmax/online is in softmax",
        "41 more experiments of H-3, done, test H-3",
    } <= told.keys()


def test_every_type_of_edge_has_an_end_and_words_of_its_own():
    assert set(HEADS) == set(EDGE_WORDS) == set(EDGES)
    looks = {(path, fill) for path, fill, _ in HEADS.values()}
    assert len(looks) == len(EDGES)


@pytest.mark.parametrize("kind", ["finding", "hypothesis", "experiment", "campaign"])
def test_hostile_words_are_text(kind):
    name = {"campaign": "C-2"}.get(kind, f"{kind[0].upper()}-1")
    nodes = (Node(name, kind, HOSTILE, "open", stale=HOSTILE, tags=(HOSTILE,)), *NODES[-2:])
    laid = seen(nodes, (Edge(name, "in", "C-2"),) if name != "C-2" else ())
    laid = replace(laid, tags=(HOSTILE,), campaign=HOSTILE)
    found = Tags(graph_page(laid, Ask(tag=HOSTILE, campaign=HOSTILE), [HOSTILE]))
    assert not {tag for tag, _ in found.tags} & {"script", "img"}
    assert not [attrs for _, attrs in found.tags if any(key.startswith("on") for key in attrs)]
    assert "\x1b" not in str(found.tags) + found.text
    assert "<script>alert(1)" in found.text


def test_a_huge_text_is_cut():
    nodes = (Node("H-1", "hypothesis", "y" * 10_000_000), *NODES[-2:])
    drawn = graph(seen(nodes, ()), lambda node: "/")
    assert "y…" in Tags(drawn).text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("one two three four", ["one two", "three four"]),
        ("one two three four five", ["one two", "three fou…"]),
        ("x" * 30, ["x" * 10, "x" * 9 + "…"]),
        ("宽" * 9, ["宽" * 5, "宽" * 4]),
        (" a\n\tb ", ["a b"]),
        ("", []),
    ],
)
def test_a_text_is_broken_between_words(text, lines):
    assert wrapped(text, 10) == lines


def test_edges_end_at_the_cards_and_labels_do_not_cover_them():
    laid = seen()
    curves = routes(laid.edges, laid.places)
    room = Room(laid.places.values())
    taken = set(room.taken)
    for edge, curve in curves.items():
        end, place = curve.points[3], laid.places[edge.end]
        assert abs(end.x - place.x) <= CARD_W / 2 + 14
        assert abs(end.y - place.y) <= CARD_H / 2 + 14
        at, free = room.label(curve, edge.type)
        if free:
            assert not room.boxes(at, 6 * len(edge.type) - 8, 8) & taken


def test_the_page_says_which_part_of_a_group_is_open():
    opened = Opened(NODES[-1].id, "experiments of H-3, done", 2, 81, 160, 420)
    page = graph_page(seen(opened=opened), Ask(open=NODES[-1].id, page=2), ["rows & columns"])
    assert "81 to 160 of 420" in page
    tags = Tags(page)
    hrefs = tags.having("href")
    (group,) = [attrs for _, attrs in tags.tags if attrs.get("data-name") == GROUP]
    assert group["href"].endswith("page=3"), "what is left of it turns the page"
    assert "?open=group%3Aexperiment%3Adone%3AH-3&page=3" in hrefs
    assert "?open=group%3Aexperiment%3Adone%3AH-3&page=1" in hrefs


def test_the_list_has_every_node_and_its_ties():
    page = graph_page(seen(), Ask(), ["rows & columns"])
    listed = page[page.index('id="kg-list"') :]
    assert "Kernels (2)" in listed
    assert "E-5 has softmax/online as baseline; E-5 has softmax/mine.py as change" in listed
    assert 'href="?node=H-3"' in listed


def test_the_legend_explains_what_is_there():
    page = graph_page(seen(), Ask(), [])
    assert EDGE_WORDS["refutes"] in page
    assert EDGE_WORDS["supersedes"] not in page


def test_nothing_to_show_says_what_to_do():
    alone = seen((NODES[-2],) * 2, ())
    alone = replace(alone, nodes=(NODES[-2],))
    assert "warpbook try" in graph_page(alone, Ask(), [])
    assert "Show all" in graph_page(alone, Ask(tag="x"), [])


def test_an_address_is_asked_and_made():
    ask = ask_of({"node": " H-3 ", "tag": "x" * 9999, "odd": "1", "page": "4"})
    assert (ask.node, len(ask.tag), ask.page) == ("H-3", 400, 4)
    assert address_of(Ask(node="H-3", tag="a b"), open="g") == "?node=H-3&open=g&tag=a+b"


def test_a_tip_has_the_effect():
    measured = Node("E-1", "experiment", "t", "done", runs=2, gain=FAST, metric=TIME.__dict__)
    assert "1.30x in time_s from 2 runs" in tip(measured)
    assert sentence(Edge("E-1", "repeats", "E-1"), {"E-1": measured}) == "E-1 repeats E-1"


MATRIX = "getComputedStyle(document.querySelector('.kg-world')).transform"


@pytest.fixture(scope="module")
def filled(served):
    """In the served book: a claim that is supported, with more experiments than there is room for,
    and a finding."""
    desk = served.desk
    claim = desk.claim("it <b>is</b> faster", tags=["rows"])
    first = desk.experiment(claim, change="first")
    desk.results(first, FAST, FAST, FAST)
    served.book.findings.add("Rows pay.", [("supports", claim.name)])
    desk.claim("another idea")
    many_experiments(served.book, 55, [1])
    return served


@pytest.mark.browser
def test_a_browser_moves_zooms_looks_and_opens(filled, page):
    page.goto("/graph")
    frame = page.locator(".kg-frame")
    page.wait_for_selector(".kg-node")
    assert page.locator('.kg-node[data-name="F-1"]').get_attribute("href") == "/findings/F-1"
    matrix = lambda: page.evaluate(MATRIX)  # noqa: E731
    before = matrix()
    frame.hover()
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"before => {MATRIX} != before", arg=before)
    zoomed = matrix()
    box = frame.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 70, steps=3)
    page.mouse.up()
    assert matrix() != zoomed
    frame.focus()
    page.keyboard.press("0")
    all_of_it = matrix()
    page.keyboard.press("+")
    assert matrix() != all_of_it
    page.locator("[data-graph-find]").fill("rows pay")
    assert page.locator(".kg-node.found").evaluate_all("all => all.map(o => o.dataset.name)") == [
        "F-1"
    ]
    assert page.locator("[data-graph-found]").inner_text() == "1 found"


@pytest.mark.browser
def test_a_group_opens_and_a_node_becomes_the_centre(filled, page):
    page.goto("/graph")
    group = page.locator(".kg-node.k-group").first
    name = group.get_attribute("data-name")
    group.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".kg-open")
    assert "open=group" in page.url
    assert page.locator(f'.kg-node[data-name="{name}"]').count() == 0
    page.get_by_role("link", name="fold").click()
    page.wait_for_selector(".kg-open", state="detached")
    page.locator("#kg-list summary").click()
    page.locator('[data-centre="F-1"]').click()
    page.wait_for_function("document.querySelector('h1').textContent.includes('around F-1')")
    assert "node=F-1" in page.url
    assert page.locator('.kg-node.centre[data-name="F-1"]').count() == 1


@pytest.mark.browser
def test_what_is_found_out_appears_and_all_else_stays_where_it_is(filled, page):
    page.goto("/graph")
    page.wait_for_selector('.kg-node[data-name="H-1"]')
    place = lambda: page.locator('.kg-node[data-name="H-1"]').get_attribute("transform")  # noqa: E731
    before = place()
    new = filled.book.findings.add("News.", [("supports", "E-1")])
    page.wait_for_selector(f'.kg-node[data-name="{new.name}"]')
    assert place() == before


@pytest.mark.browser
def test_a_filter_is_in_the_address(filled, page):
    page.goto("/graph")
    page.get_by_label("tag").select_option("rows")
    page.wait_for_function("!document.querySelector('.kg-node[data-name=\"H-2\"]')")
    assert "tag=rows" in page.url
    assert page.locator('.kg-node[data-name="H-1"]').count() == 1


@pytest.mark.browser
def test_an_unknown_node_is_a_page_that_says_so(filled, page):
    answer = page.goto("/graph?node=H-9999")
    assert answer.status == 404
    assert "there is no hypothesis H-9999" in page.locator("main").inner_text()
