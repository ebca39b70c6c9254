"""Passes over functions of the loop IR, in rooms by subject."""
