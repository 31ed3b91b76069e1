"""One vector added to another in place."""
