"""A book, or one campaign, as one HTML file to send to someone: the pages' own pictures, without
the dashboard.

It opens from disk, asks for nothing over the network, and its policy forbids it. Knows pages by
the functions that draw them.
"""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

import warpbook
from warpbook.book.book import Book
from warpbook.book.browse import calibration as outcomes
from warpbook.book.browse import (
    campaigns,
    experiment,
    experiments,
    findings,
    hypotheses,
    ladders,
    layout,
    lessons,
)
from warpbook.book.browse.campaigns import Glance
from warpbook.book.browse.neighbourhood import Ask, view
from warpbook.book.browse.selection import Wanted
from warpbook.web import show
from warpbook.web.campaigns.claims import claims
from warpbook.web.experiments import runs
from warpbook.web.experiments.detail import top
from warpbook.web.markup import Markup, h, join
from warpbook.web.offline import offline
from warpbook.web.pages import calibration, campaign, finding, hypothesis, ladder
from warpbook.web.pages import experiment as experiment_page
from warpbook.web.svg.graph import graph
from warpbook.web.visit import ASSETS

MOST_CAMPAIGNS, MOST_CLAIMS, MOST_EXPERIMENTS, MOST_FINDINGS = 20, 100, 100, 100


@dataclass(frozen=True)
class Part:
    """What one page shows, by the page's address."""

    address: str
    id: str
    title: str
    body: Markup


def report(book: Book, name: str | None = None) -> str:
    """The file's text."""
    chosen = [campaigns.glance(book, name)] if name else with_claims(book)
    made = [part for one in chosen for part in of_campaign(book, one)]
    if name is None:
        made += [*of_kernels(book), *of_calibration(book)]
    title = f"{book.folder.name}: {chosen[0].name}" if name else book.folder.name
    return whole(title, made)


def with_claims(book: Book) -> list[Glance]:
    wanted = campaigns.Wanted(state="all", rows=MOST_CAMPAIGNS)
    return [one for one in campaigns.listing(book, wanted).glances if any(one.counts.values())]


def of_campaign(book: Book, one: Glance) -> Iterator[Part]:
    found = hypotheses.listing(book, hypotheses.Wanted(one.number, rows=MOST_CLAIMS))
    lesson = lessons.lessons(book, one.number)
    drawn = campaign.overview(one, lesson, book.settings.currency)
    claimed = show.section("Hypotheses", claims(found.lines, {}, found.total))
    picture = graph(layout.lay(book, view(book, Ask(campaign=one.number))))
    known = show.section("How it hangs together", h('<div class="kg-frame">{}</div>', picture))
    rest = left_out("hypotheses", found.total, len(found.lines))
    body = drawn + claimed + rest + known
    yield Part(f"/campaigns/{one.number}", one.number, one.name, body)
    for line in found.lines:
        body = hypothesis.whole(hypothesis.gather(book, line.name))
        yield Part(f"/hypotheses/{line.name}", line.name, line.claim, body)
    yield from of_findings(book, one)
    yield from of_experiments(book, one)


def of_findings(book: Book, one: Glance) -> Iterator[Part]:
    wanted = findings.Wanted(campaign=one.number, rows=MOST_FINDINGS)
    for line in findings.listing(book, wanted).lines:
        body = finding.whole(findings.detail(book, line.name))
        yield Part(f"/findings/{line.name}", line.name, line.statement, body)


def of_experiments(book: Book, one: Glance) -> Iterator[Part]:
    """The newest of them, with their runs' samples."""
    for page in range(1, 1 + MOST_EXPERIMENTS // experiments.PAGE):
        found = experiments.listing(book, Wanted(campaign=one.number, page=page))
        for line in found.lines:
            gathered = experiment_page.gather(book, line.name)
            valid = [run.name for run in gathered.detail.runs if run.state == "valid"]
            samples = runs.papers(experiment.papers(book, tuple(valid[: experiment.MOST_PAPERS])))
            body = top(gathered.detail, gathered.reasons) + samples
            yield Part(f"/experiments/{line.name}", line.name, line.title, body)


def of_kernels(book: Book) -> Iterator[Part]:
    """Of ladders that were measured in this book."""
    for entry in ladders.entries(book):
        if entry.mine is not None and entry.mine.timed:
            body = ladder.whole(entry.mine, {})
            yield Part(entry.address, f"kernel-{entry.label}", entry.label, body)


def of_calibration(book: Book) -> Iterator[Part]:
    drawn = calibration.whole(
        outcomes.tallies(book), outcomes.points(book, ""), outcomes.sharpness(book, ""), "", {}
    )
    yield Part("/calibration", "calibration", "Calibration", drawn)


def left_out(what: str, total: int, shown_: int) -> Markup:
    if shown_ >= total:
        return Markup("")
    return h('<p class="muted">{} more {} are in the book.</p>', f"{total - shown_:,}", what)


def whole(title: str, parts: list[Part]) -> str:
    places = {part.address: part.id for part in parts}
    for part in parts:
        if part.id.startswith("C-"):
            places[f"/campaigns/{quote(part.title)}"] = part.id
    script = (ASSETS / "warpbook.js").read_text(encoding="utf-8")
    body = join(one(part, places) for part in parts) if parts else show.empty(NOTHING)
    return h(
        FRAME,
        policy=f"{POLICY} script-src 'sha256-{digest(script)}'",
        title=title,
        style=Markup("\n").join(Markup(style) for style in styles()),
        script=Markup(script),
        made=show.ago(datetime.now(UTC).isoformat()),
        version=warpbook.__version__,
        ways=join(way(part) for part in parts),
        body=body,
    )


NOTHING = "Nothing was claimed in this book yet, so there is nothing to report."
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: a report by Warpbook</title>
<style>{style}</style><script>{script}</script></head>
<body><main id="main"><div class="title"><h1>{title}</h1>
<span class="muted">made {made} by Warpbook {version}</span></div>
<details class="card"><summary>What is in here</summary><ul class="list">{ways}</ul></details>
{body}</main></body></html>
"""


def styles() -> list[str]:
    return [file.read_text(encoding="utf-8") for file in sorted(ASSETS.glob("*.css"))]


def digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def one(part: Part, places: dict[str, str]) -> Markup:
    return h('<section class="part" id="{}">{}</section>', part.id, offline(part.body, places))


def way(part: Part) -> Markup:
    title = part.title if part.id == part.title else f"{part.id} {part.title}"
    return h('<li><a href="#{}">{}</a></li>', part.id, title[:200])
