"""The k largest or smallest of each row, and where they are."""
