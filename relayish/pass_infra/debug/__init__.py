"""Finding the pass at fault: bisection, failure predicates, delta debugging."""
