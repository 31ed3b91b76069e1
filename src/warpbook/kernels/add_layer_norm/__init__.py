"""A sum of two matrices, and its layer_norm."""
