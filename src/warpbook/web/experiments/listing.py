"""The table of all experiments: tabs, filters, rows, and those picked to be compared."""

from collections.abc import Sequence

from warpbook.book.browse.experiments import PAGE, Choices, Claim, Line, Listing
from warpbook.book.browse.selection import GROUPS, Wanted
from warpbook.book.browse.sides import MOST
from warpbook.book.experiments import STATES
from warpbook.core.units import digits
from warpbook.web import show
from warpbook.web.controls import select, tabs
from warpbook.web.markup import Markup, h, join, query_of, text
from warpbook.web.table import Column, page_of, table
from warpbook.web.visit import Query
from warpbook.web.words import word

TABS = (("", "all"), ("current", "running"), ("future", "waiting"), ("past", "past"))
DEVICES = ("cpu", "cuda", "none")
KINDS = ("kernel", "command")
LONGEST_TITLE = 160
MOST_CLAIMS = 3
COLUMNS = (
    Column(h('<span class="hidden">pick</span>')),
    Column("id", "id"),
    Column(word("experiment"), "title", wide=True),
    Column("state", "state"),
    Column(word("hypothesis", "for")),
    Column(word("prediction", "predicted"), number=True),
    Column(word("effect", "measured"), "effect", number=True),
    Column(word("run", "runs"), "runs", number=True),
    Column("cost a run", "cost", number=True),
    Column(word("worth"), "worth", number=True),
    Column("created", "created"),
)


def wanted(query: Query) -> Wanted:
    return Wanted(
        query.get("state", ""),
        query.get("campaign", ""),
        query.get("author", ""),
        query.get("tag", ""),
        query.get("device", ""),
        query.get("kind", ""),
        query.get("search", ""),
        query.get("sort", "-id"),
        page_of(query),
    )


def listing(found: Listing, asked: Wanted, known: Choices, query: Query) -> Markup:
    if not sum(found.counts.values()):
        return show.empty(
            "No experiments yet. One compares a change with its baseline, in turns, and is judged "
            "by what was predicted of it. Queue the first:",
            "warpbook try mine.py --on softmax --expect 1.2x..1.6x",
        )
    picked = picks(query)
    return join(
        [
            h('<div class="ways">{}</div>', ways(found, asked, query)),
            filters(asked, known, query),
            compare_bar(picked, query),
            rows(found, picked, query) if found.lines else nothing(asked, found.total),
        ]
    )


def ways(found: Listing, asked: Wanted, query: Query) -> Markup:
    counts = {"": sum(found.counts.values()), **found.counts}
    group = next((g for g, states in GROUPS.items() if asked.state in (g, *states)), "")
    return tabs(TABS, group, counts, query, "state")


def filters(asked: Wanted, known: Choices, query: Query) -> Markup:
    states = [*GROUPS.get(asked.state, STATES)]
    for group in GROUPS.values():
        if asked.state in group:
            states = [*group]
    choose = [
        select("campaign", "campaign", asked.campaign, known.campaigns),
        select("author", "author", asked.author, known.authors),
        select("device", "device", asked.device, DEVICES),
        select("kind", "kind", asked.kind, KINDS),
    ]
    if known.tags or asked.tag:
        choose.append(select("tag", "tag", asked.tag, known.tags))
    if len(states) > 1:
        first = asked.state if asked.state in GROUPS else ""
        choose.append(select("state", "state", asked.state, states, first))
    elif asked.state:
        choose.append(h('<input type="hidden" name="state" value="{}">', asked.state))
    clear = h('<a href="/experiments">clear</a>') if asked.filtered else ""
    return h(
        '<form data-query role="search" class="filters"><input type="search" name="search" '
        'value="{0}" placeholder="{1}" aria-label="{1}">{2}{3}</form>',
        query.get("search", ""), "titles, arms, claims, ids", join(choose), clear,
    )  # fmt: skip


def picks(query: Query) -> tuple[str, ...]:
    names = (name.strip() for name in query.get("pick", "").split(","))
    return tuple(dict.fromkeys(name for name in names if name))[:MOST]


