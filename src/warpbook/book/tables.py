"""The tables of book.db. Rows are the truth; every change of one is also an event.

A column marked `DERIVED` can be worked out again from the others, and changes without an event of
its own. Times are UTC in ISO 8601, so that text order is time order. Effects are gains: positive is
better, logs of ratios or plain differences as the metric says.
"""

from typing import Any, ClassVar

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

DERIVED = {"derived": True}


class Base(DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012


class Named:
    """A row that people call by a letter and its number: H-3."""

    letter: ClassVar[str]
    id: Mapped[int]

    @property
    def name(self) -> str:
        return f"{self.letter}-{self.id}"


class Campaign(Base):
    """`goal_gain` is the gain aimed at. `spent_*` grow with every run that ended."""

    __tablename__ = "campaigns"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    letter = "C"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str] = mapped_column(unique=True)
    author: Mapped[str]
    goal: Mapped[str] = mapped_column(default="")
    metric: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    workload: Mapped[str] = mapped_column(default="")
    device: Mapped[str] = mapped_column(default="")
    goal_gain: Mapped[float | None]
    budget_s: Mapped[float | None]
    budget_money: Mapped[float | None]
    state: Mapped[str] = mapped_column(default="active")  # active, stopped, archived
    created_at: Mapped[str]
    spent_s: Mapped[float] = mapped_column(default=0.0, info=DERIVED)
    spent_money: Mapped[float] = mapped_column(default=0.0, info=DERIVED)


class Hypothesis(Named, Base):
    """`direction` is 1 for a claim that the metric gets better by at least `delta`, -1 for worse.
    `guards` are [{"metric": {...}, "margin": gain}]. `expected_*` is what was predicted
    last. What follows from its runs is derived."""

    __tablename__ = "hypotheses"
    __table_args__ = (
        Index("hypotheses_campaign", "campaign_id", "verdict"),
        Index("hypotheses_author", "author"),
        Index("hypotheses_noise", "noise_key"),
        Index("hypotheses_tags", "tags", sqlite_where=text("tags != '[]'")),
        {"sqlite_autoincrement": True},
    )
    letter = "H"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id"))
    author: Mapped[str]
    claim: Mapped[str]
    because: Mapped[str] = mapped_column(default="")
    metric: Mapped[dict[str, Any]]
    direction: Mapped[int] = mapped_column(default=1)
    delta: Mapped[float]
    prior: Mapped[float] = mapped_column(default=0.5)
    guards: Mapped[list[Any]] = mapped_column(default=list)
    tags: Mapped[list[Any]] = mapped_column(default=list)
    state: Mapped[str] = mapped_column(default="active")  # active, withdrawn
    created_at: Mapped[str]
    expected_low: Mapped[float | None] = mapped_column(info=DERIVED)
    expected_high: Mapped[float | None] = mapped_column(info=DERIVED)
    environment_key: Mapped[str | None] = mapped_column(info=DERIVED)
    noise_key: Mapped[str | None] = mapped_column(info=DERIVED)
    noise_runs: Mapped[int] = mapped_column(default=0, info=DERIVED)
    runs: Mapped[int] = mapped_column(default=0, info=DERIVED)
    log_support: Mapped[float] = mapped_column(default=0.0, info=DERIVED)
    log_refute: Mapped[float] = mapped_column(default=0.0, info=DERIVED)
    estimate: Mapped[float | None] = mapped_column(info=DERIVED)
    low: Mapped[float | None] = mapped_column(info=DERIVED)
    high: Mapped[float | None] = mapped_column(info=DERIVED)
    sigma: Mapped[float | None] = mapped_column(info=DERIVED)
    basis: Mapped[str] = mapped_column(default="", info=DERIVED)
    belief: Mapped[float] = mapped_column(default=0.5, info=DERIVED)
    verdict: Mapped[str] = mapped_column(default="open", info=DERIVED)
    drop_bits: Mapped[float] = mapped_column(default=0.0, info=DERIVED)
    runs_to_decide: Mapped[int | None] = mapped_column(info=DERIVED)
    stale: Mapped[str] = mapped_column(default="", info=DERIVED)  # why, or empty


