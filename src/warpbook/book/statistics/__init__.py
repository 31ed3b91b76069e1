"""What runs say, as pure functions: no database, no clock, no files."""
