"""A matrix times a vector."""
