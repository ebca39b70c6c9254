"""Passes over functions of AIR's core, in rooms by subject."""
