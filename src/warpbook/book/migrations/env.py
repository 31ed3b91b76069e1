"""What Alembic runs: the revisions, on the connection it was given."""

from alembic import context

from warpbook.book.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()
