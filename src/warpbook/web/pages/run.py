"""One run: its effect and samples, its device meanwhile, its log, what it takes to repeat it."""

from warpbook.book.browse import run as browse
from warpbook.book.browse.run import RunView
from warpbook.core.effect import show_gain, show_interval
from warpbook.web import show
from warpbook.web.experiments import runs
from warpbook.web.experiments.detail import act
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.now.remembered import Remembered
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading
from warpbook.web.words import word


@page("/runs/{name}", "Run")
async def run(visit: Visit) -> None:
    desk = visit.desk
    first = await desk.view(browse.view, visit.params["name"])
    name = first.line.name
    visit.title(f"{name} of {first.experiment}")

    shown = Remembered(whole)

    async def render(query: Query) -> Markup:
        found = await desk.view(browse.view, name)
        if found.line.state == "running":  # its files grow, and the book does not know
            found = await desk.ask(browse.view, name)
        return shown(found)

    await visit.panel(render, on="seconds" if first.line.state == "running" else "events")


def whole(view: RunView) -> Markup:
    line = view.line
    title = h("{} of {} {}", line.name, show.ref(view.experiment), show.chip(line.state))
    why = h('<p class="lead">{}</p>', show.linked(line.reason)) if line.reason else ""
    about = show.section(h("About"), facts(view)) + runs.steps(view)
    halves = h(
        '<div class="split even"><div>{}</div><div>{}</div></div>', runs.measured(view), about
    )
    below = (
        *(runs.telemetry, runs.log, runs.uncommitted, runs.environment, runs.receipt),
        runs.files,
    )
    return join(
        [
            heading(title),
            h('<p class="goal">{}</p>', text(view.title, 300)),
            h("{}", why),
            actions(view),
            halves,
            *(part(view) for part in below),
        ]
    )


def actions(view: RunView) -> Markup:
    line = view.line
    again = f"/api/experiments/{view.experiment}/rerun"
    stop = act(
        "Stop", f"/api/runs/{line.name}/stop", "end its processes; what it measured is lost",
        confirm=f"Stop {line.name}?", tone="danger",
    )  # fmt: skip
    rerun = act(
        f"Re-run {view.experiment}", again, "queue the experiment once more",
        then="/experiments/{name}",
    )  # fmt: skip
    return h('<div class="row acts">{}</div>', stop if line.state == "running" else rerun)


def facts(view: RunView) -> Markup:
    line, metric = view.line, view.metric
    shown = None
    if line.gain is not None:
        half = 1.96 * (line.error or 0.0)
        within = show_interval(line.gain - half, line.gain + half, metric)
        shown = h(
            '<b>{}</b> in {} <span class="muted">({} within the run)</span>',
            show_gain(line.gain, metric), text(metric.name, 80), within,
        )  # fmt: skip
    took = show.seconds(line.seconds) if line.ended_at else show.elapsed(line.started_at)
    return show.facts(
        [
            (word("experiment"), show.ref(view.experiment)),
            (word("effect"), shown),
            ("counts", "yes" if line.counts else "no"),
            ("purpose", line.purpose),
            ("took", took),
            ("cost", show.money(line.money, view.currency) if line.money else None),
            ("started", show.ago(line.started_at)),
            ("ended", show.ago(line.ended_at) if line.ended_at else None),
            ("device", text(line.place, 100) if line.place else None),
            ("executor", text(line.executor, 100)),
        ]
    )
