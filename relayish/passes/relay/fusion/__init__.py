"""Operator fusion: operators grouped into primitive and composite functions."""
