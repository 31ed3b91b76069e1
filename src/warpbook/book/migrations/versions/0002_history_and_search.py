"""The history of beliefs, places of nodes, and a search index of experiments.

`experiment_text` has a row for each experiment: its title, its arms, and the claims it is for.
Triggers keep it. Long texts are searched by their beginning.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

MOST = 20_000  # characters of one text

TEXT = """
CREATE VIRTUAL TABLE experiment_text USING fts5(title, arms, claims, prefix='2 3')
"""


def arm(row: str, side: str) -> str:
    """An arm's label, rung and command, out of the plan."""
    parts = (of_plan(row, f"{side}.{key}") for key in ("label", "rung", "command"))
    return " || ' ' || ".join(parts)


def of_plan(row: str, path: str) -> str:
    return f"substr(coalesce(json_extract({row}.plan, '$.{path}'), ''), 1, {MOST})"


def arms(row: str) -> str:
    both = f"{arm(row, 'baseline')} || ' ' || {arm(row, 'change')}"
    return f"{both} || ' ' || {of_plan(row, 'problem')} || ' ' || {row}.workload"


def claims(experiment: str) -> str:
    one = f"substr(h.claim, 1, {MOST}) || ' ' || substr(h.because, 1, {MOST})"
    return (
        f"(SELECT coalesce(group_concat({one}, ' '), '') FROM predictions p "
        f"JOIN hypotheses h ON h.id = p.hypothesis_id WHERE p.experiment_id = {experiment})"
    )


def title(row: str) -> str:
    return f"substr({row}.title, 1, {MOST})"


FILL = f"""
INSERT INTO experiment_text (rowid, title, arms, claims)
SELECT e.id, {title("e")}, {arms("e")}, {claims("e.id")} FROM experiments e
"""
TRIGGERS = (
    f"""
CREATE TRIGGER experiment_text_added AFTER INSERT ON experiments
BEGIN
INSERT INTO experiment_text (rowid, title, arms, claims)
VALUES (NEW.id, {title("NEW")}, {arms("NEW")}, '');
END""",
    f"""
CREATE TRIGGER experiment_text_changed AFTER UPDATE OF title, plan, workload ON experiments
BEGIN
UPDATE experiment_text SET title = {title("NEW")}, arms = {arms("NEW")} WHERE rowid = NEW.id;
END""",
    """
CREATE TRIGGER experiment_text_deleted AFTER DELETE ON experiments
BEGIN DELETE FROM experiment_text WHERE rowid = OLD.id; END""",
    f"""
CREATE TRIGGER experiment_text_claimed AFTER INSERT ON predictions
BEGIN
UPDATE experiment_text SET claims = {claims("NEW.experiment_id")} WHERE rowid = NEW.experiment_id;
END""",
    f"""
CREATE TRIGGER experiment_text_unclaimed AFTER DELETE ON predictions
BEGIN
UPDATE experiment_text SET claims = {claims("OLD.experiment_id")} WHERE rowid = OLD.experiment_id;
END""",
    f"""
CREATE TRIGGER experiment_text_reworded AFTER UPDATE OF claim, because ON hypotheses
BEGIN
UPDATE experiment_text SET claims = {claims("experiment_text.rowid")}
WHERE rowid IN (SELECT experiment_id FROM predictions WHERE hypothesis_id = NEW.id);
END""",
)


def upgrade() -> None:
    op.create_table(
        "beliefs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hypothesis_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("belief", sa.Double(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("estimate", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["hypothesis_id"], ["hypotheses.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("beliefs_hypothesis", "beliefs", ["hypothesis_id"])
    op.create_table(
        "layouts",
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("node", sa.String(), nullable=False),
        sa.Column("x", sa.Double(), nullable=False),
        sa.Column("y", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "node"),
    )
    op.drop_index("runs_experiment", "runs")
    op.create_index("runs_experiment", "runs", ["experiment_id", "state", "id", "gain"])
    tagged = sa.text("tags != '[]'")
    op.create_index("hypotheses_tags", "hypotheses", ["tags"], sqlite_where=tagged)
    again = sa.text("repeats_id IS NOT NULL")
    op.create_index("experiments_repeats", "experiments", ["repeats_id"], sqlite_where=again)
    listed = ["campaign_id", "state", "author", "device", "kind"]
    listed += ["created_at", "runs_valid", "cost_s"]
    op.create_index("experiments_listing", "experiments", listed)
    for statement in (TEXT, FILL, *TRIGGERS):
        op.get_bind().exec_driver_sql(statement.strip())
