"""Text files that people edit too: read, changed, never overwritten; blocks and front matter."""
