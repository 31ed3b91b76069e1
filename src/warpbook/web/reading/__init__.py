"""Markup of things to read and of feeds, from what the journal returns."""
