"""What comes out of the API, for its OpenAPI: shapes made from the tables, so that they cannot
drift from what is sent. Answers are not passed through them; tests hold the answers to them."""

from typing import Any, Generic, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from sqlalchemy import inspect

from warpbook.book import tables
from warpbook.book.browse.changes import Changes
from warpbook.book.browse.knowledge import Node, Opened
from warpbook.book.statistics.calibration import Record

__all__ = ["Changes", "Record"]

T = TypeVar("T")


class Shape(BaseModel):
    model_config = ConfigDict(extra="allow")


class Page(Shape, Generic[T]):
    """`next_offset` is None on the last page."""

    items: list[T]
    next_offset: int | None


def columns(table: type[tables.Base]) -> Any:
    """A shape with a table's columns, by their types."""
    hints = get_type_hints(table)
    fields: dict[str, Any] = {
        column.key: (get_args(hints[column.key])[0], ...) for column in inspect(table).columns
    }
    return create_model(f"{table.__name__}Row", __base__=Shape, **fields)


class Campaign(columns(tables.Campaign)):  # type: ignore[misc]
    number: str
    goal_text: str | None


class Hypothesis(columns(tables.Hypothesis)):  # type: ignore[misc]
    name: str
    campaign: str
    least_text: str | None
    effect_text: str | None
    interval_text: str | None
    expected_text: str | None


class Experiment(columns(tables.Experiment)):  # type: ignore[misc]
    name: str
    campaign: str
    repeats: str | None


class Prediction(columns(tables.Prediction)):  # type: ignore[misc]
    name: str
    experiment: str
    hypothesis: str
    interval_text: str | None


class Run(columns(tables.Run)):  # type: ignore[misc]
    name: str
    experiment: str
    effect_text: str | None


class Finding(columns(tables.Finding)):  # type: ignore[misc]
    name: str
    campaign: str
    effect_text: str | None
    interval_text: str | None
    runs: list[str]


class Link(columns(tables.Link)):  # type: ignore[misc]
    """Of a finding, to a hypothesis, an experiment or a finding."""

    from_: str = Field(alias="from")
    to: str


class Measurement(columns(tables.Measurement)):  # type: ignore[misc]
    name: str


class Event(columns(tables.Event)):  # type: ignore[misc]
    """One line of the running log."""


class Sample(columns(tables.Sample)):  # type: ignore[misc]
    """What a device did in the `span_s` seconds up to `at`."""


class Place(Shape):
    """`blocked` says why it is not taken, or is empty."""

    position: int
    score: float
    worth_bits: float
    cost_s: float
    money: float
    reason: str
    waiting_s: float
    blocked: str
    experiment: Experiment


class Queue(Shape):
    paused: bool
    held: list[str]
    currency: str
    places: list[Place]


class Default(Shape):
    """Something nobody asked for: what it is taken to be, and why."""

    name: str
    value: str
    why: str


class Tried(Shape):
    """`name` is the experiment's. `misgivings`: what is allowed, and perhaps not meant."""

    name: str
    hypothesis: Hypothesis
    experiment: Experiment
    predictions: list[Prediction]
    defaults: list[Default]
    misgivings: list[str]


class HypothesisView(Shape):
    name: str
    hypothesis: Hypothesis
    campaign: Campaign
    needs: str
    next: str | None
    expected_again: dict[str, Any] | None
    runs: list[Run]
    runs_elsewhere: int
    experiments: list[Experiment]
    predictions: list[Prediction]


class ExperimentView(Experiment):
    predictions: list[Prediction]
    runs: list[Run]


class RunView(Run):
    """`receipt` is None before it ended, or where it left none."""

    currency: str
    folder: str
    receipt: dict[str, Any] | None


class FindingView(Finding):
    links: list[Link]
    rerun: str | None


class RunFile(Shape):
    name: str
    size_bytes: int


class LogPiece(Shape):
    """`text` is the log from byte `start` on, of `total_bytes`."""

    name: str
    start: int
    total_bytes: int
    text: str


class Graph(Shape):
    """`left_out` counts what is within reach, but neither a node nor in a group."""

    centre: str
    campaign: str
    nodes: list[Node]
    edges: list[dict[str, str]]
    opened: Opened | None
    left_out: int


class TheBook(Shape):
    """`last_event` is the last line of the log."""

    folder: str
    author: str
    currency: str
    version: str
    last_event: int


class Now(Shape):
    paused: bool
    held: list[str]
    currency: str
    running: list[Run]
    places: list[Place]
    devices: dict[str, Sample]
    spent_s: float
    spent_money: float
    last_event: int


class Author(Shape):
    name: str
    held: bool


class OneTimeLink(Shape):
    """For a browser: good once, within 15 minutes."""

    link: str
