"""Passes by name: registration, sources, pipelines, and the checks that hold around them."""
