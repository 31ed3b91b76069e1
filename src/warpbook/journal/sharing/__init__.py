"""The journal for others: a log as one file, and days as posts."""
