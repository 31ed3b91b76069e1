"""Places of nodes: apart, near what they are tied to, and where they were before."""

import os
import shutil
from itertools import pairwise

import pytest

from warpbook.book.book import Book
from warpbook.book.browse import layout
from warpbook.book.browse.knowledge import Edge, Node, View
from warpbook.book.browse.layout import CELL_H, CELL_W, apart, arrange, lay


def node(name):
    kinds = {"F": "finding", "H": "hypothesis", "E": "experiment", "C": "campaign"}
    return Node(name, kinds[name[0]], name)


def forest(claims, each):
    """Hypotheses with so many experiments each, and a finding on every third."""
    nodes, edges = [], []
    for claim in range(claims):
        nodes.append(node(f"H-{claim}"))
        for number in range(claim * each, (claim + 1) * each):
            nodes.append(node(f"E-{number}"))
            edges.append(Edge(f"E-{number}", "tests", f"H-{claim}"))
        if claim % 3 == 0:
            nodes.append(node(f"F-{claim}"))
            edges.append(Edge(f"F-{claim}", "supports", f"H-{claim}"))
    return nodes, edges


def are_apart(places):
    """No two cells overlap."""
    points = sorted(places.values(), key=lambda point: (point.y, point.x))
    same_row = [(a, b) for a, b in pairwise(points) if a.y == b.y]
    assert all(b.x - a.x >= CELL_W - 1e-6 for a, b in same_row)
    rows = sorted({point.y for point in points})
    assert all(b - a >= CELL_H - 1e-6 for a, b in pairwise(rows))


@pytest.mark.parametrize(("claims", "each"), [(1, 0), (1, 1), (1, 40), (7, 3), (60, 4), (250, 0)])
def test_no_two_nodes_overlap(claims, each):
    nodes, edges = forest(claims, each)
    places = arrange(nodes, edges, {})
    assert len(places) == len(nodes)
    are_apart(places)


def test_the_same_view_gives_the_same_picture():
    nodes, edges = forest(20, 3)
    assert arrange(nodes, edges, {}) == arrange(nodes, edges[::-1], {})


def test_kinds_lie_in_layers():
    nodes, edges = forest(9, 3)
    places = arrange(nodes, edges, {})
    rows = {letter: [p.y for name, p in places.items() if name[0] == letter] for letter in "FHE"}
    assert max(rows["F"]) < min(rows["H"])
    assert max(rows["H"]) < min(rows["E"])


def test_a_picture_of_many_is_neither_a_line_nor_a_column():
    places = arrange(*forest(60, 4), {}).values()
    wide = max(p.x for p in places) - min(p.x for p in places)
    high = max(p.y for p in places) - min(p.y for p in places)
    assert 0.8 < wide / high < 4


def test_what_is_tied_together_is_close():
    nodes, edges = forest(12, 2)
    places = arrange(nodes, edges, {})
    off = [abs(places[e.start].x - places[e.end].x) for e in edges]
    assert sum(off) / len(off) < 1.5 * CELL_W


def test_what_has_a_place_keeps_it_and_what_is_new_comes_close():
    nodes, edges = forest(12, 2)
    before = arrange(nodes, edges, {})
    new = [node("E-900"), node("F-900"), node("H-900")]
    tied = [Edge("E-900", "tests", "H-5"), Edge("F-900", "refutes", "H-5")]
    after = arrange([*new, *nodes], [*tied, *edges], before)
    assert {name: after[name] for name in before} == before
    are_apart(after)
    for name in ("E-900", "F-900"):
        assert abs(after[name].x - after["H-5"].x) <= 3 * CELL_W
        assert abs(after[name].y - after["H-5"].y) <= 3 * CELL_H


def test_nodes_that_come_one_by_one_stay_apart():
    nodes, edges = forest(10, 4)
    kept = {}
    for count in range(1, len(nodes) + 1):
        kept = arrange(nodes[:count], edges, kept)
    are_apart(kept)


def test_two_that_were_never_shown_together_and_have_one_place_move_apart():
    nodes, edges = forest(2, 0)
    one = arrange(nodes[:1], edges, {})["H-0"]
    both = arrange(nodes, edges, {"H-0": one, "H-1": one})
    are_apart(both)
    assert one in both.values()


def test_parts_that_nothing_ties_lie_side_by_side():
    nodes, edges = forest(2, 6)
    places = arrange(nodes, edges, {})
    first = [p.x for name, p in places.items() if name in ("H-0", "E-0", "E-1", "E-2")]
    wide = max(p.x for p in places.values()) - min(p.x for p in places.values())
    assert wide <= 14 * CELL_W
    assert max(first) - min(first) <= 7 * CELL_W


def test_places_that_are_wanted_twice_are_spread_around_it():
    assert apart([5.0, 5.0, 5.0], 1.0) == pytest.approx([4.0, 5.0, 6.0])
    assert apart([0.0, 9.0], 1.0) == pytest.approx([0.0, 9.0])
    assert apart([], 1.0) == []


@pytest.fixture
def seen():
    nodes, edges = forest(4, 2)
    return View("C-1", nodes[0], "inbox", tuple(nodes), tuple(edges))


def test_a_picture_is_kept_for_the_next_time(book, seen):
    before = book.log.last()
    first = lay(book, seen)
    assert {node.id for node in seen.nodes} == {*first.places}
    assert layout.read(book, "C-1", [*first.places]) == first.places
    assert layout.read(book, "H-1", [*first.places]) == {}, "each picture has places of its own"
    turned = View("C-1", seen.centre, "inbox", seen.nodes[::-1], ())
    assert lay(book, turned).places == first.places
    assert book.log.last() == before, "a place is no event"


def test_the_oldest_places_make_room(book, seen, monkeypatch):
    monkeypatch.setattr(layout, "MOST_KEPT", len(seen.nodes))
    names = [node.id for node in seen.nodes]
    lay(book, seen)
    lay(book, View("H-1", seen.centre, "inbox", seen.nodes, seen.edges))
    assert layout.read(book, "C-1", names) == {}
    assert len(layout.read(book, "H-1", names)) == len(names)


def test_a_book_that_can_only_be_read_has_a_picture_all_the_same(book, seen, tmp_path):
    book.close()
    copy = tmp_path / "copy"
    shutil.copytree(book.folder, copy)
    for extra in ("book.db-wal", "book.db-shm"):
        (copy / extra).unlink(missing_ok=True)
        (copy / extra).mkdir()
    os.chmod(copy / "book.db", 0o444)
    found = Book.open(copy)
    assert len(lay(found, seen).places) == len(seen.nodes)
    assert layout.read(found, "C-1", [node.id for node in seen.nodes]) == {}
    found.close()
