"""Values of expressions: intervals by rules, constants, and contexts of what is known."""
