"""The runs under way: what each is for, its steps with the time they took, and what it prints."""

import re
from collections.abc import Mapping, Sequence

from warpbook.book.browse.claims import Claim
from warpbook.book.browse.running import Progress, UnderWay
from warpbook.book.run_folder import Step
from warpbook.core import units
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.now.tiles import label_of
from warpbook.web.words import word

LATEST_STEPS = 8
LAST_NUMBER = re.compile(r"\d+$")
PURPOSES = {
    "noise": "the baseline against itself, to know the noise here",
    "confirm": "a fresh run, to confirm",
}


def running(
    runs: Sequence[UnderWay],
    total: int,
    progress: Mapping[str, Progress],
    here: Mapping[str, str],
    is_first: bool,
) -> Markup:
    """`is_first`: no run of this book has come out yet."""
    cards = [card(run, progress[run.run], here) for run in runs]
    if is_first and cards:
        cards.insert(0, first())
    if total > len(runs):
        cards.append(h('<p class="muted">and {} more runs</p>', total - len(runs)))
    return join(cards)


def first() -> Markup:
    return h(
        '<p class="muted">No run of this book has come out yet. The steps below are what the first '
        "one is doing, each with the time it took. A {} needs at least 3 valid runs.</p>",
        word("verdict"),
    )


def idle(waits: bool, paused: bool, worker_lives: bool) -> Markup:
    """Why nothing runs."""
    if not waits:
        why = h("Nothing waits.")
    elif paused:
        why = h("The queue is paused: nothing starts until it is resumed.")
    elif worker_lives:
        why = h("A worker is alive, and takes the next experiment when its device is free.")
    else:
        why = h("Experiments wait, and no worker is alive: <code>warpbook work</code> runs them.")
    return show.section("Nothing is running", h('<p class="muted">{}</p>', why))


def card(run: UnderWay, progress: Progress, here: Mapping[str, str]) -> Markup:
    title = h("{} {}", show.ref(run.experiment), text(run.title, 200))
    body = h(
        '<div class="row muted">{}</div>{}<div class="live">{}{}</div>',
        *(facts(run, here), claims(run.claims), steps(run, progress.steps), output(progress)),
    )
    return show.section(title, body, stop(run), id_=run.run)


def stop(run: UnderWay) -> Markup:
    if run.stop_asked:
        return show.chip("stopping", "someone asked it to stop; its worker ends it")
    ask = f"Stop {run.run}? Its experiment is then cancelled; queue it again to go on."
    return show.button("Stop", f"/api/runs/{run.run}/stop", confirm=ask, tone="danger")


def facts(run: UnderWay, here: Mapping[str, str]) -> Markup:
    where = label_of(run.place, here) if run.place not in ("", "none") else ""
    parts = [
        show.chip("running"),
        show.ref(run.run),
        h("<span>{}</span>", counted(run)),
        h("<span>for {}</span>", show.elapsed(run.started_at)),
        h("<span>about {} expected</span>", show.seconds(run.cost_s)),
        h("<span>on {}</span>", text(where, 60)) if where else Markup(""),
        h("<span>by {} in {}</span>", text(run.author, 60), show.campaign(run.campaign)),
    ]
    return join(parts)


def counted(run: UnderWay) -> str:
    """Which of its valid runs this one may become."""
    if run.purpose == "noise":
        return f"{PURPOSES['noise']}: {run.valid + 1} of {run.wanted}"
    purpose = f", {PURPOSES[run.purpose]}" if run.purpose in PURPOSES else ""
    return f"valid run {run.valid + 1} of {run.wanted} wanted{purpose}"


def claims(found: Sequence[Claim]) -> Markup:
    if not found:
        return Markup("")
    return h('<ul class="list claims">{}</ul>', join(claim(one) for one in found))


def claim(one: Claim) -> Markup:
    return h(
        '<li>{} <span class="what">{}</span> <span class="row"><span>{} {}</span>'
        "<span>{} {}</span></span></li>",
        *(show.ref(one.name), text(one.text, 300)),
        *(word("prediction", "predicted"), show.interval(one.low, one.high, one.metric)),
        *(word("belief"), show.belief(one.belief)),
    )


def steps(run: UnderWay, found: Sequence[Step]) -> Markup:
    """From when the run was taken; the last step goes on."""
    taken = Step(run.started_at, f"taken by {run.worker}" if run.worker else "taken")
    told = merged([taken, *found])
    ends = [*(step.at for step in told[1:]), None]
    rows = [step_row(step, end) for step, end in zip(told, ends, strict=True)]
    early, late = rows[:-LATEST_STEPS], rows[-LATEST_STEPS:]
    before = (
        h(
            '<details><summary>{} earlier steps</summary><ol class="steps">{}</ol></details>',
            *(len(early), join(early)),
        )
        if early
        else ""
    )
    return h('<div><h3>Steps</h3>{}<ol class="steps">{}</ol></div>', before, join(late))


def merged(found: Sequence[Step]) -> list[Step]:
    """Steps that differ in their last number alone are one that counts: round 1, round 2."""
    made: list[Step] = []
    for step in found:
        if made and LAST_NUMBER.sub("", made[-1].text) == LAST_NUMBER.sub("", step.text):
            made[-1] = Step(made[-1].at, step.text)
        else:
            made.append(step)
    return made


def step_row(step: Step, end: str | None) -> Markup:
    return h(
        '<li{}><span>{}</span><span class="number">{}</span></li>',
        *(Markup(' class="going"') if end is None else "", text(step.text, 200)),
        show.elapsed(step.at, end),
    )


def output(progress: Progress) -> Markup:
    if not progress.output:
        return h('<div><h3>Output</h3><p class="muted">Nothing printed so far.</p></div>')
    size = h('<small class="muted">{} so far</small>', units.size(progress.total_bytes))
    return h(
        '<div><h3>Output {}</h3><div class="output" tabindex="0" role="log" aria-live="off" '
        'aria-label="output"><pre>{}</pre></div></div>',
        *(size, text(progress.output, 20_000)),
    )
