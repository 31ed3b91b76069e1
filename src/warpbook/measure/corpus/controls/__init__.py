"""Honest rungs that must be judged correct, some of them for reasons that look odd."""
