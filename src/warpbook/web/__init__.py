"""The dashboard: pages, the JSON API and the guard in front of both. Never imports torch."""
