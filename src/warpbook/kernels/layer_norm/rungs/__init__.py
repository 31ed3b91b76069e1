"""The ladder of layer_norm."""
