"""A product of two square float32 matrices."""
