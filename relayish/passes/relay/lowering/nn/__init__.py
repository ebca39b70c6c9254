"""Lowering of the domain ``nn``."""
