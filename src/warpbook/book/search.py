"""Full-text search of experiments, as SQLite's FTS5 reads it. Whatever people type is a query."""

from sqlalchemy import Select, column, select, table, text

from warpbook.book.match import match


def experiments(typed: str) -> Select[tuple[int]]:
    """Ids of the experiments that match; none where nothing that can be looked for was typed."""
    ids: Select[tuple[int]] = select(column("rowid")).select_from(table("experiment_text"))
    query = match(typed)
    if not query:
        return ids.where(text("0"))
    return ids.where(text("experiment_text MATCH :words").bindparams(words=query))
