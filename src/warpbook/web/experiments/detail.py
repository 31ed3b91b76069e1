"""One experiment as markup: what can be done with it, what it is, what was predicted and measured,
and its runs."""

from collections.abc import Mapping

from warpbook.book.browse.experiment import MOST_RUNS, Detail
from warpbook.book.browse.experiments import Claim
from warpbook.book.browse.run import RunLine
from warpbook.book.browse.speaking import Tied
from warpbook.core.effect import Metric
from warpbook.core.units import digits, percentage
from warpbook.core.wording import size
from warpbook.web import show
from warpbook.web.markup import Markup, attributes, h, join, text
from warpbook.web.svg import intervals
from warpbook.web.table import Column, table
from warpbook.web.visit import heading
from warpbook.web.words import word

LONGEST_TITLE = 300
MOST_DRAWN = 12
ENDED = ("done", "disqualified", "failed", "moot", "cancelled")
COLUMNS = (
    Column(word("run")),
    Column("state"),
    Column("for"),
    Column(word("effect"), number=True),
    Column("within the run", number=True),
    Column("took", number=True),
    Column("started"),
    Column("what came of it", wide=True),
)


def top(detail: Detail, reasons: Mapping[str, Markup]) -> Markup:
    """`reasons` are by hypothesis, as markup."""
    line = detail.line
    title = h(
        "{}: {} {}{}", line.name, text(line.title, LONGEST_TITLE), show.chip(line.state),
        h(' <span class="chip plain">pinned</span>') if line.pinned else "",
    )  # fmt: skip
    why = h('<p class="lead">{}</p>', show.linked(line.reason)) if line.reason else ""
    left = show.section(h("{} and {}", word("prediction", "Predicted"), "measured"), seen(detail))
    claims = show.section(h("What it is for"), claims_of(detail, reasons))
    right = show.section(h("About"), facts(detail))
    return join(
        [
            heading(title),
            h("{}", why),
            actions(detail),
            notices(detail),
            h('<div class="split even"><div>{}{}</div><div>{}{}</div></div>', left,
              findings(detail.findings), claims, right),
            show.section(h("Runs"), runs(detail), id_="runs"),
        ]
    )  # fmt: skip


def actions(detail: Detail) -> Markup:
    line = detail.line
    at, state = f"/api/experiments/{line.name}", line.state
    running = [run.name for run in detail.runs if run.state == "running"]
    held = state == "held" or detail.imported
    made = [
        act("Re-run", f"{at}/rerun", "once more, however it ended; where a file that its commands "
            "name was edited, as a new experiment", tone="main", then="/experiments/{name}")
        if state in ENDED and not held else None,
        act("Queue", f"{at}/queue", "its predictions are locked from then on", tone="main")
        if state == "draft" else None,
        act("Cancel", f"{at}/cancel", "take it out of the queue; what has run stays",
            confirm=f"Take {line.name} out of the queue?")
        if state in ("queued", "draft", "held") else None,
        act("Unpin", f"{at}/unpin", "let it wait its turn again") if line.pinned
        else act("Pin", f"{at}/pin", "ahead of all that is not pinned")
        if state == "queued" else None,
        act("3 more runs", f"{at}/more", "besides those it is to have", '{"runs": 3}')
        if not held and state != "disqualified" else None,
        act("Measure noise", f"{at}/noise",
            "8 runs of its baseline against itself: how much this machine strays",
            then="/experiments/{name}")
        if not held else None,
        *(act(f"Stop {run}", f"/api/runs/{run}/stop", "end its processes; what it measured is lost",
              confirm=f"Stop {run}?", tone="danger") for run in running),
        h('<button type="button" data-open="new-finding">Record a finding</button>')
        if line.effect else None,
        h('<a class="button" href="/graph?node={}">Graph</a>', line.name),
        h('<a class="button" href="/experiments?pick={}">Compare</a>', line.name),
    ]  # fmt: skip
    return h('<div class="row acts">{}</div>', join(one for one in made if one is not None))


