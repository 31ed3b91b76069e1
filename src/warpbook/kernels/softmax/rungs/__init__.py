"""The ladder of softmax."""
