"""The journal as a static site: pages of markup from the functions that draw the dashboard's."""
