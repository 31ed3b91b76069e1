"""A matrix times a matrix, in float32."""
