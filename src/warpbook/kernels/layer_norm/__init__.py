"""Each row of a matrix to mean 0 and variance 1, times a weight, plus a bias."""
