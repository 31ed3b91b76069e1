"""A day: one Markdown file, named for its date, with front matter that may say how it counts.

The file is the truth. `entries` is what the index is told of it: the day, its plans and its claims.
Knows nothing of editors, nor of what the references in a text come to.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.days import claims, counters, plans
from warpbook.journal.days.counters import Claimed
from warpbook.journal.entry import Entry, Parsed, Problem
from warpbook.journal.texts import blocks, front

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal
    from warpbook.journal.settings import JournalSettings

FOLDER = "journal"
NAMED = re.compile(r"\d{4}-\d{2}-\d{2}")
LONGEST_TITLE = 120
LISTS = ("kernels", "runs", "reading")
MOST = 24 * 60  # minutes in a day


@dataclass(frozen=True)
class Day:
    """`minutes` is None where the day says nothing of them; `by_track` has them by track, those of
    a plain number under the first. `body` begins at line `body_line` of the file."""

    date: date
    tracks: tuple[str, ...]
    called: str = ""
    minutes: float | None = None
    by_track: Mapping[str, float] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    body: str = ""
    body_line: int = 1
    path: str = ""
    claimed: tuple[Claimed, ...] = ()
    problems: tuple[Problem, ...] = ()

    def lines(self) -> list[blocks.Line]:
        return blocks.lines(self.body, self.body_line)

    def document(self) -> dict[str, Any]:
        """Without its text."""
        return {
            "date": self.date.isoformat(),
            "tracks": [*self.tracks],
            "called": self.called,
            "minutes": self.minutes,
            "by_track": dict(self.by_track),
            **{name: [*getattr(self, name)] for name in LISTS},
            "claimed": [asdict(claim) for claim in self.claimed],
        }


def relative(on: date) -> str:
    """Its path below the book."""
    return f"{FOLDER}/{on.isoformat()}.md"


def date_of(path: str) -> date:
    """BadInput for a name that is no date."""
    stem = PurePosixPath(path).stem
    try:
        if not NAMED.fullmatch(stem):
            raise ValueError
        return date.fromisoformat(stem)
    except ValueError:
        raise BadInput(
            f"{stem!r} is no date; a day's file is called by its date, such as 2026-01-04.md"
        ) from None


def entries(path: str, text: str, settings: "JournalSettings") -> Parsed:
    """What is in a day's file. Whatever is wrong with it is told, and the rest is taken."""
    try:
        on = date_of(path)
    except BadInput as error:
        return Parsed(problems=[Problem(path, 1, str(error))])
    day = parse(path, text, settings, on)
    lines = day.lines()
    key = on.isoformat()
    body = Entry(
        kind="day",
        key=key,
        line=1,
        title=title_of(lines) or key,
        body=day.body,
        date=key,
        topic=day.tracks[0],
        document={**day.document(), "entries": count(lines)},
    )
    made = [body, *plans.entries(key, lines), *claims.entries(key, lines)]
    return Parsed(made, [*day.problems])


def parse(path: str, text: str, settings: "JournalSettings", on: date | None = None) -> Day:
    """The date is that of the name, if it is not given."""
    found = front.split(text)
    problems: list[Problem] = []
    if found.problem:
        problems.append(Problem(path, *found.problem))
    told = Told(path, text, problems)
    values = found.values
    tracks = told.texts("track", values.get("track")) or (settings.track,)
    by_track = told.minutes(values.get("minutes"), tracks[0])
    lines = blocks.lines(found.body, found.body_line)
    return Day(
        date=on or date_of(path),
        tracks=tracks,
        called=" / ".join(told.texts("called", values.get("called"))),
        minutes=sum(by_track.values()) if by_track else None,
        by_track=by_track,
        **{name: told.texts(name, values.get(name)) for name in LISTS},
        body=found.body,
        body_line=found.body_line,
        path=path,
        claimed=tuple(counters.claimed(lines)),
        problems=tuple(problems),
    )


class Told:
    """Values of the front matter as a day has them; one that does not fit becomes a problem, at the
    line of its key, and counts as not given."""

    def __init__(self, path: str, text: str, problems: list[Problem]) -> None:
        self.path, self.text, self.problems = path, text, problems

    def wrong(self, key: str, what: str) -> None:
        rows = self.text.split("\n")
        at = next((n for n, row in enumerate(rows, 1) if re.match(rf"\s*{key}\s*:", row)), 1)
        self.problems.append(Problem(self.path, at, f"{key}: {what}"))

    def word(self, key: str, value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, str | int | float | date) and not isinstance(value, bool):
            return str(value).strip()
        self.wrong(key, "is a text")
        return ""

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            value = [] if value is None else [value]
        found = [self.word(key, one) for one in value]
        return tuple(dict.fromkeys(one for one in found if one))

    def minutes(self, value: object, track: str) -> dict[str, float]:
        if value is None:
            return {}
        given: dict[Any, Any] = value if isinstance(value, dict) else {track: value}
        found: dict[str, float] = {}
        for name, amount in given.items():
            if is_minutes(amount):
                found[str(name)] = amount
            else:
                self.wrong("minutes", f"{amount!r} is no number of minutes from 0 to {MOST}")
        return found


