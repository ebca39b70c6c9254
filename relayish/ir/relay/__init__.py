"""Relay, the first language: its expressions, algebraic data types, types and modules."""

__all__: list[str] = []
