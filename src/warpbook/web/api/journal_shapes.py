"""What the journal's routes answer with, for the OpenAPI. Answers are not passed through them;
tests hold the answers to them."""

from typing import Any

from warpbook.web.api.shapes import Shape


class Added(Shape):
    """`waits`: an editor has the file, and what was said is added when that has closed."""

    date: str
    path: str
    waits: bool


class Day(Shape):
    """Of a list, without its text. `minutes` is None where the day says nothing of them."""

    date: str
    title: str
    tracks: list[str]
    called: str
    minutes: float | None
    by_track: dict[str, float]
    kernels: list[str]
    runs: list[str]
    reading: list[str]


class Counter(Shape):
    track: str
    day: int
    of: int | None
    left: int | None
    text: str


class Figure(Shape):
    reference: str
    text: str
    known: bool
    address: str


class Plan(Shape):
    id: str
    text: str
    state: str
    since: str
    last: str
    path: str
    line: int


class Claim(Shape):
    claim: str
    date: str
    state: str
    text: str
    said: str
    references: list[str]
    path: str
    line: int


class Linked(Claim):
    figure: Figure


class DayView(Shape):
    """`text` is the whole file, and `sha256` of its bytes; `body` is what is below its front
    matter."""

    date: str
    path: str
    text: str
    sha256: str
    tracks: list[str]
    minutes: float | None
    body: str
    counters: list[Counter]
    figures: list[Figure]
    plans: list[dict[str, Any]]
    carried: list[Plan]
    claims: list[Claim]
    problems: list[str]


class Written(Shape):
    date: str
    path: str
    sha256: str


class Draft(Shape):
    """Markdown; empty where nothing happened, or all of it is told."""

    date: str
    text: str


class Cell(Shape):
    date: str
    logged: bool
    minutes: float | None
    entries: int
    level: int


class Calendar(Shape):
    first: str
    last: str
    days: list[Cell]
    streaks: dict[str, Any]
    by_track: dict[str, dict[str, Any]]


class Said(Shape):
    reference: str
    text: str
    figure: str


class Summary(Shape):
    kind: str
    first: str
    last: str
    days: list[str]
    minutes: float
    by_track: dict[str, float]
    rungs: list[str]
    runs: dict[str, int]
    reviewed: int
    verdicts: list[Said]
    findings: list[Said]
    read: list[Said]
    best: list[Said]


class Hit(Shape):
    kind: str
    key: str
    title: str
    snippet: str
    path: str
    line: int
    date: str


class Found(Shape):
    text: str
    hits: list[Hit]
