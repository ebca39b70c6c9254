"""Core as C: its context, and the handlers that are assembled for its domain."""
