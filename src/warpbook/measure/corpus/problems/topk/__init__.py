"""The k largest of each row, largest first, and where they were."""
