"""The ladder of gemv."""
