"""A run as markup: samples, telemetry, steps, log, environment, receipt."""

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from warpbook.book.browse.run import Paper, Piece, RunView, moment
from warpbook.core.effect import show_gain, show_interval
from warpbook.core.run import MetricSamples
from warpbook.core.units import digits, microseconds, multiple, percentage
from warpbook.web import show
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.source import patch
from warpbook.web.svg.samples import samples
from warpbook.web.svg.telemetry import charts
from warpbook.web.words import word

LONGEST = 60_000
MICROSECONDS = "us"


def papers(found: Sequence[tuple[str, Paper]]) -> Markup:
    """The samples of several runs beside each other."""
    made = [
        h('<figure><figcaption>{} {}</figcaption>{}</figure>', show.ref(name),
          effect(paper.metrics[0]), picture(paper.metrics[0], paper))
        for name, paper in found
        if paper.metrics
    ]  # fmt: skip
    if not made:
        return Markup("")
    body = h('<div class="charts">{}</div>{}', join(made), legend())
    return show.section(h("Samples"), body, id_="samples")


def effect(one: MetricSamples) -> Markup:
    half = 1.96 * one.error
    return h(
        '<b>{}</b> <span class="muted">{}</span>',
        show_gain(one.gain, one.metric),
        show_interval(one.gain - half, one.gain + half, one.metric),
    )


def legend() -> Markup:
    return h(
        '<p class="muted keys"><span class="key k1"></span> change <span class="key k2"></span> '
        "baseline; both arms ran in turns, and dashed lines are their medians.</p>"
    )


def picture(one: MetricSamples, paper: Paper) -> Markup:
    floor = paper.floor if one.metric.unit == MICROSECONDS else None
    return samples(one, floor) + medians(one, paper)


def medians(one: MetricSamples, paper: Paper) -> Markup:
    unit = one.metric.unit
    parts = [
        f"{name} {number(statistics.median(values), unit)} ({len(values)} samples)"
        for name, values in (("change", one.change), ("baseline", one.baseline))
        if values
    ]
    if paper.floor and unit == MICROSECONDS and one.change:
        over = statistics.median(one.change) / paper.floor.us
        reached = percentage(1 / over)
        parts.append(
            f"floor {microseconds(paper.floor.us)}, set by {paper.floor.binds}: the change is at "
            f"{reached} of it ({multiple(over)} its time)"
        )
    return h('<p class="muted">{}</p>', "; ".join(parts))


def number(value: float, unit: str) -> str:
    if unit == MICROSECONDS:
        return microseconds(value)
    return f"{digits(value)} {unit}".rstrip()


def measured(view: RunView) -> Markup:
    """Every metric of a run, with its samples."""
    paper, line = view.paper, view.line
    if not paper.metrics:
        why = paper.note if line.state == "valid" else ""
        said = why or "It has no samples: only a run that was measured has."
        return show.section(h("Samples"), show.empty(said), id_="samples")
    made = [
        h("<figure><figcaption><code>{}</code> {}</figcaption>{}{}</figure>",
          text(one.metric.name, 100), effect(one), picture(one, paper), values(one, paper.order))
        for one in paper.metrics
    ]  # fmt: skip
    notes = join(h('<p class="muted">{}</p>', text(note, 600)) for note in paper.notes)
    body = h('<div class="charts">{}</div>{}{}', join(made), legend(), notes)
    return show.section(h("Samples"), body, id_="samples")


def values(one: MetricSamples, order: str) -> Markup:
    """The numbers themselves."""
    listed = (
        h("<p>{}: <code>{}</code></p>", name, text(", ".join(map(repr, numbers)), 6000))
        for name, numbers in (("baseline", one.baseline), ("change", one.change))
    )
    return h(
        '<details><summary>the numbers</summary><p class="muted">in the order they were taken, in '
        "turns {}</p>{}</details>",
        order, join(listed),
    )  # fmt: skip


def telemetry(view: RunView) -> Markup:
    line = view.line
    began = moment(line.started_at)
    place = "The device" if line.place in ("", "none") else text(line.place, 80)
    title = h("{} during {}", place, show.ref(line.name))
    if not view.readings or began is None:
        return show.section(
            title,
            show.empty(
                "The book has no telemetry of this device for that time. A worker records it once "
                "a second while it works."
            ),
            id_="telemetry",
        )
    body = charts(view.readings, began, moment(line.ended_at))
    return show.section(title, body, id_="telemetry")


def last(view: RunView) -> Markup:
    """What an experiment's page shows of its newest run; what is not there is left out."""
    printed = view.log is not None and bool(view.log.text.strip())
    parts = [
        telemetry(view) if view.readings else Markup(""),
        log(view) if printed else Markup(""),
        uncommitted(view),
        environment(view),
        receipt(view) if view.receipt else Markup(""),
    ]
    return join(parts)


