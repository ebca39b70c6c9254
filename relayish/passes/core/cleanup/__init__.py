"""Cleaning up functions of core: stores that nobody reads."""
