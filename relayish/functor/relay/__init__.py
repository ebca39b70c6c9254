"""Functors over Relay's expressions, types and patterns."""
