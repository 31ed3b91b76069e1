"""Dialogs that several pages share: what a person types, posted to the API as it is.

The API checks it, as the command line does; what it says to a mistake is shown in the form, and
nothing that was typed is lost. Knows nothing of any one page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warpbook.book.browse.campaigns import open_names
from warpbook.kernels.library import problem_names
from warpbook.lab.claims import BELIEF, LEAST
from warpbook.web.markup import Markup, attributes, h, join
from warpbook.web.words import word

if TYPE_CHECKING:
    from warpbook.book.book import Book

METRIC = "NAME:lower or higher:ratio or difference:unit, such as tokens_per_s:higher"


@dataclass(frozen=True)
class Choices:
    """What some fields offer; others may be typed."""

    campaigns: tuple[str, ...]
    problems: tuple[str, ...]


def choices(book: "Book") -> Choices:
    return Choices(open_names(book), tuple(problem_names()))


def opens(label: str, dialog: str, tone: str = "") -> Markup:
    """The button that opens a dialog."""
    return h('<button type="button" class="{}" data-open="{}">{}</button>', tone, dialog, label)


def dialog(
    id_: str, title: object, post: str, fields: Sequence[Markup], send: str,
    then: str = "", done: str = "",
) -> Markup:  # fmt: skip
    """`then` is where it leads, `{name}` filled from the answer; without it, `done` is said."""
    more = attributes(data_then=then or None, data_done=done or None)
    return h(
        '<dialog id="{0}" aria-labelledby="{0}-title"><form data-post="{1}"{2} class="fields">'
        '<h2 id="{0}-title">{3}</h2>{4}<p data-error role="alert"></p>'
        '<div class="row ends"><button type="button" data-close>Cancel</button>'
        '<button type="submit" class="main">{5}</button></div></form></dialog>',
        id_, post, more, title, join(fields), send,
    )  # fmt: skip


def field(
    name: str, label: str, hint: str = "", kind: str = "text", value: object = None, **more: object
) -> Markup:
    """`more` are further attributes: required, placeholder, data_type, list, min, max, step."""
    return h(
        '<label><span>{}</span><input name="{}" type="{}"{}>{}</label>',
        label, name, kind, attributes(value=value, autocomplete="off", **more), small(hint),
    )  # fmt: skip


def area(name: str, label: str, hint: str = "", rows: int = 3, **more: object) -> Markup:
    return h(
        '<label><span>{}</span><textarea name="{}" rows="{}"{}></textarea>{}</label>',
        label, name, rows, attributes(**more), small(hint),
    )  # fmt: skip


def several(name: str, label: str, hint: str, value: object = None) -> Markup:
    """A list, with commas between."""
    return field(name, label, hint, value=value, data_type="list")


def tick(name: str, label: str) -> Markup:
    return h(
        '<label class="tick"><input type="checkbox" name="{}"> <span>{}</span></label>', name, label
    )


def fixed(name: str, value: str) -> Markup:
    return h('<input type="hidden" name="{}" value="{}">', name, value)


def choice(
    name: str, label: str, options: Sequence[tuple[str, str]], hint: str = "", **more: object
) -> Markup:
    made = join(h('<option value="{}">{}</option>', value, shown) for value, shown in options)
    return h(
        '<label><span>{}</span><select name="{}"{}>{}</select>{}</label>',
        label, name, attributes(**more), made, small(hint),
    )  # fmt: skip


def small(hint: str) -> Markup | None:
    return h("<small>{}</small>", hint) if hint else None


def offered(id_: str, names: Sequence[str]) -> Markup:
    """Names that a field with `list=id_` suggests."""
    made = join(h('<option value="{}"></option>', name) for name in names)
    return h('<datalist id="{}">{}</datalist>', id_, made)


def folded(title: str, fields: Sequence[Markup]) -> Markup:
    return h("<details><summary>{}</summary>{}</details>", title, join(fields))


def home(id_: str, known: Choices, campaign: str) -> Markup:
    """Which campaign: the one whose page this is, or any."""
    if campaign:
        return fixed("campaign", campaign)
    hint = "inbox by default"
    here = f"{id_}-campaigns"
    return field("campaign", "Campaign", hint, list=here) + offered(here, known.campaigns)


def new_campaign() -> Markup:
    return dialog(
        "new-campaign", h("New {}", word("campaign")), "/api/campaigns",
        [
            field("name", "Name", required=True, autofocus=True, maxlength=200),
            area("goal", "Goal", "What it is after, in words.", 2),
            field("aim", "Gain aimed at", "Such as 2x or -20%.", placeholder="2x"),
            field("metric", "Metric", f"{METRIC}. The time of a kernel by default."),
            field("budget_s", "Device time", "30m, 2h or 1.5d; the campaign stops when it is "
                  "spent. No limit by default.", data_type="span", placeholder="2h"),
            field("budget_money", "Money", "In the book's currency.", data_type="number",
                  inputmode="decimal"),
            folded("What it is about", [
                field("workload", "Workload"), field("device", "Device", "cpu or cuda"),
            ]),
        ],
        "Start it", then="/campaigns/{number}",
    )  # fmt: skip


def budget(campaign: str, number: str) -> Markup:
    return dialog(
        "budget", f"Budget of {campaign}", f"/api/campaigns/{number}/budget",
        [
            field("budget_s", "Device time", "30m, 2h or 1.5d; none lifts the limit. What is left "
                  "empty stays as it is.", data_type="span", autofocus=True),
            field("budget_money", "Money", "In the book's currency; none lifts the limit.",
                  data_type="number", inputmode="decimal"),
        ],
        "Set it", done="the budget is set",
    )  # fmt: skip


def claim_parts(id_: str, known: Choices, campaign: str) -> list[Markup]:
    return [
        field("at_least", "At least", f"The least effect that matters: 3%, 1.05x. {LEAST} by "
              "default.", placeholder=LEAST),
        choice("worse", "Direction", [("", "it gets better"), ("true", "it gets worse")],
               data_type="boolean"),
        area("because", "Because", "Why you expect it. Markdown."),
        field("belief", "Belief", f"How likely you think it is, 0.01 to 0.99; {BELIEF} by "
              "default.", data_type="number", inputmode="decimal", placeholder=BELIEF),
        home(id_, known, campaign),
        several("tags", "Tags", "With commas between."),
        several("guards", "Guards", "Metrics that may get worse by at most so much: "
                "accuracy:higher:difference:points=1"),
    ]  # fmt: skip


def new_hypothesis(known: Choices, campaign: str = "") -> Markup:
    id_ = "new-hypothesis"
    parts = claim_parts(id_, known, campaign)
    metric = field(
        "metric", "Metric", f"{METRIC}. The campaign's by default, or the time of a kernel."
    )
    return dialog(
        id_, h("New {}", word("hypothesis")), "/api/hypotheses",
        [
            area("claim", "Claim", "What change moves what, in words.", 2, required=True,
                 autofocus=True, maxlength=2000),
            *parts[:3], metric, *parts[3:],
        ],
        "Claim it", then="/hypotheses/{name}",
    )  # fmt: skip
