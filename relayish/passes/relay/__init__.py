"""Passes over functions of Relay, in rooms by subject."""
