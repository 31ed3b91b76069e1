"""One experiment: claims and reasons, prediction against measurement, runs, samples, source."""

from dataclasses import dataclass

from warpbook.book.book import Book
from warpbook.book.browse import experiment as browse
from warpbook.book.browse.experiment import Detail
from warpbook.web import sayings
from warpbook.web.experiments import runs
from warpbook.web.experiments.detail import top
from warpbook.web.experiments.sources import sources
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup
from warpbook.web.now.remembered import Remembered
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit


@dataclass(frozen=True)
class Gathered:
    """Reasons and sources are made into markup here, off the event loop."""

    detail: Detail
    reasons: dict[str, Markup]


def gather(book: Book, name: str) -> Gathered:
    found = browse.detail(book, name)
    return Gathered(found, {of: markdown(said) for of, said in found.reasons.items() if said})


def source_of(book: Book, name: str) -> Markup:
    return sources(*browse.sources(book, name))


@page("/experiments/{name}", "Experiment")
async def experiment(visit: Visit) -> None:
    desk = visit.desk
    first = (await desk.view(gather, visit.params["name"])).detail
    name = first.line.name
    visit.title(f"{name}: {first.line.title[:80]}")

    async def above(query: Query) -> Markup:
        found = await desk.view(gather, name)
        return top(found.detail, found.reasons)

    async def samples(query: Query) -> Markup:
        found = (await desk.view(gather, name)).detail
        measured = [run.name for run in found.runs if run.state == "valid"]
        return runs.papers(await desk.view(browse.papers, tuple(measured[: browse.MOST_PAPERS])))

    shown = Remembered(runs.last)

    async def last(query: Query) -> Markup:
        found = await desk.view(browse.newest, name)
        if found and found.line.state == "running":  # its files grow, and the book does not know
            found = await desk.ask(browse.newest, name)
        return Markup("") if found is None else shown(found)

    await visit.panel(above)
    await visit.panel(samples)
    visit.fixed(await desk.ask(source_of, name))
    await visit.panel(last, on="seconds")
    visit.fixed(sayings.new_finding(supports=name))
