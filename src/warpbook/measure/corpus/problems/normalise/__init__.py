"""Each row divided by the mean of its magnitudes."""
