"""The pages of the dashboard; importing this registers them all."""
