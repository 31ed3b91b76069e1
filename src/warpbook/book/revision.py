"""Which tables this version of Warpbook reads and writes."""

# The newest revision under migrations/versions, and the only one that `tables` fits.
HEAD = "0003"
