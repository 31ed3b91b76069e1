"""Markup of the journal's pages, from what `journal` returns."""
