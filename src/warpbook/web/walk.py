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
        "<li><details{}><summary>{}{} {} {}</summary>{}{}</details></li>",
        attributes(open=is_open), link, show.ref(node["name"]), text(node["text"] or "", LONGEST),
        show.chip(state_of(node)), BODIES[node["kind"]](node),
        h("<ul>{}</ul>", below) if below else "",
    )  # fmt: skip


def state_of(node: Node) -> str:
    if node.get("stale"):
        return "stale"
    if node["kind"] == "hypothesis" and node["state"] == "active":
        return str(node["verdict"])
    return str(node["state"])


def finding(node: Node) -> Markup:
    return show.facts(
        [("quotes", said(node)), ("runs", f"{node['n']}"), ("stale", node["stale"] or None)]
    )


def hypothesis(node: Node) -> Markup:
    odds = wording.evidence(node["log_support"], node["log_refute"]) if node["runs"] else None
    return show.facts(
        [
            ("at least", node["least_text"]),
            ("effect", said(node)),
            ("runs", f"{node['runs']}"),
            ("evidence", odds),
            ("basis", node["basis"] or None),
        ]
    )


def said(node: Node) -> str | None:
    if not node.get("effect_text"):
        return None
    within = f" ({node['interval_text']})" if node.get("interval_text") else ""
    return f"{node['effect_text']}{within}"


def experiment(node: Node) -> Markup:
    prediction = node["prediction"]
    return show.facts(
        [
            ("change", text(arm(node["change"]), LONGEST)),
            ("baseline", text(arm(node["baseline"]), LONGEST)),
            ("workload", node["workload"] or None),
            ("device", node["device"]),
            ("predicted", came_out(prediction) if prediction else None),
            ("repeats", show.ref(node["repeats"]) if node["repeats"] else None),
        ]
    )


def arm(document: Node) -> str:
    return str(document["label"] or document["rung"] or document["command"])


def came_out(prediction: Node) -> str:
    outcome = f", {prediction['outcome']}" if prediction["outcome"] else ""
    return f"{prediction['interval_text']} by {prediction['author']}{outcome}"


def run(node: Node) -> Markup:
    """Its receipt, whether that bears out the book, and both arms' samples."""
    receipt = node["receipt"]
    problems = join(h('<p class="wrong">{}</p>', line) for line in receipt["problems"])
    facts = show.facts(
        [
            ("for", f"{node['purpose']}{', quoted' if node['quoted'] else ''}"),
            ("receipt", h("<code>{}</code>", (receipt["sha256"] or "")[:16] or "none")),
        ]
    )
    return h("{}{}{}", facts, problems, join(samples(one) for one in node["metrics"]))


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


BODIES: Mapping[str, Callable[[Node], Markup]] = {
    "finding": finding,
    "hypothesis": hypothesis,
    "experiment": experiment,
    "run": run,
}
