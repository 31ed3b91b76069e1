"""The graph in words: what each kind of node and of edge means, and what one node or edge says."""

from collections.abc import Mapping

from warpbook.book.browse.knowledge import Edge, Node
from warpbook.book.browse.lists import LONGEST as LONGEST_TEXT
from warpbook.core.codec import decode
from warpbook.core.effect import Metric, show_gain
from warpbook.core.text import printable
from warpbook.web.show import chance_shown
from warpbook.web.words import WORDS

# What people call a kind, one and several of it, and what it is.
KINDS = {
    "campaign": ("campaign", "campaigns", WORDS["campaign"]),
    "finding": ("finding", "findings", WORDS["finding"]),
    "hypothesis": ("hypothesis", "hypotheses", WORDS["hypothesis"]),
    "experiment": ("experiment", "experiments", WORDS["experiment"]),
    "rung": ("kernel", "kernels", "a rung of a problem, or a file of your own"),
    "problem": ("problem", "problems", WORDS["problem"]),
    "group": ("group", "groups", "more of the same, folded together; it opens"),
}
EDGES = {
    "supports": "a finding says that this holds, by its runs",
    "refutes": "a finding says that this does not hold, by its runs",
    "supersedes": "a finding takes the place of an earlier one",
    "refines": "a finding says more exactly what another or a hypothesis said",
    "tests": "an experiment measures what a hypothesis claims",
    "baseline": "an experiment holds its change against this kernel",
    "change": "an experiment tries this kernel",
    "measures": "an experiment is on this problem",
    "repeats": "an experiment does an earlier one again, in another environment",
    "in": "belongs to this campaign or problem",
}
# One thing does it, several do it.
VERBS = {
    "supports": ("supports", "support"),
    "refutes": ("refutes", "refute"),
    "supersedes": ("supersedes", "supersede"),
    "refines": ("refines", "refine"),
    "tests": ("tests", "test"),
    "measures": ("measures", "measure"),
    "repeats": ("repeats", "repeat"),
    "in": ("is in", "are in"),
}


def called(node: Node) -> str:
    """What a sentence calls a node."""
    return node.id if node.kind in ("finding", "hypothesis", "experiment") else node.text


def sentence(edge: Edge, nodes: Mapping[str, Node]) -> str:
    """`F-2 refutes H-3`."""
    start, end = nodes[edge.start], nodes[edge.end]
    several = start.kind == "group" and start.count != 1
    who = f"{called(start)}," if start.kind == "group" else called(start)
    if edge.type in ("baseline", "change"):
        return f"{who} {'have' if several else 'has'} {called(end)} as {edge.type}"
    return f"{who} {VERBS[edge.type][several]} {called(end)}"


def one_line(text: str) -> str:
    return printable(" ".join(text[: 2 * LONGEST_TEXT].split()))


def state_of(node: Node) -> str:
    """Also whether it is stale."""
    if node.kind == "group" or not node.state:
        return ""
    if node.stale and node.state != "stale":
        return f"{node.state}, stale"
    return node.state


def label(node: Node) -> str:
    """For those who do not see the picture: `hypothesis H-3, supported: it is faster`."""
    if node.kind == "group":
        return f"{one_line(node.text)}: open this group"
    name = f" {node.id}" if called(node) == node.id else ""
    state = f", {state_of(node)}" if state_of(node) else ""
    return f"{KINDS[node.kind][0]}{name}{state}: {one_line(node.text)[:200]}"


def tip(node: Node) -> str:
    """All that is known of a node here, a fact a line."""
    if node.kind == "group":
        return f"{one_line(node.text)}\nopens here, as far as there is room"
    text = one_line(node.text)
    lines = [
        ", ".join(filter(None, [f"{KINDS[node.kind][0]} {called(node)}", state_of(node)])),
        "" if called(node) == node.text else text + "…" * (len(node.text) >= LONGEST_TEXT),
        measured(node),
        f"belief {chance_shown(node.belief)}" if node.belief is not None else "",
        f"stale: {one_line(node.stale)}" if node.stale else "",
        f"tags: {one_line(', '.join(node.tags))[:200]}" if node.tags else "",
    ]
    return "\n".join(dict.fromkeys(filter(None, lines)))


def measured(node: Node) -> str:
    """`1.30x faster from 3 runs`."""
    if node.kind not in ("finding", "hypothesis", "experiment"):
        return ""
    runs = "1 run" if node.runs == 1 else f"{node.runs:,} runs"
    if node.gain is None or not node.metric:
        return runs
    metric = decode(Metric, node.metric)
    return f"{show_gain(node.gain, metric)} in {metric.name} from {runs}"
