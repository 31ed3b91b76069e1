"""One view of the knowledge graph: a campaign, or what is within two steps of one node.

At most 300 nodes. What there is no room for is folded into groups, which open one at a time and
page by page. Reads what it shows and counts the rest in SQL, never the whole book.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, cast, func, select, true
from sqlalchemy.orm import Session

from warpbook.book import campaigns, names
from warpbook.book.browse import families, nodes, picks
from warpbook.book.browse.families import Family
from warpbook.book.browse.knowledge import MOST_NODES, Edge, Node, Opened, View
from warpbook.book.browse.picks import Picks
from warpbook.book.browse.rungs import shelf
from warpbook.book.browse.sieve import Sieve, sieve
from warpbook.book.graph import PROBLEM, RUNG, problem_of
from warpbook.book.tables import Campaign, Experiment, Finding, Hypothesis, Run
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

OPEN_PAGE = 80
MOST_RUNGS, MOST_PROBLEMS = 30, 8
MOST_TAGS = 50
LATEST = 100  # rows of a kind that say which campaign was active last
NODE_LETTERS = "CFHE"


@dataclass(frozen=True)
class Ask:
    """What is asked for, as an address has it: a campaign or a node, else the campaign that was
    active last. `open` is the id of a group, `days` how far back."""

    campaign: str = ""
    node: str = ""
    open: str = ""
    page: int = 1
    tag: str = ""
    status: str = ""
    days: str = ""


def view(book: "Book", ask: Ask, now: datetime | None = None) -> View:
    """Without places; `layout.lay` gives them."""
    kept = sieve(ask.tag, ask.status, ask.days, now or datetime.now(UTC))
    with book.reading() as session:
        centre = centre_of(session, ask)
        opened = opening(session, ask, kept)
        first = [] if opened is None else opened.names
        if centre.kind == "campaign":
            home = int(centre.id[2:])
            chosen = picks.of_campaign(session, home, kept, first)
        else:
            home = centre.campaign_id
            chosen = picks.of_node(session, centre.id, kept, first)
        shown = nodes.read(session, chosen.names) | {centre.id: centre}
        shown, edges = with_kernels(session, shown, chosen, centre, opened)
        count(session, chosen, centre, kept, shown)
        shown, edges = with_groups(session, shown, edges, chosen)
        edges |= nodes.edges(session, shown)
        shown, edges = tied_to_campaign(session, shown, edges, centre, home)
        return View(
            scope=centre.id,
            centre=centre,
            campaign=families.name_of(session, f"C-{home}") if home else "",
            nodes=tuple(shown.values()),
            edges=tuple(sorted(edge for edge in edges if {edge.start, edge.end} <= {*shown})),
            opened=opened.told if opened else None,
            left_out=chosen.left_out,
            tags=tags(session, home),
        )


@dataclass
class Opening:
    """A group as it is opened: its family, the names on the page, and what is said of them."""

    family: Family
    names: list[str]
    told: Opened


def opening(session: Session, ask: Ask, kept: Sieve) -> Opening | None:
    """Of kernels, the names follow from the experiments shown, and are left to those."""
    if not ask.open:
        return None
    family = families.family_of(ask.open)
    page = max(min(ask.page, 1_000_000), 1)
    offset = (page - 1) * OPEN_PAGE
    ids: list[int] = []
    total = 0
    if family.kind != "rung":
        ids, total = families.members(session, family, kept, OPEN_PAGE, offset)
    of = families.name_of(session, family.of)
    told = Opened(
        ask.open, families.said(family, of), page, offset + 1, offset + len(ids), total
    )  # fmt: skip
    letter = family.kind[0].upper()
    return Opening(family, [f"{letter}-{id_}" for id_ in ids], told)


def centre_of(session: Session, ask: Ask) -> Node:
    if ask.node.startswith((RUNG, PROBLEM)):
        return kernel_centre(session, ask.node)
    if ask.node:
        letter, number = names.split_name(ask.node)
        if letter not in NODE_LETTERS:
            raise BadInput(f"{ask.node!r} is not in the graph: give F-7, H-3, E-31 or a kernel")
        names.get_any(session, ask.node)
        id_ = f"{letter}-{number}"
    else:
        id_ = f"C-{campaigns.find(session, ask.campaign).id if ask.campaign else latest(session)}"
    return nodes.read(session, [id_])[id_]


def kernel_centre(session: Session, name: str) -> Node:
    """A shipped one, or one that an experiment has."""
    problem = (problem_of(name) if name.startswith(RUNG) else name).removeprefix(PROBLEM)
    outline, _ = shelf(problem)
    rung = name.rpartition("/")[2]
    shipped = outline is not None and (name.startswith(PROBLEM) or rung in outline.rungs)
    if not shipped and not families.with_kernel(session, name, Sieve()):
        raise BadInput(f"there is no kernel or problem {name[:80]!r} in this book")
    return kernel_node(name)


def kernel_node(name: str) -> Node:
    if name.startswith(PROBLEM):
        return Node(name, "problem", name.removeprefix(PROBLEM))
    return Node(name, "rung", name.removeprefix(RUNG))


def latest(session: Session) -> int:
    """The campaign that was active last: by its runs, or what was added to it. An archived one
    only where there is no other."""
    seen: dict[int, str] = {}
    for table, at in (
        (Run, Run.started_at),
        *((t, t.created_at) for t in families.TABLES.values()),
    ):
        home = Experiment.campaign_id if table is Run else table.campaign_id
        query = select(home, func.max(at)).where(
            table.id.in_(select(table.id).order_by(table.id.desc()).limit(LATEST))
        )
        query = query.join(Experiment) if table is Run else query
        for campaign, when in session.execute(query.group_by(home)):
            seen[campaign] = max(seen.get(campaign, ""), when)
    rows = session.execute(select(Campaign.id, Campaign.state, Campaign.created_at)).all()
    if not rows:
        raise BadInput("this book has no campaign; add one: warpbook campaign add NAME")
    best = max(rows, key=lambda row: (row.state != "archived", seen.get(row.id, ""), -row.id))
    return int(best.id)


def with_kernels(
    session: Session,
    shown: dict[str, Node],
    chosen: Picks,
    centre: Node,
    opened: Opening | None,
) -> tuple[dict[str, Node], set[Edge]]:
    """Add the kernels of the experiments shown, those most have in common first; fold the rest."""
    edges = nodes.kernels(session, nodes.numbers(chosen.measured, "E"))
    uses = Counter(edge.end for edge in edges)
    uses.update(ladder(centre))
    ranked = sorted(uses, key=lambda rung: (rung != centre.id, -uses[rung], rung))
    own, rest = ranked[:MOST_RUNGS], ranked[MOST_RUNGS:]
    if opened and opened.family.kind == "rung":
        of = [rung for rung in rest if problem_of(rung) == opened.family.of]
        page = of[opened.told.first - 1 : opened.told.first - 1 + OPEN_PAGE]
        own, rest = [*own, *page], [rung for rung in rest if rung not in page]
        last = opened.told.first - 1 + len(page)
        opened.told = replace(opened.told, last=last, total=len(of))
    homes = Counter(problem_of(rung) for rung in own).most_common()
    problems = [problem for problem, _ in homes][:MOST_PROBLEMS]
    into = {rung: Family("rung", problem_of(rung)).id for rung in rest}
    chosen.counted.update(Counter(Family("rung", problem_of(rung)) for rung in rest))
    added = {name: kernel_node(name) for name in [*own, *problems]}
    found = {replace(edge, end=into.get(edge.end, edge.end)) for edge in edges}
    found |= {Edge(rung, "in", problem_of(rung)) for rung in own}
    if centre.kind == "problem":
        found |= {Edge(name, "measures", centre.id) for name in chosen.measured}
    return shown | added, found


def ladder(centre: Node) -> Iterable[str]:
    """Around a shipped problem, all its rungs; around a kernel, itself."""
    if centre.kind == "rung":
        return [centre.id]
    outline = shelf(centre.text)[0] if centre.kind == "problem" else None
    return [f"{RUNG}{centre.text}/{rung}" for rung in outline.rungs] if outline else []


def count(
    session: Session,
    chosen: Picks,
    centre: Node,
    kept: Sieve,
    shown: dict[str, Node],
) -> None:
    """Count what is not shown, into as many groups as there is room for."""
    states = {name: node.state for name, node in shown.items()}
    room = MOST_NODES - len(shown) - 1
    if centre.kind == "campaign":
        picks.count_campaign(session, chosen, int(centre.id[2:]), kept, states, room)
        return
    near = nodes.numbers([name for name in chosen.near if name in shown], "H")
    picks.count_around(session, chosen, centre.id, near, kept, states)


def with_groups(
    session: Session,
    shown: dict[str, Node],
    edges: set[Edge],
    chosen: Picks,
) -> tuple[dict[str, Node], set[Edge]]:
    """Add the groups, the largest first, as far as there is room."""
    room = MOST_NODES - len(shown) - 1
    ranked = sorted(chosen.counted.items(), key=lambda item: (-item[1], item[0]))
    for _, number in ranked[room:]:
        chosen.left_out += number
    called = {of: families.name_of(session, of) for of in {f.of for f, _ in ranked[:room]}}
    for family, number in ranked[:room]:
        told = family.id in chosen.partial, family.id in chosen.open_ended
        shown[family.id] = families.group(family, number, called[family.of], *told)
        edges.add(Edge(family.id, tie(family), family.of))
    return shown, edges


def tie(family: Family) -> str:
    """How a group's members are tied to what they belong to."""
    if family.of.startswith(PROBLEM):
        return "in" if family.kind == "rung" else "measures"
    if family.of.startswith("C-"):
        return "in"
    if family.of.startswith(RUNG) or family.kind == "finding":
        return family.state
    return "tests"


