"""Books that travel: what leaves, as one file, and how another book takes it in."""
