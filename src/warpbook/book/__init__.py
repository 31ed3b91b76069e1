"""The book: claims, the experiments that test them, and what they taught."""
