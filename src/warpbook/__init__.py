"""Warpbook: a lab notebook for GPU performance work."""

__version__ = "0.6.0"