def act(
    label: str, post: str, tip: str, body: str = "", confirm: str = "", tone: str = "",
    then: str = "",
) -> Markup:  # fmt: skip
    """A button that posts to the API, says what it does, and may lead to the answer's page."""
    more = attributes(
        data_body=body or None, data_confirm=confirm or None, data_then=then or None, data_tip=tip
    )
    return h(
        '<button type="button" class="{}" data-post="{}"{}>{}</button>', tone, post, more, label
    )


def notices(detail: Detail) -> Markup:
    """What one should know before reading on."""
    line = detail.line
    said = []
    if line.state == "held" or detail.imported:
        said.append(
            h("It came from another book, and runs once somebody has seen all that it would "
              "execute: <code>warpbook release {}</code>", line.name)
        )  # fmt: skip
    if detail.repeats:
        said.append(h("It repeats {}.", show.ref(detail.repeats)))
    if detail.repeated_by:
        said.append(h("It is repeated by {}.", show.refs(detail.repeated_by)))
    if detail.left:
        many = "rest" if len(detail.left) > 1 else "rests"
        said.append(
            h("{} {} {} on other arms or another environment by now: these runs no longer count "
              "there.", show.chip("stale"), show.refs(detail.left), many)
        )  # fmt: skip
    said += [
        h("{} {}: {}", show.chip("stale"), show.ref(one.name), show.linked(one.stale))
        for one in line.claims
        if one.stale
    ]
    return join(h('<p class="notice">{}</p>', one) for one in said)


def seen(detail: Detail) -> Markup:
    """Each prediction, each run, and the runs together, on one axis."""
    line = detail.line
    rows = [
        intervals.predicted(f"predicted by {one.author}", one.low, one.high, one.metric, one.name)
        for one in line.claims
        if one.metric.name == line.metric.name
    ]
    made = [run for run in detail.runs if run.gain is not None and run.counts][:MOST_DRAWN]
    rows += [
        intervals.of_run(run.name, purpose(run), run.gain or 0.0, run.error or 0.0, line.metric)
        for run in reversed(made)
    ]
    if line.effect:
        count = f"{line.effect.runs} run{'s' * (line.effect.runs != 1)} together"
        shown = line.effect
        rows.append(intervals.pooled(count, shown.gain, shown.low, shown.high, line.metric))
    if not rows:
        return show.empty("Nothing was predicted of it, and it has no valid run yet.")
    least = [one.least for one in line.claims if one.metric.name == line.metric.name]
    return intervals.intervals(rows, line.metric, least) + beneath(detail, len(made))


def purpose(run: RunLine) -> str:
    return "" if run.purpose == "evidence" else f"for {run.purpose}"


def beneath(detail: Detail, drawn: int) -> Markup:
    line = detail.line
    said = [f"{line.metric.name}, {line.metric.better} is better; right is better."]
    if line.metric.scale == "difference" and line.metric.sign < 0:
        said = [f"{line.metric.name}, {line.metric.better} is better; left is better."]
    if line.claims:
        said.append("Bands are 80% predictions; the dashed line is the least effect claimed.")
    if line.effect:
        said.append("The diamond has the 95% interval of the runs; lines are errors within a run.")
        if line.effect.runs > drawn:
            said.append(f"{line.effect.runs - drawn:,} earlier runs are not drawn.")
    elif line.claims:
        said.append("No valid run yet.")
    return h('<p class="muted">{}</p>', " ".join(said))


def claims_of(detail: Detail, reasons: Mapping[str, Markup]) -> Markup:
    if not detail.line.claims:
        if detail.plan.baseline.sha256 == detail.plan.change.sha256:
            return h(
                "<p>Both arms are the same: it measures the {} that verdicts rest on.</p>",
                word("noise"),
            )
        return h("<p>No {}: it explores, and decides nothing.</p>", word("hypothesis"))
    made = (h("<li>{}</li>", claim(one, reasons.get(one.name))) for one in detail.line.claims)
    return h('<ul class="list">{}</ul>', join(made))


