"""Typed attributes of operators and functions."""
