"""The ladder of vector_add."""