def tied_to_campaign(
    session: Session, shown: dict[str, Node], edges: set[Edge], centre: Node, home: int
) -> tuple[dict[str, Node], set[Edge]]:
    """`in` a campaign is drawn where nothing else ties a node to the view, and for the centre."""
    if not home:
        return shown, edges
    campaign = f"C-{home}"
    tied = {name for edge in edges if edge.end in shown for name in (edge.start, edge.end)}
    for node in shown.values():
        lonely = node.id not in tied or node.id == centre.id
        if lonely and node.campaign_id == home:
            edges.add(Edge(node.id, "in", campaign))
    if campaign not in shown and any(edge.end == campaign for edge in edges):
        shown |= nodes.read(session, [campaign])
    elif centre.id == campaign and len(shown) > 1 and campaign not in {e.end for e in edges}:
        shown = {name: node for name, node in shown.items() if name != campaign}
    return shown, edges


def tags(session: Session, home: int) -> tuple[str, ...]:
    """Of a campaign's hypotheses and findings, the most used first."""
    found: Counter[str] = Counter()
    for table in (Hypothesis, Finding):
        within = [table.campaign_id == home] if home else []
        each: Any = func.json_each(table.tags).table_valued("value", name="each_tag")
        rows = session.execute(
            select(each.c.value, func.count())
            .select_from(table)
            .join(each, true())
            .where(cast(table.tags, String) != "[]", *within)
            .group_by(each.c.value)
            .order_by(func.count().desc())
            .limit(MOST_TAGS)
        )
        for value, number in rows:
            found[str(value)] += number
    return tuple(tag for tag, _ in found.most_common(MOST_TAGS))
