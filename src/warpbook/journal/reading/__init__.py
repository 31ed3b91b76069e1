"""The reading list, and the feeds that bring to it."""
