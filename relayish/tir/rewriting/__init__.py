"""Rewriting of functions of loops by rules, with what is known where a node stands."""