def claim(one: Claim, reason: Markup | None) -> Markup:
    least = size(one.least, one.metric)
    worse = " worse" if one.least < 0 else ""
    locked = h("locked {}", show.ago(one.locked_at)) if one.locked_at else h("not locked yet")
    return h(
        '<div class="row">{} {} {}</div><p class="claim">{}</p>{}<p class="muted">at least {}{}; '
        "{} expects {}{}, {}</p>",
        show.ref(one.name),
        show.chip(one.status),
        show.belief(one.belief),
        text(one.claim),
        h('<div class="because">{}</div>', reason) if reason else "",
        least,
        worse,
        one.author,
        show.interval(one.low, one.high, one.metric),
        h(" {}", show.chip(one.outcome)) if one.outcome else "",
        locked,
    )


def facts(detail: Detail) -> Markup:
    line, plan = detail.line, detail.plan
    spent = show.seconds(detail.spent_s)
    if detail.spent_money:
        spent = h("{}, {}", spent, show.money(detail.spent_money, detail.currency))
    waits = line.state in ("queued", "running")
    return show.facts(
        [
            (word("change"), arm(plan.change.label, plan.change.command)),
            (word("baseline"), arm(plan.baseline.label, plan.baseline.command)),
            (word("problem"), text(plan.problem, 200) if plan.problem else None),
            (word("workload"), text(line.workload, 200) if line.workload else None),
            ("device", line.device),
            (word("campaign"), show.campaign(line.campaign)),
            (word("run", "runs"), h("{} of {} made", line.runs_valid, line.runs_wanted)),
            ("cost", h("about {} a run; spent {}", show.seconds(line.cost_s), spent)),
            (word("worth"), h("{} bits a run, {} a second", digits(line.worth), digits(line.score))
             if waits else None),
            ("priority", str(detail.priority) if detail.priority else None),
            (word("noise"), noise(detail)),
            ("folder", text(plan.cwd, 300) if plan.kind == "command" and plan.cwd else None),
            ("by", h("{}, {}", line.author, show.ago(line.created_at))),
        ]
    )  # fmt: skip


def arm(label: str, command: str) -> Markup:
    return h("<code>{}</code>", text(command or label, 400))


def noise(detail: Detail) -> Markup:
    found = detail.noise
    if not found.runs:
        return h("not measured here yet")
    ratio = detail.line.metric.scale == "ratio"
    shown = percentage(found.sigma) if ratio else f"{digits(found.sigma)} {detail.line.metric.unit}"
    few = "" if found.enough else ", too few to lean on"
    many = f"{found.runs} run{'s' * (found.runs != 1)}"
    return h("{} between runs, from {} of A against A{}", shown, many, few)


def findings(found: tuple[Tied, ...]) -> Markup:
    if not found:
        return Markup("")
    made = (
        h("<li>{} {} {} {}</li>", show.ref(one.finding), one.type, text(one.statement, 600),
          show.chip("stale", one.stale) if one.stale else "")
        for one in found
    )  # fmt: skip
    body = h('<ul class="list">{}</ul>', join(made))
    return show.section(h("{} that rest on it", word("finding", "Findings")), body)


def runs(detail: Detail) -> Markup:
    if not detail.runs:
        return show.empty(
            "It has not run yet. A worker takes what waits, in the queue's order:", "warpbook work"
        )
    made = [run_row(one, detail.line.metric, detail.currency) for one in detail.runs]
    left = detail.runs_total - len(detail.runs)
    more = h('<p class="muted">the newest {}; {} before them</p>', MOST_RUNS, f"{left:,}")
    return table(COLUMNS, made, caption="runs") + (more if left > 0 else Markup(""))


def run_row(one: RunLine, metric: Metric, currency: str) -> list[Markup]:
    gain, error = one.gain, one.error
    half = None if error is None else 1.96 * error
    within = (
        show.NONE
        if gain is None or half is None
        else show.interval(gain - half, gain + half, metric)
    )
    took = show.seconds(one.seconds) if one.ended_at else show.elapsed(one.started_at)
    cost = h(", {}", show.money(one.money, currency)) if one.money else ""
    passed = one.state == "valid" and not one.counts
    reason = "a run after it was disqualified: it no longer counts" if passed else one.reason
    return [
        show.ref(one.name),
        show.chip(one.state),
        h("{}", one.purpose),
        show.gain(gain, metric),
        within,
        h("{}{}", took, cost),
        show.ago(one.started_at),
        text(reason, 300) if reason else Markup(""),
    ]
