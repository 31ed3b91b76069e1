"""Pictures as SVG: functions from data to markup, for pages and reports alike."""
