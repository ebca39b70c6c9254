"""Declaring operators: what is said of each, once, and where it is kept."""
