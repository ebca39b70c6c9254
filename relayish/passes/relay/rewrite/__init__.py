"""Rewriting of operators: algebraic simplification, canonical forms, mixed precision."""