class Experiment(Named, Base):
    """`plan` is a core.run.Plan whose texts are kept in `sources`. `noise_key` names the device,
    problem and workload whose noise its runs share. `runs_asked` are made even if the verdict
    comes first; valid runs past `confirm_after` are for confirming. `worth` is in bits a run,
    `score` in bits a second."""

    __tablename__ = "experiments"
    __table_args__ = (
        Index("experiments_queue", "state", "pinned", "priority", "score"),
        Index("experiments_waiting", "state", "queued_at"),
        Index("experiments_campaign", "campaign_id", "state"),
        Index("experiments_arms", "a_sha256", "b_sha256", "workload"),
        Index("experiments_author", "author", "state"),
        Index("experiments_noise", "noise_key", "state"),
        Index("experiments_title", "title"),
        Index("experiments_repeats", "repeats_id", sqlite_where=text("repeats_id IS NOT NULL")),
        # What the listing filters and sorts by, so that it need not go through the plans.
        Index(
            *("experiments_listing", "campaign_id", "state", "author", "device", "kind"),
            *("created_at", "runs_valid", "cost_s"),
        ),
        {"sqlite_autoincrement": True},
    )
    letter = "E"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id"))
    author: Mapped[str]
    kind: Mapped[str]  # kernel, command
    title: Mapped[str] = mapped_column(default="")
    plan: Mapped[dict[str, Any]]
    a_sha256: Mapped[str]
    b_sha256: Mapped[str]
    workload: Mapped[str]
    device: Mapped[str]  # cpu, cuda, none
    environment_key: Mapped[str | None]
    noise_key: Mapped[str | None]
    repeats_id: Mapped[int | None] = mapped_column(ForeignKey("experiments.id"))
    # draft, held, queued, running, done, disqualified, failed, moot, cancelled
    state: Mapped[str]
    state_reason: Mapped[str] = mapped_column(default="")
    runs_wanted: Mapped[int] = mapped_column(default=3)
    imported: Mapped[bool] = mapped_column(default=False)  # and nobody has released it yet
    runs_asked: Mapped[int] = mapped_column(default=0)
    confirm_after: Mapped[int | None]
    pinned: Mapped[bool] = mapped_column(default=False)
    priority: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[str]
    queued_at: Mapped[str | None]
    runs_valid: Mapped[int] = mapped_column(default=0, info=DERIVED)
    cost_s: Mapped[float] = mapped_column(default=60.0, info=DERIVED)
    worth: Mapped[float] = mapped_column(default=0.0, info=DERIVED)
    score: Mapped[float] = mapped_column(default=0.0, info=DERIVED)


class Prediction(Named, Base):
    """The author's 80% interval for one experiment and hypothesis, as gains; locked when queued."""

    __tablename__ = "predictions"
    __table_args__ = (
        UniqueConstraint("experiment_id", "hypothesis_id"),
        Index("predictions_hypothesis", "hypothesis_id"),
        Index("predictions_author", "author", "outcome", "low", "high", "score"),
        CheckConstraint("low <= high"),
        {"sqlite_autoincrement": True},
    )
    letter = "P"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id"))
    hypothesis_id: Mapped[int] = mapped_column(ForeignKey("hypotheses.id"))
    author: Mapped[str]
    low: Mapped[float]
    high: Mapped[float]
    locked_at: Mapped[str | None]
    outcome: Mapped[str] = mapped_column(default="", info=DERIVED)  # hit, over, under, unclear
    score: Mapped[float | None] = mapped_column(info=DERIVED)


class Run(Named, Base):
    """`gain` and `error` are of the main metric, `gains` of all: {name: [gain, error]}. They
    are there only for a valid run. Runs of A against A have the purpose noise, and tell the spread
    of all runs with their `noise_key`."""

    __tablename__ = "runs"
    __table_args__ = (
        Index("runs_experiment", "experiment_id", "state", "id", "gain"),
        Index("runs_state", "state"),
        Index("runs_noise", "noise_key", "purpose"),
        {"sqlite_autoincrement": True},
    )
    letter = "R"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id"))
    nonce: Mapped[str] = mapped_column(unique=True)
    # running, valid, disqualified, invalid, failed, stopped, lost
    state: Mapped[str]
    purpose: Mapped[str] = mapped_column(default="evidence")  # evidence, noise, confirm
    worker_id: Mapped[int | None] = mapped_column(ForeignKey("workers.id"))
    executor: Mapped[str] = mapped_column(default="local")
    place: Mapped[str] = mapped_column(default="")  # the device leased: cpu, or a GPU's UUID
    started_at: Mapped[str]
    ended_at: Mapped[str | None]
    reason: Mapped[str] = mapped_column(default="")
    environment_key: Mapped[str | None]
    noise_key: Mapped[str | None]
    gain: Mapped[float | None]
    error: Mapped[float | None]
    gains: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    seconds: Mapped[float | None]
    money: Mapped[float | None]
    receipt_sha256: Mapped[str | None]
    lease_until: Mapped[float | None] = mapped_column(info=DERIVED)  # seconds since the epoch
    stop_asked: Mapped[bool] = mapped_column(default=False, info=DERIVED)


class Finding(Named, Base):
    __tablename__ = "findings"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    letter = "F"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id"))
    author: Mapped[str]
    statement: Mapped[str]
    tags: Mapped[list[Any]] = mapped_column(default=list)
    metric: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    gain: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    runs: Mapped[list[Any]] = mapped_column(default=list)  # ids of the runs it quotes
    environment_key: Mapped[str | None]
    environment: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    state: Mapped[str] = mapped_column(default="active")  # active, withdrawn
    created_at: Mapped[str]
    stale: Mapped[str] = mapped_column(default="")  # why, or empty


