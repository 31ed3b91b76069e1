"""Full-text search of experiments, as SQLite's FTS5 reads it. Whatever people type is a query."""

from sqlalchemy import Select, column, select, table, text

# A query of more or longer words is cut: nobody means them, and each one takes time.
MOST_WORDS, LONGEST_WORD = 20, 100


def match(typed: str) -> str:
    """An FTS5 query for rows that have every word of `typed`, each as the beginning of one. Empty
    where there is no word in it."""
    shown = "".join(char if char.isprintable() else " " for char in typed[:10_000])
    words = [word[:LONGEST_WORD] for word in shown.replace('"', " ").split()]
    words = [word for word in words if any(map(str.isalnum, word))][:MOST_WORDS]
    return " ".join(f'"{word}"*' for word in words)


def experiments(typed: str) -> Select[tuple[int]]:
    """Ids of the experiments that match; none where nothing that can be looked for was typed."""
    ids: Select[tuple[int]] = select(column("rowid")).select_from(table("experiment_text"))
    query = match(typed)
    if not query:
        return ids.where(text("0"))
    return ids.where(text("experiment_text MATCH :words").bindparams(words=query))
