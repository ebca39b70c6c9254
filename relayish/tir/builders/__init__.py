"""Builders of the loop IR: expressions, tensors, statements, and functions of tensors."""
