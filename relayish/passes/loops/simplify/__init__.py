"""Simplification of loops: arithmetic, casts, branches, blocks, loops, subexpressions."""
