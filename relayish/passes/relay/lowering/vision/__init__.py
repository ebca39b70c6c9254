"""Lowering of the domain ``vision``."""
