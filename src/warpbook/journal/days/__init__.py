"""Days: their text, counts, plans, claims and figures, and looking back on them."""
