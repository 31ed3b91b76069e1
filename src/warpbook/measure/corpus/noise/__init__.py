"""Rungs that are slower than another by a known amount, for measuring the judge with."""
