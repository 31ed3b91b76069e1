"""The ladder of rms_norm."""
