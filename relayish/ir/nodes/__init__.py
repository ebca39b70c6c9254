"""Nodes: their declaration, walking and rebuilding, tables by kind, storage."""
