"""What people type as a query of SQLite's full-text search, FTS5. Whatever it is, it is one."""

# A query of more or longer words is cut: nobody means them, and each one takes time.
MOST_WORDS, LONGEST_WORD = 20, 100


def match(typed: str) -> str:
    """An FTS5 query for rows that have every word of `typed`, each as the beginning of one. Empty
    where there is no word in it."""
    shown = "".join(char if char.isprintable() else " " for char in typed[:10_000])
    words = [word[:LONGEST_WORD] for word in shown.replace('"', " ").split()]
    words = [word for word in words if any(map(str.isalnum, word))][:MOST_WORDS]
    return " ".join(f'"{word}"*' for word in words)
