"""The ladder of topk."""
