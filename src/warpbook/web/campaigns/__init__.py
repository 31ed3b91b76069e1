"""Campaigns, hypotheses and findings as markup, from what browse returns."""
