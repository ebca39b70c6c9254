"""Structural equality and hashing, whatever variables are called."""
