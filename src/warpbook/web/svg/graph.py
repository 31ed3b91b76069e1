"""The knowledge graph as a picture: a card for each node, whose outline says its kind, and curves
between them whose ends and dashes say their type.

Needs no script to be looked at. Knows nothing of pages: what a card leads to is the caller's.
"""

import unicodedata
from collections.abc import Callable

from warpbook.book.browse.knowledge import Node, Point, View
from warpbook.core.text import printable
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.show import TONES
from warpbook.web.svg.graph_edges import CARD_H, CARD_W, draw, markers
from warpbook.web.svg.graph_words import KINDS, called, label, one_line, state_of, tip

MARGIN = 46.0
LEAST_W, LEAST_H = 640.0, 300.0
TEXT_COLUMNS = 27  # letters of a line of text on a card
FAR_COLUMNS = 11  # of a name, seen from far
TITLE_W, STATE_W = 7.4, 6.1  # pixels of a letter
LINES = 2
# So many edges fit with all their labels; past it, those of the common types wait for a look.
LABELLED = 70
# A state at a glance; the word itself stands beside it.
SIGNS = {
    "supported": "✓", "refuted": "✗", "open": "○", "withdrawn": "⌫", "stale": "↻",
    "draft": "✎", "held": "‖", "queued": "…", "running": "▶", "done": "✓", "disqualified": "✗",
    "failed": "✗", "moot": "–", "cancelled": "–", "stopped": "■", "archived": "▣",
}  # fmt: skip
Address = Callable[[Node], str]


def nowhere(_: Node) -> str:
    return ""


def graph(view: View, address: Address = nowhere) -> Markup:
    """`address` is where a node leads; where that is empty, it is no link."""
    known = {node.id: node for node in view.nodes}
    left, top, width, height = frame(view)
    edges = draw(view.edges, known, view.places)
    cards = join(
        card(node, view.places[node.id], address(node), node.id == view.centre.id)
        for node in view.nodes
    )
    said = f"{len(view.nodes)} nodes and {len(view.edges)} edges around {called(view.centre)}"
    many = " many" if len(view.edges) > LABELLED else ""
    return h(
        '<svg class="kg{}" id="kg" viewBox="{} {} {} {}" role="group" aria-label="{}" '
        'preserveAspectRatio="xMidYMid meet"><defs>{}</defs><g class="kg-world">'
        '<g class="kg-edges">{}</g><g class="kg-cards">{}</g></g></svg>',
        many, *(f"{n:.0f}" for n in (left, top, width, height)), said, markers(), edges, cards,
    )  # fmt: skip


def frame(view: View) -> tuple[float, float, float, float]:
    """Left, top, width and height of the picture; a small one is not blown up."""
    xs = [point.x for point in view.places.values()] or [0.0]
    ys = [point.y for point in view.places.values()] or [0.0]
    width = max(xs) - min(xs) + CARD_W + 2 * MARGIN
    height = max(ys) - min(ys) + CARD_H + 2 * MARGIN
    wide, high = max(width, LEAST_W), max(height, LEAST_H)
    left = min(xs) - CARD_W / 2 - MARGIN - (wide - width) / 2
    return left, min(ys) - CARD_H / 2 - MARGIN - (high - height) / 2, wide, high


def card(node: Node, at: Point, address: str, centre: bool) -> Markup:
    tone = TONES.get("stale" if node.stale else node.state, "plain")
    kinds = f"kg-node k-{node.kind} t-{tone}" + (" centre" if centre else "")
    inside = h("{}{}", outline(node), written(node))
    place = f"translate({at.x:.1f} {at.y:.1f})"
    named = attributes(data_name=node.id, data_key=f"n-{node.id}", data_tip=tip(node))
    if not address:
        return h(
            '<g class="{}" transform="{}"{} role="img" aria-label="{}">{}</g>',
            kinds, place, named, label(node), inside,
        )  # fmt: skip
    main = h(
        '<a class="{}" transform="{}" href="{}"{}{} aria-label="{}">{}</a>',
        kinds, place, address, named, attributes(data_query=node.kind == "group" or None),
        label(node), inside,
    )  # fmt: skip
    return main if centre or node.kind == "group" else main + around(node, at)


def around(node: Node, at: Point) -> Markup:
    """A spot to click on, to centre on the node. It is for mice: the page has a link as well."""
    return h(
        '<g class="kg-around" transform="translate({} {})" aria-hidden="true"{}>'
        '<circle r="9"/><circle class="dot" r="3"/></g>',
        f"{at.x + CARD_W / 2 - 1:.1f}",
        f"{at.y + CARD_H / 2 - 1:.1f}",
        attributes(
            data_around=node.id,
            data_key=f"a-{node.id}",
            data_tip=f"centre on {one_line(called(node))}",
        ),
    )


