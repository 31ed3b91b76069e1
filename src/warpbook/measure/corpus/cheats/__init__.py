"""Rungs that game a measurement. Each docstring says the trick; each tries as hard as it can."""
