"""Rewrites of calls of single operators, one table for each pass.

``table`` is such a table and the traversal that applies it; each of the other modules says,
operator by operator, what one pass does.
"""