def is_minutes(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= MOST


def title_of(lines: Sequence[blocks.Line]) -> str:
    """Its first heading, else its first line of text that is no plan with a box."""
    for kinds in (("heading",), ("text", "item")):
        for line in lines:
            if line.kind not in kinds or plans.BOX.fullmatch(line.text.rstrip()):
                continue
            if words := line.text.strip().strip("#").strip():
                return words[:LONGEST_TITLE]
    return ""


def count(lines: Sequence[blocks.Line]) -> int:
    """How much is in a day: its paragraphs and items, and code as one each."""
    found, before = 0, "blank"
    for line in lines:
        begins = line.kind == "item" or (
            line.kind in ("text", "fence") and before not in (line.kind, "item")
        )
        found += begins
        before = line.kind
    return found


def get(journal: "Journal", on: date) -> Day:
    """As its file has it; NotFound where there is none."""
    found = find(journal, on)
    if found is None:
        raise NotFound(f"there is no day {on}; the days there are: warpbook day list")
    return found


def find(journal: "Journal", on: date) -> Day | None:
    from warpbook.journal.texts import textfile

    path = journal.path(FOLDER, f"{on.isoformat()}.md")
    if not path.is_file():
        return None
    return parse(relative(on), textfile.read(path).content, journal.settings, on)


@dataclass(frozen=True)
class Added:
    """`waits` where an editor has the file: the text is added when that has closed."""

    date: date
    path: str
    waits: bool = False


def add(
    journal: "Journal",
    on: date,
    text: str,
    track: str | None = None,
    minutes: float | None = None,
) -> Added:
    """A paragraph more; a new day begins with the plans that are open."""
    from warpbook.journal.days import day_text, waiting
    from warpbook.journal.texts.lock import Held

    refuse_ahead(journal, on)
    if not text.strip() and track is None and minutes is None:
        raise BadInput("there is nothing to add: the text is empty")
    path = relative(on)
    begin = beginning(journal, on)

    def change(content: str) -> str:
        plans_too = begin if not content else ""
        content = day_text.with_counts(path, content, journal.settings, track, minutes)
        return day_text.with_paragraph(content + plans_too, text)

    try:
        journal.edit(path, change)
    except Held:
        if minutes is not None and not is_minutes(minutes):
            raise BadInput(f"{minutes!r} is no number of minutes from 0 to {MOST}") from None
        kept = waiting.put(journal, on, waiting.Piece(text, track, minutes))
        return Added(on, kept.relative_to(journal.folder).as_posix(), waits=True)
    return Added(on, path)


def settle(journal: "Journal", plan: plans.Plan, state: str) -> Added:
    """Mark a plan in today's file, which says when it was done or dropped."""
    from warpbook.journal.days import waiting
    from warpbook.journal.texts.lock import Held

    on = max(journal.today(), plan.last)
    path, begin = relative(on), beginning(journal, on)

    def change(content: str) -> str:
        return settled(path, content or begin, journal.settings, plan.text, state)

    try:
        journal.edit(path, change)
    except Held:
        kept = waiting.put(journal, on, waiting.Piece(plan.text, settles=state))
        return Added(on, kept.relative_to(journal.folder).as_posix(), waits=True)
    return Added(on, path)


def settled(path: str, text: str, settings: "JournalSettings", plan: str, state: str) -> str:
    return plans.settled(text, parse(path, text, settings).lines(), plan, state)


def beginning(journal: "Journal", on: date) -> str:
    """What a new file of that date begins with; nothing where there is one."""
    if journal.path(FOLDER, f"{on.isoformat()}.md").exists():
        return ""
    return "".join(f"{plans.box(plan.text)}\n" for plan in plans.carried(journal, on))


def refuse_ahead(journal: "Journal", on: date) -> None:
    if on > journal.today():
        raise BadInput(
            f"{on} is in the future: a day is written when it has come; for what is to be done: "
            'warpbook plan add "..."'
        )


def listed(
    journal: "Journal",
    track: str | None = None,
    since: str = "",
    until: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> list[Entry]:
    """The newest first; of one track, those that count for it."""
    if track is None:
        return journal.index.entries(
            "day", since=since, until=until, descending=True, limit=limit, offset=offset
        )
    every = journal.index.entries("day", since=since, until=until, descending=True)
    mine = [day for day in every if track in day.document["tracks"]]
    return mine[offset : None if limit is None else offset + limit]


def ahead(journal: "Journal") -> list[Problem]:
    """Files of days that have not come yet. They stay, and count for nothing until then."""
    rows = journal.index.connection.execute(
        "SELECT path, date FROM journal_entries WHERE kind = 'day' AND date > ? ORDER BY date",
        (journal.today().isoformat(),),
    )
    return [Problem(path, 1, f"{on} is in the future, and does not count yet") for path, on in rows]
