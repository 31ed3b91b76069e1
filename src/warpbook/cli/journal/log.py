"""`warpbook import log` and `warpbook export log`: logs that people kept elsewhere, and the journal
as one file."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import Progress, console, show_json
from warpbook.core.errors import BadInput
from warpbook.core.text import printable
from warpbook.core.units import size

if TYPE_CHECKING:
    from warpbook.journal.importing.clues import Asked
    from warpbook.journal.journal import Journal


Logs = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Logs as they are.", show_default=False)
]
Track = Annotated[
    str | None, typer.Option(metavar="NAME", help="The track; by default what the log says.")
]
Year = Annotated[
    int | None,
    typer.Option(metavar="Y", min=1970, max=2999, help="The year of the oldest entry."),
]
Start = Annotated[
    str | None, typer.Option(metavar="DATE", help="The date of Day 1, to count posts from.")
]
NewestFirst = Annotated[bool, typer.Option("--newest-first", help="The newest entry stands first.")]
OldestFirst = Annotated[bool, typer.Option("--oldest-first", help="The oldest entry stands first.")]
MonthFirst = Annotated[bool, typer.Option("--month-first", help="12/09 is in December.")]
DayFirst = Annotated[bool, typer.Option("--day-first", help="12/09 is in September.")]
Write = Annotated[bool, typer.Option("--write", help="Take it in; without it nothing is changed.")]


@guarded
def import_log(
    files: Logs,
    track: Track = None,
    year: Year = None,
    start: Start = None,
    newest_first: NewestFirst = False,
    oldest_first: OldestFirst = False,
    month_first: MonthFirst = False,
    day_first: DayFirst = False,
    write: Write = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take in day logs, posts and lists of links; first say what was understood and what not."""
    from warpbook.journal.importing import logs, report, words

    order = one_of("--newest-first", newest_first, "--oldest-first", oldest_first)
    first = one_of("--month-first", month_first, "--day-first", day_first)
    if track is not None and not track.strip():
        raise BadInput("--track is empty: give a name")
    with journal_opened(book) as journal, Progress() as progress:
        wanted = logs.asked_of(journal, asked(journal, year, order, first, start), track)
        found = [logs.read(journal, file.expanduser(), wanted) for file in files]
        told = [(log, logs.new(journal, log)) for log in found]
        done = [logs.take_in(journal, log, progress) if write else None for log in found]
    shown = [(*one, end) for one, end in zip(told, done, strict=True)]
    if json:
        show_json({"logs": [report.document(*one) for one in shown], "written": write})
    else:
        for one in shown:
            show(words.words(*one))
        if not write:
            console().print("nothing was changed; take it in with --write", style="bold")
    failed = sum(len(end.failed) for end in done if end)
    if failed:
        say(f"{failed} entries could not be written now; import the same again for the rest")
    return 1 if failed else 0


def one_of(one: str, is_one: bool, other: str, is_other: bool) -> str:
    """The word of the option that was given: newest, oldest, month or day."""
    if is_one and is_other:
        raise BadInput(f"{one} and {other} exclude each other")
    given = one if is_one else other if is_other else ""
    return given.strip("-").partition("-")[0]


def asked(
    journal: "Journal", year: int | None, order: str, first: str, start: str | None
) -> "Asked":
    from warpbook.journal.days import dates
    from warpbook.journal.importing.clues import Asked

    today = journal.today()
    begin = dates.parse(start, today) if start else None
    return Asked(today, year, order, first, begin)


def show(lines: Iterable[tuple[str, bool]]) -> None:
    screen = console()
    for line, heading in lines:
        screen.print(printable(line), style="bold" if heading else None, soft_wrap=True)


@guarded
def export_log(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.", show_default=False)],
    track: Annotated[str | None, typer.Option(metavar="NAME", help="Of one track alone.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="From this day on.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Up to this day.")] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write days, reading and cards as one Markdown file, which `import log` takes back."""
    from warpbook.journal.days import dates
    from warpbook.journal.sharing import log_export

    target = file.expanduser()
    with journal_opened(book) as journal:
        today = journal.today()
        first, last = (
            dates.parse(given, today).isoformat() if given else "" for given in (since, until)
        )
        counts = log_export.export(journal, target, log_export.Chosen(track, first, last))
    if json:
        show_json({"file": str(target), **vars(counts)})
        return 0
    said = f"{counts.days} days, {counts.reading} reading, {counts.cards} cards"
    console().print(printable(f"{target}: {size(counts.bytes)}, {said}"), soft_wrap=True)
    return 0
