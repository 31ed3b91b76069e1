"""Cards and recall: questions in any text, when they come back, and how they went."""