class Link(Named, Base):
    """From a finding to what it rests on or speaks of: supports, refutes, supersedes, refines."""

    __tablename__ = "links"
    __table_args__ = (
        UniqueConstraint("finding_id", "type", "to_kind", "to_id"),
        Index("links_to", "to_kind", "to_id"),
        {"sqlite_autoincrement": True},
    )
    letter = "L"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    finding_id: Mapped[int] = mapped_column(ForeignKey("findings.id"))
    type: Mapped[str]
    to_kind: Mapped[str]  # H, E, F
    to_id: Mapped[int]


class Measurement(Named, Base):
    """A judgement or comparison made by hand inside the book: shown, never evidence."""

    __tablename__ = "measurements"
    __table_args__ = (Index("measurements_problem", "problem"), {"sqlite_autoincrement": True})
    letter = "M"

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    author: Mapped[str]
    kind: Mapped[str]  # judgement, comparison
    problem: Mapped[str]
    rungs: Mapped[list[Any]]
    workload: Mapped[str]
    device: Mapped[str]
    document: Mapped[dict[str, Any]]
    created_at: Mapped[str]


class Source(Base):
    """A file's text by its content, so that what was queued is what runs."""

    __tablename__ = "sources"

    sha256: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    text: Mapped[str]


class Author(Base):
    __tablename__ = "authors"

    name: Mapped[str] = mapped_column(primary_key=True)
    held: Mapped[bool] = mapped_column(default=False)
    widen: Mapped[float] = mapped_column(default=1.0, info=DERIVED)


class Worker(Named, Base):
    """A process that takes runs. It holds the lock on its file under `workers/` for as long as it
    lives, so a later process of the same pid is not taken for it."""

    __tablename__ = "workers"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    letter = "W"

    id: Mapped[int] = mapped_column(primary_key=True)
    host: Mapped[str]
    pid: Mapped[int]
    executor: Mapped[str]
    started_at: Mapped[str]
    ended_at: Mapped[str | None]
    heartbeat_at: Mapped[float] = mapped_column(default=0.0, info=DERIVED)


class State(Base):
    """Single values: whether the queue is paused, how many runs were taken, what was last seen."""

    __tablename__ = "state"

    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[dict[str, Any]] = mapped_column(info=DERIVED)


class Sample(Base):
    """Telemetry of one device, over `span_s` seconds that end at `at` (since the epoch)."""

    __tablename__ = "telemetry"
    __table_args__ = (Index("telemetry_device", "device", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    span_s: Mapped[float]
    device: Mapped[str]
    utilisation: Mapped[float | None]  # 0 to 1
    memory_bytes: Mapped[int | None]
    memory_total_bytes: Mapped[int | None]
    clock_mhz: Mapped[float | None]
    memory_clock_mhz: Mapped[float | None]
    power_w: Mapped[float | None]
    temperature_c: Mapped[float | None]
    processes: Mapped[list[Any]] = mapped_column(default=list)  # [{"pid": .., "memory_bytes": ..}]


class Belief(Base):
    """A hypothesis as an evaluation left it, where that was news; all of it is derived."""

    __tablename__ = "beliefs"
    __table_args__ = (Index("beliefs_hypothesis", "hypothesis_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    hypothesis_id: Mapped[int] = mapped_column(ForeignKey("hypotheses.id"))
    at: Mapped[str]
    belief: Mapped[float]
    runs: Mapped[int]
    estimate: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    verdict: Mapped[str]
    cause: Mapped[str]


class Layout(Base):
    """Where a node of the graph is drawn, in the picture that `scope` names; derived."""

    __tablename__ = "layouts"

    scope: Mapped[str] = mapped_column(primary_key=True)
    node: Mapped[str] = mapped_column(primary_key=True)
    x: Mapped[float]
    y: Mapped[float]


class Event(Base):
    """One line of the running log. `hash` covers all other columns and the hash before it; triggers
    refuse any change. `data` of a row's change: {"table", "id", "set": {column: value}}."""

    __tablename__ = "events"
    __table_args__ = (Index("events_subject", "subject"), Index("events_kind", "kind"))

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[str]
    author: Mapped[str]
    kind: Mapped[str]
    subject: Mapped[str]
    text: Mapped[str]
    data: Mapped[dict[str, Any]]
    previous: Mapped[str]
    hash: Mapped[str]


BY_TABLE = {mapper.class_.__tablename__: mapper.class_ for mapper in Base.registry.mappers}
BY_LETTER = {table.letter: table for table in BY_TABLE.values() if hasattr(table, "letter")}
