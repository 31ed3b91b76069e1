"""A sum of two matrices, and its rms_norm."""
