"""The ladder of add_layer_norm."""
