"""Constant folding, binding of parameters, and partial evaluation."""
