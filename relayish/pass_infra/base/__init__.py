"""Passes, the context they run under, their options, and how functions become passes."""
