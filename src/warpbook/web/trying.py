"""The dialog that tries something: a change, what is expected of it, and the claim it is for.

The words and the defaults are those of `warpbook try`.
"""

from warpbook.web.forms import (
    METRIC,
    Choices,
    area,
    choice,
    claim_parts,
    dialog,
    field,
    fixed,
    folded,
    offered,
    tick,
)
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.words import word

ID = "try"
DEVICES = (
    ("", "the best here"),
    ("cpu", "cpu"),
    ("cuda", "cuda"),
    ("none", "none: a command that measures nothing on this machine"),
)


def trying(
    known: Choices, campaign: str = "", hypothesis: str = "", kind: str = "kernel"
) -> Markup:
    """`hypothesis` is the one it is for; without it a claim is made along with it, unless one is
    named. `kind` is what it is at first: a kernel or a command."""
    title = h("New {}{}", word("experiment"), f" for {hypothesis}" if hypothesis else "")
    claim = [fixed("hypothesis", hypothesis)] if hypothesis else [about(known, campaign)]
    return dialog(
        ID, title, "/api/try",
        [
            mode(kind),
            part("kernel", kind, kernel(known)),
            part("command", kind, command(bool(hypothesis))),
            field("expect", "You expect", "Your 80% interval. It is locked when it is queued.",
                  required=True, placeholder="1.2x..1.6x"),
            *claim,
            folded("Workload, device and runs", how()),
        ],
        "Queue it", then="/experiments/{name}",
    )  # fmt: skip


def mode(kind: str) -> Markup:
    """Not sent: it says which of the two parts is."""
    options = (("kernel", "a kernel: a file or a rung"), ("command", "a command"))
    made = join(
        h('<option value="{}"{}>{}</option>', value, attributes(selected=value == kind), label)
        for value, label in options
    )
    return h("<label><span>Change</span><select data-mode>{}</select></label>", made)


def part(name: str, chosen: str, fields: list[Markup]) -> Markup:
    off = name != chosen
    return h(
        '<fieldset data-for="{}"{}>{}</fieldset>',
        name, attributes(hidden=off, disabled=off), join(fields),
    )  # fmt: skip


def kernel(known: Choices) -> list[Markup]:
    return [
        field("change", "File or rung", "A file of this machine, its path from the book's folder; "
              "or the name of a rung.", required=True, placeholder="kernels/mine.py"),
        field("on", "On the problem", required=True, list="problems", placeholder="softmax"),
        offered("problems", known.problems),
        field("against", "Against", "A rung or a file; by default the rung that is fastest here."),
    ]  # fmt: skip


def command(known_metric: bool) -> list[Markup]:
    metric = field(
        "metric", "Metric", f"Which of what it prints is compared: {METRIC}.", required=True
    )
    return [
        area("command", "Command", "It prints JSON, and runs in the book's folder.", 2,
             required=True),
        area("baseline", "Baseline", "The command it is held against.", 2, required=True),
        *([] if known_metric else [metric]),
    ]  # fmt: skip


def about(known: Choices, campaign: str) -> Markup:
    return folded(
        "The claim",
        [
            field("hypothesis", "For", "A hypothesis that is there already, such as H-3; then "
                  "leave out the rest of the claim.", placeholder="H-3"),
            field("claim", "Claim", "In your words, instead of Warpbook's."),
            *claim_parts(ID, known, campaign),
        ],
    )  # fmt: skip


def how() -> list[Markup]:
    return [
        field("workload", "Workload", "By default the first that is timed on the device."),
        choice("device", "Device", DEVICES),
        field("runs", "Runs", "3 by default.", data_type="number", inputmode="numeric",
              placeholder="3"),
        field("title", "Title"),
        tick("pinned", "Ahead of all that is not pinned"),
    ]  # fmt: skip
