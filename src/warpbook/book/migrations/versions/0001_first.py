"""The first tables, and the triggers that keep the log as it was written."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TRIGGERS = """
CREATE TRIGGER events_are_not_edited BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never edited'); END;
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER locked_predictions_stay
BEFORE UPDATE OF low, high, locked_at, experiment_id, hypothesis_id, author ON predictions
WHEN OLD.locked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a locked prediction is never edited'); END;
CREATE TRIGGER locked_predictions_are_kept BEFORE DELETE ON predictions
WHEN OLD.locked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a locked prediction is never deleted'); END;
"""


def upgrade() -> None:
    op.create_table(
        "authors",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("widen", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("goal", sa.String(), nullable=False),
        sa.Column("metric", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("workload", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("goal_gain", sa.Double(), nullable=True),
        sa.Column("budget_s", sa.Double(), nullable=True),
        sa.Column("budget_money", sa.Double(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("spent_s", sa.Double(), nullable=False),
        sa.Column("spent_money", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("previous", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("events_kind", "events", ["kind"], unique=False)
    op.create_index("events_subject", "events", ["subject"], unique=False)
    op.create_table(
        "measurements",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("rungs", sa.JSON(), nullable=False),
        sa.Column("workload", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_index("measurements_problem", "measurements", ["problem"], unique=False)
    op.create_table(
        "sources",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("sha256"),
    )
    op.create_table(
        "state",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "telemetry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("span_s", sa.Double(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("utilisation", sa.Double(), nullable=True),
        sa.Column("memory_bytes", sa.Integer(), nullable=True),
        sa.Column("memory_total_bytes", sa.Integer(), nullable=True),
        sa.Column("clock_mhz", sa.Double(), nullable=True),
        sa.Column("memory_clock_mhz", sa.Double(), nullable=True),
        sa.Column("power_w", sa.Double(), nullable=True),
        sa.Column("temperature_c", sa.Double(), nullable=True),
        sa.Column("processes", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("telemetry_device", "telemetry", ["device", "at"], unique=False)
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("executor", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.Column("heartbeat_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "experiments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("a_sha256", sa.String(), nullable=False),
        sa.Column("b_sha256", sa.String(), nullable=False),
        sa.Column("workload", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("environment_key", sa.String(), nullable=True),
        sa.Column("noise_key", sa.String(), nullable=True),
        sa.Column("repeats_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("state_reason", sa.String(), nullable=False),
        sa.Column("runs_wanted", sa.Integer(), nullable=False),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("runs_asked", sa.Integer(), nullable=False),
        sa.Column("confirm_after", sa.Integer(), nullable=True),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("queued_at", sa.String(), nullable=True),
        sa.Column("runs_valid", sa.Integer(), nullable=False),
        sa.Column("cost_s", sa.Double(), nullable=False),
        sa.Column("worth", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
        ),
        sa.ForeignKeyConstraint(
            ["repeats_id"],
            ["experiments.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "experiments_arms", "experiments", ["a_sha256", "b_sha256", "workload"], unique=False
    )
    op.create_index("experiments_author", "experiments", ["author", "state"], unique=False)
    op.create_index("experiments_campaign", "experiments", ["campaign_id", "state"], unique=False)
    op.create_index("experiments_noise", "experiments", ["noise_key", "state"], unique=False)
    op.create_index(
        "experiments_queue", "experiments", ["state", "pinned", "priority", "score"], unique=False
    )
    op.create_index("experiments_title", "experiments", ["title"], unique=False)
    op.create_index("experiments_waiting", "experiments", ["state", "queued_at"], unique=False)
    op.create_table(
        "findings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("statement", sa.String(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("metric", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("gain", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("runs", sa.JSON(), nullable=False),
        sa.Column("environment_key", sa.String(), nullable=True),
        sa.Column("environment", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("stale", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "hypotheses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("claim", sa.String(), nullable=False),
        sa.Column("because", sa.String(), nullable=False),
        sa.Column("metric", sa.JSON(), nullable=False),
        sa.Column("direction", sa.Integer(), nullable=False),
        sa.Column("delta", sa.Double(), nullable=False),
        sa.Column("prior", sa.Double(), nullable=False),
        sa.Column("guards", sa.JSON(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("expected_low", sa.Double(), nullable=True),
        sa.Column("expected_high", sa.Double(), nullable=True),
        sa.Column("environment_key", sa.String(), nullable=True),
        sa.Column("noise_key", sa.String(), nullable=True),
        sa.Column("noise_runs", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("log_support", sa.Double(), nullable=False),
        sa.Column("log_refute", sa.Double(), nullable=False),
        sa.Column("estimate", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("sigma", sa.Double(), nullable=True),
        sa.Column("basis", sa.String(), nullable=False),
        sa.Column("belief", sa.Double(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("drop_bits", sa.Double(), nullable=False),
        sa.Column("runs_to_decide", sa.Integer(), nullable=True),
        sa.Column("stale", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_index("hypotheses_author", "hypotheses", ["author"], unique=False)
    op.create_index("hypotheses_campaign", "hypotheses", ["campaign_id", "verdict"], unique=False)
    op.create_index("hypotheses_noise", "hypotheses", ["noise_key"], unique=False)
    op.create_table(
        "links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("finding_id", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("to_kind", sa.String(), nullable=False),
        sa.Column("to_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["finding_id"],
            ["findings.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("finding_id", "type", "to_kind", "to_id"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_index("links_to", "links", ["to_kind", "to_id"], unique=False)
    op.create_table(
        "predictions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("experiment_id", sa.Integer(), nullable=False),
        sa.Column("hypothesis_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("locked_at", sa.String(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.CheckConstraint("low <= high"),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
        ),
        sa.ForeignKeyConstraint(
            ["hypothesis_id"],
            ["hypotheses.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("experiment_id", "hypothesis_id"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "predictions_author",
        "predictions",
        ["author", "outcome", "low", "high", "score"],
        unique=False,
    )
    op.create_index("predictions_hypothesis", "predictions", ["hypothesis_id"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(), nullable=False),
        sa.Column("experiment_id", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.Column("executor", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("environment_key", sa.String(), nullable=True),
        sa.Column("noise_key", sa.String(), nullable=True),
        sa.Column("gain", sa.Double(), nullable=True),
        sa.Column("error", sa.Double(), nullable=True),
        sa.Column("gains", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("money", sa.Double(), nullable=True),
        sa.Column("receipt_sha256", sa.String(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
        ),
        sa.ForeignKeyConstraint(
            ["worker_id"],
            ["workers.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("nonce"),
        sa.UniqueConstraint("uid"),
        sqlite_autoincrement=True,
    )
    op.create_index("runs_experiment", "runs", ["experiment_id", "state"], unique=False)
    op.create_index("runs_noise", "runs", ["noise_key", "purpose"], unique=False)
    op.create_index("runs_state", "runs", ["state"], unique=False)
    for trigger in TRIGGERS.strip().split("END;\n"):
        op.execute(trigger.removesuffix("END;") + "END")
