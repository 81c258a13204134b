"""Worlds: one folder each, found by its name. A world's package holds it as `WORLD`."""
