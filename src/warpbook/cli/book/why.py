"""`warpbook why` and `graph`: from a claim down to its samples, and all of it at once."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import short
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable
from warpbook.core.units import digits
from warpbook.core.wording import evidence

MOST_SAMPLES = 8

Node = dict[str, Any]


@guarded
def why(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="F-7, H-3, E-31 or R-57.", show_default=False)
    ],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Walk from a finding or a claim down to its runs and their raw samples."""
    from warpbook.book.why import why as walk

    with opened(book) as opened_book:
        found = walk(opened_book, name)
    if json:
        show_json(found)
    else:
        for line in branches(found):
            console().print(line, soft_wrap=True)
    return 0


@guarded
def graph(
    campaign: options.InCampaign = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Give all findings, hypotheses, experiments and kernels, and what ties them (--json)."""
    from warpbook.book.graph import graph as whole

    with opened(book) as opened_book:
        found = whole(opened_book, campaign)
    if json:
        show_json(found)
        return 0
    nodes = Counter(node["kind"] for node in found["nodes"])
    edges = Counter(edge["type"] for edge in found["edges"])
    for what, counts in (("nodes", nodes), ("edges", edges)):
        listed = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        console().print(f"{what}: {listed or 'none'}")
    return 0


def branches(node: Node, first: str = "", rest: str = "") -> Iterator[str]:
    """Each node as a line, what is known of it below that, and then what it rests on. `first` and
    `rest` are what stands before its own line and before those below."""
    link = f"{node['link']} " if "link" in node else ""
    if node.get("shown_above"):
        yield f"{first}{link}{node['name']}, see above"
        return
    yield printable(f"{first}{link}{node['name']}  {node['text']}")
    below = node["below"]
    told = TOLD[node["kind"]](node)
    for line in told:
        yield printable(f"{rest}{'│' if below else ' '}    {line}")
    for number, under in enumerate(below, 1):
        last = number == len(below)
        more = rest + ("    " if last else "│   ")
        yield from branches(under, rest + ("└── " if last else "├── "), more)


def finding_lines(node: Node) -> list[str]:
    device = (node["environment"] or {}).get("device", "")
    effect = f"{with_interval(node)} from {node['n']} runs" + (f" on {device}" if device else "")
    lines = [effect if node["effect_text"] else ""]
    if node["state"] == "withdrawn":
        lines.append("withdrawn")
    if node["stale"]:
        lines.append(f"stale: {node['stale']}; measure again: {node['rerun']}")
    return [line for line in lines if line]


def hypothesis_lines(node: Node) -> list[str]:
    state = "withdrawn" if node["state"] == "withdrawn" else node["verdict"]
    lines = [f"{state}; belief {node['belief']:.2f}"]
    if node["runs"]:
        odds = evidence(node["log_support"], node["log_refute"])
        lines.append(f"{with_interval(node)} from {node['runs']} runs; evidence {odds}")
        lines.append(f"basis: {node['basis']}")
    if node["because"]:
        lines.append(f"because {node['because']}")
    if node["stale"]:
        lines.append(f"stale: {node['stale']}")
    return lines


def experiment_lines(node: Node) -> list[str]:
    reason = f": {node['state_reason']}" if node["state_reason"] else ""
    lines = [f"{node['state']}{reason}"]
    if node["prediction"]:
        came = node["prediction"]["outcome"] or "not scored"
        predicted = node["prediction"]["interval_text"]
        lines.append(f"{node['prediction']['author']} predicted {predicted}: {came}")
    for side in ("baseline", "change"):
        arm = node[side]
        lines.append(f"{side}: {arm['command'] or arm['label']} ({arm['sha256'][:12]})")
    return lines


def run_lines(node: Node) -> list[str]:
    quoted = "; quoted" if node["quoted"] else ""
    lines = [f"{node['state']}, for {node['purpose']}{quoted}"]
    for one in node["metrics"]:
        unit = one["metric"]["unit"]
        for side in ("baseline", "change"):
            told = f"{one['metric']['name']} of the {side}"
            lines.append(f"{told}{f' in {unit}' if unit else ''}: {listed(one[side])}")
    receipt = node["receipt"]
    if receipt["path"]:
        lines.append(f"all samples: {receipt['path']}")
    return lines + [f"the receipt does not hold: {what}" for what in receipt["problems"]]


def with_interval(node: Node) -> str:
    interval = f" ({node['interval_text']})" if node["interval_text"] else ""
    return f"{node['effect_text']}{interval}"


def listed(values: list[float]) -> str:
    more = f" and {len(values) - MOST_SAMPLES} more" if len(values) > MOST_SAMPLES else ""
    return short(" ".join(map(digits, values[:MOST_SAMPLES])), 80) + more


TOLD = {
    "finding": finding_lines,
    "hypothesis": hypothesis_lines,
    "experiment": experiment_lines,
    "run": run_lines,
}
