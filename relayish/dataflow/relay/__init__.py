"""Data flow in Relay: its kinds and operators."""
