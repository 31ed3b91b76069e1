"""A product of two matrices in 16 bits."""
