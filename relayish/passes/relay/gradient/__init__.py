"""Automatic differentiation, and what makes its results cheap."""
