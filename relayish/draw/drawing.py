"""Drawings: what ``relay.draw`` returns."""
