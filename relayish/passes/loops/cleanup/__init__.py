"""Cleaning up loops by data-flow analysis: dead stores, copies, redundant computation."""
