"""The edges of the graph's picture: curves from one card to another, spread along their sides, each
with a label where there is room for one. Knows cards as boxes and nothing of what is on them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warpbook.book.browse.knowledge import Edge, Node, Point
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.svg.graph_words import sentence

CARD_W, CARD_H = 178.0, 66.0
LETTER_W, LINE_H = 5.6, 13.0
# How far along its curve a label is tried.
ALONG = (0.5, 0.38, 0.62, 0.26, 0.74)
# The end of each type of edge: drawn from x = 0, where its line stops, to the card; and how far.
HEADS = {
    "supports": ("M0 -5 L11 0 L0 5 Z", "filled", 11),
    "refutes": ("M2 -6 L2 6 M6 -4 L12 4 M6 4 L12 -4", "open", 13),
    "supersedes": ("M0 -5 L8 0 L0 5 Z M6 -5 L14 0 L6 5 Z", "filled", 14),
    "refines": ("M0 -5 L11 0 L0 5 Z", "open", 11),
    "tests": ("M1 0 A4.5 4.5 0 1 1 10 0 A4.5 4.5 0 1 1 1 0 Z", "open", 10.5),
    "baseline": ("M1 -4.5 H10 V4.5 H1 Z", "open", 10.5),
    "change": ("M1 -4.5 H10 V4.5 H1 Z", "filled", 10.5),
    "measures": ("M1 0 A4.5 4.5 0 1 1 10 0 A4.5 4.5 0 1 1 1 0 Z", "filled", 10.5),
    "repeats": ("M0 -5 L7 0 L0 5 M5 -5 L12 0 L5 5", "open", 12.5),
    "in": ("M1 -5 L1 5", "open", 3),
}
HEAD_W = 14.0


@dataclass(frozen=True)
class Curve:
    """A cubic curve by its four points."""

    points: tuple[Point, Point, Point, Point]

    def at(self, part: float) -> Point:
        rest = 1 - part
        parts = (rest**3, 3 * rest**2 * part, 3 * rest * part**2, part**3)
        x = sum(weight * point.x for weight, point in zip(parts, self.points, strict=True))
        y = sum(weight * point.y for weight, point in zip(parts, self.points, strict=True))
        return Point(x, y)

    @property
    def path(self) -> str:
        start, one, two, end = (f"{p.x:.1f} {p.y:.1f}" for p in self.points)
        return f"M{start} C{one} {two} {end}"


def markers() -> Markup:
    """What edges end in, once a picture."""
    return join(
        h(
            '<marker id="kg-{}" class="kg-head {} e-{}" markerUnits="userSpaceOnUse" orient="auto" '
            'markerWidth="{}" markerHeight="14" refX="1" refY="0" viewBox="-1 -7 {} 14">'
            '<path d="{}"/></marker>',
            type_, fill, type_, HEAD_W + 2, HEAD_W + 2, path,
        )
        for type_, (path, fill, _) in HEADS.items()
    )  # fmt: skip


def draw(edges: Sequence[Edge], nodes: Mapping[str, Node], places: Mapping[str, Point]) -> Markup:
    curves = routes(edges, places)
    room = Room(places.values())
    return join(one(edge, curves[edge], nodes, room) for edge in edges)


def one(edge: Edge, curve: Curve, nodes: Mapping[str, Node], room: "Room") -> Markup:
    said = edge.type
    at, free = room.label(curve, said)
    return h(
        '<g class="kg-edge e-{}"{}><path class="kg-hit" d="{}"/>'
        '<path class="kg-line" d="{}" marker-end="url(#kg-{})"/>'
        '<text class="kg-label{}" x="{}" y="{}">{}</text></g>',
        edge.type,
        attributes(data_tip=sentence(edge, nodes), data_start=edge.start, data_end=edge.end),
        curve.path,
        curve.path,
        edge.type,
        "" if free else " kg-crowded",
        f"{at.x:.1f}",
        f"{at.y + 4:.1f}",
        said,
    )


def routes(edges: Sequence[Edge], places: Mapping[str, Point]) -> dict[Edge, Curve]:
    """A curve for each edge. Those at one side of a card are spread along it, in the order of where
    they go."""
    ends = {edge: sides(places[edge.start], places[edge.end]) for edge in edges}
    ports: defaultdict[tuple[str, str], list[tuple[float, int, Edge]]] = defaultdict(list)
    for edge, (start, end) in ends.items():
        ports[edge.start, start].append((places[edge.end].x, 0, edge))
        ports[edge.end, end].append((places[edge.start].x, 1, edge))
    offsets: dict[tuple[Edge, int], float] = {}
    for (_, side), here in ports.items():
        width = CARD_W * 0.7 if side in "tb" else CARD_H * 0.6
        for number, (_, which, edge) in enumerate(sorted(here)):
            offsets[edge, which] = ((number + 0.5) / len(here) - 0.5) * width
    return {
        edge: curve(
            port(places[edge.start], start, offsets[edge, 0], 0.0),
            port(places[edge.end], end, offsets[edge, 1], HEADS[edge.type][2]),
            start,
            end,
        )
        for edge, (start, end) in ends.items()
    }


def sides(start: Point, end: Point) -> tuple[str, str]:
    """Top, bottom, left or right of each card."""
    down = end.y - start.y
    if abs(down) > CARD_H / 2:
        return ("b", "t") if down > 0 else ("t", "b")
    if abs(end.x - start.x) > CARD_W * 1.6:
        return "b", "b"
    return ("r", "l") if end.x > start.x else ("l", "r")


def port(centre: Point, side: str, offset: float, head: float) -> Point:
    if side in "tb":
        out = CARD_H / 2 + head
        return Point(centre.x + offset, centre.y + (out if side == "b" else -out))
    out = CARD_W / 2 + head
    return Point(centre.x + (out if side == "r" else -out), centre.y + offset)


def curve(start: Point, end: Point, out: str, into: str) -> Curve:
    bend = max(abs(end.y - start.y) / 2, 22.0)
    aside = {"l": (-1, 0), "r": (1, 0), "t": (0, -1), "b": (0, 1)}
    one = Point(start.x + aside[out][0] * 18, start.y + aside[out][1] * bend)
    two = Point(end.x + aside[into][0] * 18, end.y + aside[into][1] * bend)
    return Curve((start, one, two, end))


class Room:
    """Where labels may stand without covering a card or another label."""

    TALL, WIDE = 14.0, 12.0

    def __init__(self, cards: Iterable[Point]) -> None:
        self.taken: set[tuple[int, int]] = set()
        for card in cards:
            self.taken |= self.boxes(card, CARD_W, CARD_H)

    def boxes(self, at: Point, width: float, height: float) -> set[tuple[int, int]]:
        columns = range(
            int((at.x - width / 2) // self.WIDE), int((at.x + width / 2) // self.WIDE) + 1
        )
        rows = range(
            int((at.y - height / 2) // self.TALL), int((at.y + height / 2) // self.TALL) + 1
        )
        return {(row, column) for row in rows for column in columns}

    def label(self, curve: Curve, said: str) -> tuple[Point, bool]:
        """Where it goes, and whether there was room."""
        for part in ALONG:
            at = curve.at(part)
            boxes = self.boxes(at, len(said) * LETTER_W, LINE_H - 2)
            if not boxes & self.taken:
                self.taken |= boxes
                return at, True
        return curve.at(0.5), False
