"""Whether a book is whole. Reads, and never changes anything."""
