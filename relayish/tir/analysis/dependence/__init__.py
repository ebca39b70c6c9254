"""Data dependences: accesses, iteration domains, and pairs of iterations that meet."""
