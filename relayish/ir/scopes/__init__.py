"""Scopes: binders, free variables, renaming, and where each node is computed."""
