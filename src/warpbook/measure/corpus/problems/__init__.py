"""Small problems that the cheats and the controls solve."""