def steps(view: RunView) -> Markup:
    if not view.steps:
        return Markup("")
    ends = [*(one.at for one in view.steps[1:]), view.line.ended_at]
    made = (
        h("<li>{} <span class=muted>{}</span></li>", text(one.text, 300), show.elapsed(one.at, end))
        for one, end in zip(view.steps, ends, strict=True)
    )
    body = h('<ol class="run-steps" tabindex="0">{}</ol>', join(made))
    return show.section(h("Steps"), body, id_="steps")


def log(view: RunView) -> Markup:
    name = view.line.name
    whole = h('<a href="/api/runs/{}/files/log">the whole log</a>', name)
    piece = view.log
    if piece is None or not piece.text.strip():
        said = "It has printed nothing." if piece else "Its log is not in this book."
        return show.section(h("Log of {}", show.ref(name)), show.empty(said), id_="log")
    before = h('<p class="muted">the last {} of {}</p>', show.bytes_(len(piece.text.encode())),
               show.bytes_(piece.total_bytes))  # fmt: skip
    body = h(
        '{}<pre class="output" tabindex="0">{}</pre>',
        "" if piece.whole else before, text(piece.text, LONGEST),
    )  # fmt: skip
    return show.section(h("Log of {}", show.ref(name)), body, whole, id_="log")


def uncommitted(view: RunView) -> Markup:
    piece = view.patch
    if piece is None or not piece.text:
        return Markup("")
    link = h('<a href="/api/runs/{}/files/diff.patch">the whole patch</a>', view.line.name)
    cut = (
        ""
        if piece.whole
        else h('<p class="muted">the first of {}</p>', show.bytes_(piece.total_bytes))
    )
    body = h("{}<details><summary>show it</summary>{}</details>", cut, patch(piece.text))
    return show.section(h("Uncommitted changes when it ran"), body, link, id_="patch")


def environment(view: RunView) -> Markup:
    paper = view.paper
    if not paper.environment and not paper.capture:
        return Markup("")
    captured = paper.capture
    repository = captured.get("repository")
    known = repository if isinstance(repository, Mapping) else {}
    commit = str(known.get("commit") or "")
    dirty = ", with uncommitted changes" if known.get("changed") else ""
    pairs: list[tuple[object, object]] = [
        (text(name, 60), text(value, 300)) for name, value in paper.environment.items()
    ]
    noted = (("host", "host"), ("platform", "platform"), ("python", "python"), ("folder", "cwd"))
    pairs += [
        (label, said(captured, key)) for label, key in noted if label not in paper.environment
    ]
    pairs += [
        ("commit", h("<code>{}</code>{}", commit[:12], dirty) if commit else None),
        (word("environment", "environment key"), view.line.environment_key),
    ]
    more = join(
        folded(label, captured.get(key))
        for label, key in (
            ("packages", "packages"), ("variables", "variables"), ("device", "device"),
            ("command line", "line"),
        )
    )  # fmt: skip
    return show.section(
        word("environment", "Environment"), show.facts(pairs) + more, id_="environment"
    )


def said(captured: Mapping[str, Any], key: str) -> Markup | None:
    value = captured.get(key)
    return text(str(value), 300) if value else None


def folded(label: str, value: Any) -> Markup:
    if not value:
        return Markup("")
    shown = json.dumps(value, indent=1, ensure_ascii=False, default=str)
    return h("<details><summary>{}</summary><pre>{}</pre></details>", label, text(shown, LONGEST))


def receipt(view: RunView) -> Markup:
    name, piece = view.line.name, view.receipt
    if piece is None:
        why = "It is running." if view.line.state == "running" else view.paper.note
        return show.section(word("receipt", "Receipt"), show.empty(why or "There is none."))
    link = h('<a href="/api/runs/{}/receipt">raw</a>', name)
    body = h(
        "<details><summary>{} of JSON</summary><pre>{}</pre></details>",
        show.bytes_(piece.total_bytes), text(pretty(piece), LONGEST),
    )  # fmt: skip
    return show.section(word("receipt", "Receipt"), body, link, id_="receipt")


def pretty(piece: Piece) -> str:
    if not piece.whole:
        return piece.text
    try:
        return json.dumps(json.loads(piece.text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return piece.text


def files(view: RunView) -> Markup:
    if not view.files:
        return Markup("")
    made = (
        h('<li><a href="/api/runs/{}/files/{}">{}</a> <span class=muted>{}</span></li>',
          view.line.name, quote(one.name), text(one.name, 300), show.bytes_(one.size_bytes))
        for one in view.files
    )  # fmt: skip
    return show.section(h("Files"), h('<ul class="plain">{}</ul>', join(made)), id_="files")
