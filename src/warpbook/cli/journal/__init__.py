"""The journal's verbs: parse, call, show."""
