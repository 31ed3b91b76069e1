"""One rung looked at closely: what it is about, its times so far, its source and what is different
from the rung below."""

from collections.abc import Sequence
from urllib.parse import urlencode

from warpbook.book.book import Book
from warpbook.book.browse.ladders import Ladder
from warpbook.book.browse.marks import Mark
from warpbook.book.browse.rung_texts import Text, texts
from warpbook.book.browse.rungs import Step
from warpbook.core.units import interval_us
from warpbook.web import show, source
from warpbook.web.markup import Markup, attributes, h, join, text
from warpbook.web.svg import times
from warpbook.web.table import Column, table
from warpbook.web.words import word

HISTORY_ROWS = 12


def rung_head(found: Ladder, step: Step, query: dict[str, str]) -> Markup:
    """Which rung is looked at, and what it is about."""
    options = join(option(one.name, one.name, step.name) for one in found.steps)
    rest = {k: v for k, v in query.items() if k in ("device", "workload")}
    pick = h(
        '<form data-query><label>{} <select name="rung">{}</select></label></form>',
        word("rung"), options,
    )  # fmt: skip
    title = h('<h2 id="rung">{}</h2>', text(step.name, 60))
    said = step.rung.title if step.rung else "a file of your own"
    idea = h("<p>{}</p>", text(step.rung.idea, 1200)) if step.rung and step.rung.idea else ""
    ways = neighbours(found, step, rest)
    return h(
        '<section class="card rung-head"><div class="head">{}{}</div><p><b>{}</b></p>{}{}'
        "</section>",
        title, pick, text(said, 200), idea, ways,
    )  # fmt: skip


def neighbours(found: Ladder, step: Step, query: dict[str, str]) -> Markup:
    names = [one.name for one in found.steps if one.on_ladder]
    if step.name not in names:
        return Markup("")
    at = names.index(step.name)
    below = h('<a data-query href="?{}">‹ below: {}</a>',
              urlencode(query | {"rung": names[at - 1]}), names[at - 1]) if at else ""  # fmt: skip
    above = h('<a data-query href="?{}">above: {} ›</a>',
              urlencode(query | {"rung": names[at + 1]}),
              names[at + 1]) if at + 1 < len(names) else ""  # fmt: skip
    return h('<nav class="pages" aria-label="neighbouring rungs">{}{}</nav>', below, above)


def history(found: Ladder, step: Step, past: Sequence[Mark]) -> Markup:
    title = h("History of {} on {}", text(step.name, 40), text(found.workload, 60))
    if not past:
        typed = f"warpbook judge {found.problem} --rung {step.name}" + on_workload(found)
        said = "It has no time here yet."
        return show.section(title, show.empty(said, typed if step.rung else ""))
    columns = [
        Column(h("when")),
        Column(h("time (95% interval)"), number=True),
        Column(h("of the {}", word("floor"))),
        Column(h("from")),
    ]
    rows = [
        [show.ago(mark.at), time_cell(mark), reached(mark.fraction), from_cell(mark)]
        for mark in past[:HISTORY_ROWS]
    ]
    cut = len(past) - HISTORY_ROWS
    more = h('<p class="muted">and {} older ones in the picture</p>', cut) if cut > 0 else ""
    picture = times.times(past) if len(past) > 1 else ""
    keys = swatches(("s1", "judgement"), ("s2", "comparison"), ("s3", "arm of a run"))
    drawn = h("{}{}", picture, keys) if picture else ""
    return show.section(title, h("{}{}{}", drawn, table(columns, rows, caption="history"), more))


def from_cell(mark: Mark) -> Markup:
    return h('{} <span class="muted">{}</span>', origin_of(mark), mark.kind)


def sources_of(book: Book, found: Ladder, step: Step) -> Markup:
    """In a thread: files are read and highlighted."""
    mine = texts(book, step)
    below = rung_below(found, step)
    if not mine:
        said = "The book has not kept the text of this file: judging one only notes its hash."
        return show.section("Source", show.empty(said))
    files = join(
        h(
            '<details open data-key="{0}"><summary>{0}, {1} lines</summary>{2}</details>',
            one.name, one.text.count("\n") + 1, source.highlighted(one.text, one.suffix),
        )
        for one in mine
    )  # fmt: skip
    changed = difference(texts(book, below), mine, below.name) if below else Markup("")
    return show.section("Source", files + changed)


def rung_below(found: Ladder, step: Step) -> Step | None:
    ladder = [one for one in found.steps if one.on_ladder]
    at = next((k for k, one in enumerate(ladder) if one.name == step.name), 0)
    return ladder[at - 1] if at else None


def difference(before: Sequence[Text], after: Sequence[Text], name: str) -> Markup:
    """Of the files of two rungs, those of one language with each other."""
    suffixes = dict.fromkeys(one.suffix for one in [*before, *after])
    parts = []
    for suffix in suffixes:
        old, new = (
            next((o for o in group if o.suffix == suffix), None) for group in (before, after)
        )
        names = (old.name if old else "nothing", new.name if new else "nothing")
        parts.append(source.difference(old.text if old else "", new.text if new else "", names))
    return h(
        '<details data-key="difference"><summary>What is different from {}, the rung below'
        "</summary>{}</details>",
        name, join(parts),
    )  # fmt: skip


def option(value: str, label: str, here: str) -> Markup:
    return h('<option value="{}"{}>{}</option>', value, attributes(selected=value == here), label)


def on_workload(found: Ladder) -> str:
    return f" --workload {found.workload}" if found.workload else ""


def time_cell(mark: Mark | None) -> Markup:
    if mark is None or mark.us is None:
        return show.NONE
    shown = interval_us(mark.us, mark.low_us or mark.us, mark.high_us or mark.us)
    return h("{}", shown)


def origin_of(mark: Mark) -> Markup:
    if not mark.source:
        return h("shipped")
    if mark.source.startswith("R-"):
        return show.ref(mark.source)
    return h('<span data-tip="{}" tabindex="0">{}</span>', f"a {mark.kind}", mark.source)


def reached(fraction: float | None) -> Markup:
    """A small bar with its number; full is at the floor."""
    if fraction is None:
        return show.NONE
    width = f"{min(fraction, 1.0) * 100:.0f}%"
    return h(
        '<span class="reached"><span class="bar"><span style="width:{}"></span></span>{}</span>',
        width, show.percent(fraction),
    )  # fmt: skip


def swatches(*pairs: tuple[str, str]) -> Markup:
    """What the colours of a picture mean."""
    made = join(h('<span class="swatch {}">{}</span>', kind, label) for kind, label in pairs)
    return h('<p class="swatches">{}</p>', made)
