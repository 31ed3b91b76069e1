"""Where the nodes of a view are drawn: worked out once, kept with the book, and added to.

Every node has a cell of a grid to itself, so that no two overlap. Kinds lie in layers from top to
bottom; within one, nodes are drawn towards what they are tied to and push each other aside. A node
that has a place keeps it; a new one goes to the free cell nearest to what it is tied to. There is
no chance in it: the same view gives the same picture.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, text
from sqlalchemy.dialects.sqlite import insert

from warpbook.book.browse.knowledge import KINDS, Edge, Node, Point, View
from warpbook.book.tables import Layout
from warpbook.core.errors import WarpbookError

if TYPE_CHECKING:
    from warpbook.book.book import Book

# Pixels from the middle of one cell to the next; a node is smaller.
CELL_W, CELL_H = 212.0, 116.0
SHAPE = 1.9  # a picture's width over its height
COLUMNS = range(4, 31)
SWEEPS = 24
# A step up or down leads out of a node's layer, and is taken for so many sideways.
STEEP = 3.0
MOST_KEPT = 200_000  # places, of all pictures
OLDEST = text("DELETE FROM layouts WHERE rowid <= (SELECT max(rowid) FROM layouts) - :most")

Cell = tuple[int, int]  # row, column
Places = dict[str, Point]


def lay(book: "Book", view: View) -> View:
    """The view with a place for every node, kept for the next time if the book can be written."""
    kept = read(book, view.scope, [node.id for node in view.nodes])
    places = arrange(view.nodes, view.edges, kept, view.opened.group if view.opened else "")
    news = {name: place for name, place in places.items() if kept.get(name) != place}
    if news:
        keep(book, view.scope, news)
    return replace(view, places=places)


def read(book: "Book", scope: str, names: Sequence[str]) -> Places:
    query = select(Layout.node, Layout.x, Layout.y).where(
        Layout.scope == scope, Layout.node.in_(names)
    )
    with book.reading() as session:
        return {node: Point(x, y) for node, x, y in session.execute(query)}


def keep(book: "Book", scope: str, places: Mapping[str, Point]) -> None:
    """A picture that cannot be kept is drawn all the same. The oldest places make room."""
    rows = [{"scope": scope, "node": n, "x": p.x, "y": p.y} for n, p in places.items()]
    added: Any = insert(Layout)
    added = added.on_conflict_do_update(
        index_elements=["scope", "node"], set_={"x": added.excluded.x, "y": added.excluded.y}
    )
    try:
        with book.writing() as write:
            write.session.execute(added, rows)
            write.session.execute(OLDEST, {"most": MOST_KEPT})
    except WarpbookError:
        return


def arrange(
    nodes: Sequence[Node], edges: Sequence[Edge], kept: Mapping[str, Point], near: str = ""
) -> Places:
    """A place for every node. `near` names a node that new ones without a tie go close to."""
    grid = Grid()
    tied = ties(edges)
    for node in nodes:
        if node.id in kept:
            grid.put(node.id, kept[node.id])
    new = [node for node in nodes if node.id not in grid.cells]
    if len(new) == len(nodes):
        spread(nodes, tied, grid)
    else:
        for node in sorted(
            new, key=lambda one: (-len(tied[one.id] & grid.cells.keys()), one.layer)
        ):
            grid.put(node.id, wanted(node, tied, grid, nodes, near))
    return {node.id: grid.point(node.id) for node in nodes}


def ties(edges: Iterable[Edge]) -> defaultdict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for edge in edges:
        found[edge.start].add(edge.end)
        found[edge.end].add(edge.start)
    return found


class Grid:
    """Which node has which cell. Odd rows are shifted by half a cell, so that a tie between rows
    does not run behind the nodes between."""

    def __init__(self) -> None:
        self.cells: dict[str, Cell] = {}
        self.taken: set[Cell] = set()

    def put(self, name: str, wanted: Point) -> None:
        """In the free cell nearest to where it is wanted."""
        cell = self.nearest(wanted)
        self.cells[name] = cell
        self.taken.add(cell)

    def nearest(self, wanted: Point) -> Cell:
        row = round(wanted.y / CELL_H)
        best: tuple[float, Cell] | None = None
        reach = 0
        while best is None or (reach - 1) * STEEP <= best[0]:
            for at in {row - reach, row + reach}:
                column = self.free_column(at, wanted.x, None if best is None else best[0])
                if column is None:
                    continue
                aside = abs(middle((at, column)).x - wanted.x) / CELL_W
                cost = aside + STEEP * abs(at - wanted.y / CELL_H)
                if best is None or (cost, (at, column)) < best:
                    best = cost, (at, column)
            reach += 1
        return best[1]

    def free_column(self, row: int, x: float, within: float | None) -> int | None:
        first = round((x - shift(row)) / CELL_W)
        for step in range(len(self.taken) + 1):
            if within is not None and step > within + 1:
                return None
            for column in (first - step, first + step):
                if (row, column) not in self.taken:
                    return column
        return None

    def point(self, name: str) -> Point:
        return middle(self.cells[name])


def shift(row: int) -> float:
    return CELL_W / 2 if row % 2 else 0.0


def middle(cell: Cell) -> Point:
    return Point(cell[1] * CELL_W + shift(cell[0]), cell[0] * CELL_H)


def wanted(
    node: Node, tied: Mapping[str, set[str]], grid: Grid, nodes: Sequence[Node], near: str
) -> Point:
    """In its layer, below or above what it is tied to."""
    around = [grid.point(name) for name in sorted(tied[node.id]) if name in grid.cells]
    if not around and near in grid.cells:
        around = [grid.point(near)]
    rows = [
        grid.point(one.id).y for one in nodes if one.layer == node.layer and one.id in grid.cells
    ]
    x = mean(point.x for point in around) if around else right_end(grid)
    if around and rows:
        level = mean(point.y for point in around)
        return Point(x, min(rows, key=lambda y: (abs(y - level), y)))
    if rows:
        return Point(x, max(rows))
    return Point(x, beyond(node, grid, nodes))


def beyond(node: Node, grid: Grid, nodes: Sequence[Node]) -> float:
    """A row for the first of its layer: below the layers above it."""
    placed = [(one.layer, grid.point(one.id).y) for one in nodes if one.id in grid.cells]
    above = [y for layer, y in placed if layer < node.layer]
    below = [y for layer, y in placed if layer > node.layer]
    if above:
        return max(above) + CELL_H
    return min(below) - CELL_H if below else 0.0


def right_end(grid: Grid) -> float:
    return max((middle(cell).x for cell in grid.taken), default=0.0) + CELL_W


def mean(values: Iterable[float]) -> float:
    known = [*values]
    return sum(known) / len(known)


def spread(nodes: Sequence[Node], tied: Mapping[str, set[str]], grid: Grid) -> None:
    """A picture from nothing: layers of as many rows as they need, and in each what is tied to the
    same nodes side by side."""
    order = walk(nodes, tied)
    layers = [[node.id for node in order if node.layer == layer] for layer in range(len(KINDS))]
    layers = [layer for layer in layers if layer]
    rows = rows_of([len(layer) for layer in layers])
    x = {
        name: at / rows_
        for layer, rows_ in zip(layers, rows, strict=True)
        for at, name in enumerate(layer)
    }
    for sweep in range(SWEEPS):
        both = [*zip(layers, rows, strict=True)]
        for layer, rows_ in both if sweep % 2 else both[::-1]:
            align(layer, tied, x, 1 / rows_)
    pack(x, tied, layers, rows)
    top = 0
    for layer, rows_ in zip(layers, rows, strict=True):
        for at, name in enumerate(sorted(layer, key=x.__getitem__)):
            grid.put(name, Point(x[name] * CELL_W, (top + at % rows_) * CELL_H))
        top += rows_ + (rows_ > 1)


def pack(
    x: dict[str, float], tied: Mapping[str, set[str]], layers: Sequence[Sequence[str]],
    rows: Sequence[int],
) -> None:  # fmt: skip
    """Bring parts of the graph that nothing ties together side by side, as close as they come in
    the layers that they share."""
    level = {name: number for number, layer in enumerate(layers) for name in layer}
    right: dict[int, float] = {}
    for part in sorted(parts(x, tied), key=lambda part: (min(x[name] for name in part), part[0])):
        spans: defaultdict[int, list[float]] = defaultdict(list)
        for name in part:
            spans[level[name]].append(x[name])
        room = [right[one] + 1 / rows[one] - min(at) for one, at in spans.items() if one in right]
        move = max(room, default=min(right.values(), default=0.0) - min(x[name] for name in part))
        for name in part:
            x[name] += move
        right.update({one: max(at) + move for one, at in spans.items()})


def parts(x: Mapping[str, float], tied: Mapping[str, set[str]]) -> list[list[str]]:
    """Nodes that are tied together by however many steps."""
    seen: set[str] = set()
    found = []
    for root in x:
        waiting, part = [root], []
        while waiting:
            name = waiting.pop()
            if name in x and name not in seen:
                seen.add(name)
                part.append(name)
                waiting += sorted(tied[name])
        found += [part] if part else []
    return found


def rows_of(sizes: Sequence[int]) -> list[int]:
    """How many rows each layer takes, for a picture that is about as wide as it should be."""

    def off(columns: int) -> float:
        rows = [-(-size // columns) for size in sizes]
        wide = max(-(-size // row) for size, row in zip(sizes, rows, strict=True))
        high = sum(row + (row > 1) for row in rows)
        return abs(math.log(wide * CELL_W / (high * CELL_H * SHAPE)))

    columns = min(COLUMNS, key=off)
    return [-(-size // columns) for size in sizes]


def align(layer: list[str], tied: Mapping[str, set[str]], x: dict[str, float], gap: float) -> None:
    """Sort a layer by what its nodes are tied to, and bring each as close to that as the others
    leave room for."""
    pulled = {}
    for name in layer:
        around = [x[other] for other in tied[name] if other in x]
        pulled[name] = sum(sorted(around)) / len(around) if around else x[name]
    before = dict(x)
    layer.sort(key=lambda name: (pulled[name], before[name]))
    x.update(zip(layer, apart([pulled[name] for name in layer], gap), strict=True))


def apart(wanted: Sequence[float], gap: float) -> list[float]:
    """The places nearest to those wanted, in least squares, that are in order and a gap apart."""
    blocks: list[list[float]] = []  # the sum of what its members want, and how many they are
    for number, at in enumerate(wanted):
        blocks.append([at - number * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    level = [total / count for total, count in blocks for _ in range(int(count))]
    return [at + number * gap for number, at in enumerate(level)]


def walk(nodes: Sequence[Node], tied: Mapping[str, set[str]]) -> list[Node]:
    """Depth first from the top layer, so that what hangs together follows one another."""
    known = {node.id: node for node in nodes}
    rank = {node.id: (node.layer, number) for number, node in enumerate(nodes)}
    seen: dict[str, None] = {}
    for root in sorted(known, key=rank.__getitem__):
        waiting = [root]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen[name] = None
            fresh = [one for one in tied[name] if one in known and one not in seen]
            waiting += sorted(fresh, key=rank.__getitem__, reverse=True)
    return [known[name] for name in seen]
