"""Device planning: domains of expressions, constraints on them, defaults, and what is written."""
