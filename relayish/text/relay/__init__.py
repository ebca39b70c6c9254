"""Relay's own text, format 0.0.5, and how it stands around the nodes of other languages."""
