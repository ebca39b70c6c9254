"""Modules of definitions, and paths to places in them."""
