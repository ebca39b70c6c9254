"""Tuning from the command line: what is told of it."""
