"""Queries for pages and the API: plain data out of SQL, no HTML."""
