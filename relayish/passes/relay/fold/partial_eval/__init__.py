"""Partial evaluation, in parts: static values, residual code, fuel, the abstract store."""
