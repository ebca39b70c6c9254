"""Notebooks: HTML of whatever a cell may end in, by class; it needs no script and no other file."""
