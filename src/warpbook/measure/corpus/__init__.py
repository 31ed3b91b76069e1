"""Cheats the judge must beat, honest controls it must accept, and tiny problems for both."""
