"""The lab: takes experiments from the book's queue, runs them, and brings back receipts."""
