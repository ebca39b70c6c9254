"""Lowering: operators of domains become tensor operators of Relay's core, by handlers (AIR)."""
