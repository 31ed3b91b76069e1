"""Teach, then quiz: courses, lessons, the book's own material, and a model where one is set."""
