"""Registries: things that are made with options, by name, found in sources, written as text."""
