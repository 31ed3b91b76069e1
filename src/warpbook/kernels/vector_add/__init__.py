"""Adding two vectors: the smallest problem, and the one that memory alone decides."""
