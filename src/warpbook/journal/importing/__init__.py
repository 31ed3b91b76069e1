"""Logs that people kept elsewhere, understood and taken in: days, posts, links and questions."""
