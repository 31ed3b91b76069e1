"""The ladder of matmul."""
