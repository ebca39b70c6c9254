"""Linear forms of expressions, and the systems of integers that they make."""
