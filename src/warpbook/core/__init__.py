"""The words, units, errors and statistics that every other layer shares. Never imports torch."""
