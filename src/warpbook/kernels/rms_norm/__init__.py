"""Each row of a matrix over its root mean square, times a weight."""