def compare_bar(picked: Sequence[str], query: Query) -> Markup:
    if not picked:
        return Markup("")
    of = ",".join(picked)
    go = (
        h('<a class="button main" href="/experiments/compare{}">Compare {}</a>',
          query_of({}, of=of), len(picked))
        if len(picked) > 1
        else h('<span class="muted">pick another to compare it with</span>')
    )  # fmt: skip
    clear = h('<a data-query href="{}">none</a>', query_of(dict(query), pick=None))
    named = join((h("{}", name) for name in picked), ", ")
    return h('<div class="row picked" role="status">picked: {} {} {}</div>', named, go, clear)


def rows(found: Listing, picked: Sequence[str], query: Query) -> Markup:
    made = [row(line, picked, query) for line in found.lines]
    return h(
        '<section class="card experiments">{}</section>',
        table(COLUMNS, made, query, found.total, "experiments", PAGE, default="-id"),
    )


def row(line: Line, picked: Sequence[str], query: Query) -> list[Markup]:
    effect = line.effect
    about = " · ".join(
        filter(None, [line.workload, "" if line.device == "none" else line.device, line.author])
    )
    return [
        pick(line.name, picked, query),
        show.ref(line.name),
        h(
            '<a class="named-title" href="/experiments/{}">{}</a><div class="muted about">{} · {}'
            "</div>",
            line.name, text(line.title, LONGEST_TITLE), text(about, 120),
            show.campaign(line.campaign),
        ),
        h("{}{}", show.chip(line.state, line.reason), pinned(line)),
        join((claim(one) for one in line.claims[:MOST_CLAIMS]), " ") or show.NONE,
        join(foreseen(one) for one in line.claims[:MOST_CLAIMS]) or show.NONE,
        show.NONE
        if effect is None
        else show.effect(effect.gain, effect.low, effect.high, line.metric),
        h("{} of {}", line.runs_valid, line.runs_wanted),
        show.seconds(line.cost_s),
        worth(line),
        show.ago(line.created_at),
    ]  # fmt: skip


def pick(name: str, picked: Sequence[str], query: Query) -> Markup:
    """A box that is ticked by the address, so that it stays over pages and searches."""
    on = name in picked
    others = [one for one in picked if one != name]
    after = ",".join(others if on else [*others, name])
    changes = {"pick": after or None, **({"page": query["page"]} if "page" in query else {})}
    return h(
        '<a data-query data-tick="pick" data-value="{}" class="pick" role="checkbox" '
        'aria-checked="{}" aria-label="compare {}" href="{}">{}</a>',
        name, str(on).lower(), name, query_of(dict(query), **changes), "☑" if on else "☐",
    )  # fmt: skip


def pinned(line: Line) -> Markup:
    return h(' <span class="chip plain">pinned</span>') if line.pinned else Markup("")


def claim(one: Claim) -> Markup:
    tip = f"{one.status}: {one.claim}"
    tone = show.TONES.get(one.status, "plain")
    return h(
        '<a class="chip {}" href="/hypotheses/{}" data-tip="{}">{}</a>',
        tone, one.name, tip, one.name,
    )  # fmt: skip


def foreseen(one: Claim) -> Markup:
    came = h(" {}", show.chip(one.outcome)) if one.outcome else ""
    return h("<div>{}{}</div>", show.interval(one.low, one.high, one.metric), came)


def worth(line: Line) -> Markup:
    if line.state not in (*GROUPS["current"], *GROUPS["future"]):
        return show.NONE
    return h(
        '<span data-tip="{}" tabindex="0">{} bits</span>',
        f"{digits(line.score)} bits a second", digits(line.worth),
    )  # fmt: skip


def nothing(asked: Wanted, total: int) -> Markup:
    if total:
        return show.empty("There are no more experiments after these.")
    if not asked.search:
        return show.empty("No experiment is like that.")
    return show.empty(
        "No experiment has all these words. Titles, arms, commands, workloads, claims and reasons "
        "are searched, each word from its beginning; an id such as H-3 finds what it names."
    )
