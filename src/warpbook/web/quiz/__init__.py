"""Markup of cards, quizzes and courses, from what the journal returns."""
