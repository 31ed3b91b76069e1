"""The book's verbs. Each imports the book inside itself: `warpbook --help` needs no SQLAlchemy."""
