"""The ladder of add_rms_norm."""
