"""Reverse-mode differentiation: of first-order programs, and of the whole language."""
