"""Readers: what makes diagrams of programs, and of what is known of them, by class."""