def outline(node: Node) -> Markup:
    """The card's shape says its kind."""
    w, r, t, b = CARD_W, CARD_W / 2, -CARD_H / 2, CARD_H / 2
    if node.kind == "hypothesis":
        return box(0, 24)
    if node.kind == "finding":
        return h(
            '<path class="kg-card" d="M{} {}H{}L{} {}V{}H{}Z"/>'
            '<path class="kg-fold" d="M{} {}V{}H{}"/>',
            -r, t, r - 14, r, t + 14, b, -r, r - 14, t, t + 14, r,
        )  # fmt: skip
    if node.kind == "rung":
        path = h("M{} 0L{} {}H{}L{} 0L{} {}H{}Z", -r, 14 - r, t, r - 14, r, r - 14, b, 14 - r)
        return h('<path class="kg-card" d="{}"/>', path)
    if node.kind == "problem":
        return h(
            '{}<rect class="kg-inner" x="{}" y="{}" width="{}" height="{}" rx="2"/>',
            box(0, 5), 4 - r, t + 4, w - 8, CARD_H - 8,
        )  # fmt: skip
    if node.kind == "campaign":
        bar = h('<rect class="kg-bar" x="{}" y="{}" width="{}" height="5"/>', -r, t, w)
        return h("{}{}", box(0, 0), bar)
    if node.kind == "group":
        return h("{}{}{}", box(8, 6), box(4, 6), box(0, 6))
    return box(0, 6)


def box(shift: float, corner: float) -> Markup:
    return h(
        '<rect class="kg-card" x="{}" y="{}" width="{}" height="{}" rx="{}"/>',
        shift - CARD_W / 2, -shift - CARD_H / 2, CARD_W, CARD_H, corner,
    )  # fmt: skip


def written(node: Node) -> Markup:
    """What it is called and its state on the first line, its text on the next two. Seen from far,
    only the beginning of its name, in large letters."""
    inset = {"hypothesis": 16, "rung": 18}.get(node.kind, 11)
    left, right = inset - CARD_W / 2, CARD_W / 2 - max(inset, 12) - 4 * (node.kind == "finding")
    title, state, body = titled(node)
    room = int((right - left - STATE_W * len(state)) / TITLE_W)
    far = wrapped(title, FAR_COLUMNS - (node.kind == "rung"), 1)
    head = h('<text class="kg-id" x="{}" y="-15">{}</text>', left, "".join(wrapped(title, room, 1)))
    head += h('<text class="kg-far" x="{}" y="7">{}</text>', left, "".join(far))
    if state:
        head += h('<text class="kg-state" x="{}" y="-15">{}</text>', right, state)
    rows = join(
        h('<text class="kg-text" x="{}" y="{}">{}</text>', left, 3 + 15 * number, line)
        for number, line in enumerate(wrapped(body, TEXT_COLUMNS - (3 if inset > 11 else 0)))
    )
    return h("{}{}", head, rows)


def titled(node: Node) -> tuple[str, str, str]:
    """What stands on a card: its title, beside it its state, and its text."""
    if node.kind == "group":
        noun = KINDS[node.holds][node.count != 1]
        return f"▸ {node.count:,}", noun, node.text.partition(f"{noun} ")[2]
    state = "" if node.state in ("", "active") else f"{SIGNS.get(node.state, '●')} {state_of(node)}"
    if node.kind == "rung":
        problem, _, name = node.text.rpartition("/")
        return name, state, f"kernel of {problem}"
    if node.kind in ("problem", "campaign"):
        return node.text, state, node.kind
    return node.id, state, node.text


def wrapped(text: str, columns: int, lines: int = LINES) -> list[str]:
    """The beginning of a text in so many lines, broken between words where it can be."""
    rest = printable(" ".join(text[: 8 * columns].split()))
    more = len(text) > 8 * columns
    made: list[str] = []
    while rest and len(made) < lines:
        line = fitting(rest, columns)
        if len(line) < len(rest) and len(made) < lines - 1 and " " in line:
            line = line[: line.rindex(" ")]
        made.append(line)
        rest = rest[len(line) :].lstrip()
    if made and (rest or more):
        made[-1] = fitting(made[-1], columns - 1) + "…"
    return made


def fitting(text: str, columns: int) -> str:
    """As much of it as is so wide; some scripts have letters that are twice as wide."""
    wide = 0
    for number, letter in enumerate(text):
        wide += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if wide > columns:
            return text[:number]
    return text


def sample(type_: str) -> Markup:
    """An edge of a type, for a legend."""
    return h(
        '<svg class="kg-sample" viewBox="0 0 64 16" width="64" height="16" aria-hidden="true">'
        '<g class="kg-edge e-{}"><path class="kg-line" d="M2 8 C20 8 30 8 46 8" '
        'marker-end="url(#kg-{})"/></g></svg>',
        type_, type_,
    )  # fmt: skip


def shape(kind: str) -> Markup:
    """The outline of a kind, for a legend."""
    return h(
        '<svg class="kg-sample" viewBox="{} {} {} {}" width="52" height="24" aria-hidden="true">'
        '<g class="kg-node k-{}">{}</g></svg>',
        -CARD_W / 2 - 12, -CARD_H / 2 - 12, CARD_W + 24, CARD_H + 24, kind,
        outline(Node("", kind, "")),
    )  # fmt: skip
