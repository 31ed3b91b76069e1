"""The same as `normalise`, small enough for a GPU's L2 to hold an input from call to call."""
