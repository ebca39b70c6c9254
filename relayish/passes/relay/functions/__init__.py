"""Interprocedural passes: inlining, lambda lifting, closures, outlining."""
