"""Experiments and runs as markup: pure functions from what browse returns."""
