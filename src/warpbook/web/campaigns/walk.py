"""The way from a claim down to the raw samples, as a tree that opens. Nodes are those of
`book/why.py`; this shows them and knows nothing more."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warpbook.core import wording
from warpbook.core.units import digits
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, text

MOST_SAMPLES = 32
LONGEST = 300
Node = Mapping[str, Any]
Facts = list[tuple[object, object]]


def walk(node: Node) -> Markup:
    return h('<ul class="tree">{}</ul>', branch(node, True))


def branch(node: Node, is_open: bool = False) -> Markup:
    """A node with what it rests on."""
    link = h('<span class="muted">{}</span> ', node["link"]) if node.get("link") else ""
    if node.get("shown_above"):
        return h(
            '<li>{}{} <span class="muted">shown above</span></li>', link, show.ref(node["name"])
        )
    below = join(branch(one, len(node["below"]) == 1) for one in node["below"])
    return h(
        "<li><details{}><summary>{}<b>{}</b> {} {}</summary>{}{}</details></li>",
        attributes(open=is_open), link, node["name"], text(node["text"] or "", LONGEST),
        state(node), show.facts([("page", show.ref(node["name"])), *BODIES[node["kind"]](node)]),
        h("<ul>{}</ul>", below) if below else "",
    )  # fmt: skip


def state(node: Node) -> Markup:
    """As a word alone: nothing within a summary takes the focus."""
    name = "stale" if node.get("stale") else str(node["state"])
    if name == "active" and node["kind"] == "hypothesis":
        name = str(node["verdict"])
    return h('<span class="chip {}">{}</span>', show.TONES.get(name, "plain"), name)


def finding(node: Node) -> Facts:
    return [("quotes", said(node)), ("runs", f"{node['n']}"), ("stale", node["stale"] or None)]


def hypothesis(node: Node) -> Facts:
    odds = wording.evidence(node["log_support"], node["log_refute"]) if node["runs"] else None
    return [
        ("at least", node["least_text"]),
        ("effect", said(node)),
        ("runs", f"{node['runs']}"),
        ("evidence", odds),
        ("basis", node["basis"] or None),
    ]


def said(node: Node) -> str | None:
    if not node.get("effect_text"):
        return None
    within = f" ({node['interval_text']})" if node.get("interval_text") else ""
    return f"{node['effect_text']}{within}"


def experiment(node: Node) -> Facts:
    prediction = node["prediction"]
    return [
        ("change", text(arm(node["change"]), LONGEST)),
        ("baseline", text(arm(node["baseline"]), LONGEST)),
        ("workload", node["workload"] or None),
        ("device", node["device"]),
        ("predicted", came_out(prediction) if prediction else None),
        ("repeats", show.ref(node["repeats"]) if node["repeats"] else None),
    ]


def arm(document: Node) -> str:
    return str(document["label"] or document["rung"] or document["command"])


def came_out(prediction: Node) -> str:
    outcome = f", {prediction['outcome']}" if prediction["outcome"] else ""
    return f"{prediction['interval_text']} by {prediction['author']}{outcome}"


def run(node: Node) -> Facts:
    """Its receipt, whether that bears out the book, and both arms' samples."""
    receipt = node["receipt"]
    problems = join(h('<p class="wrong">{}</p>', line) for line in receipt["problems"])
    taken = join(samples(one) for one in node["metrics"])
    return [
        ("for", f"{node['purpose']}{', quoted' if node['quoted'] else ''}"),
        ("receipt", h("<code>{}</code>{}", (receipt["sha256"] or "none")[:16], problems)),
        ("samples", taken or None),
    ]


def samples(one: Node) -> Markup:
    unit = one["metric"]["unit"]
    head = f"{one['metric']['name']}: {one['effect_text']}, {one['within_text']} within the run"
    arms = join(numbers(name, one[name], unit) for name in ("baseline", "change"))
    return h('<div class="samples"><b>{}</b>{}</div>', head, arms)


def numbers(name: str, values: Sequence[float], unit: str) -> Markup:
    shown = " ".join(digits(value) for value in values[:MOST_SAMPLES])
    left = len(values) - MOST_SAMPLES
    rest = f" … {left:,} more" if left > 0 else ""
    return h(
        '<div><span class="muted">{}</span> <code>{}</code> {}{}</div>', name, shown, unit, rest
    )


BODIES: Mapping[str, Callable[[Node], Facts]] = {
    "finding": finding,
    "hypothesis": hypothesis,
    "experiment": experiment,
    "run": run,
}
