"""The same as `normalise`, at the one size where a known slowdown is a known share of the time."""
