"""The schemas a book has had: one file a release, run by Alembic."""
