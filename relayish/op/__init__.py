"""Operators: what they are called, what they take, and what is known about them."""
