"""Problems and the ladders of rungs that solve them."""
