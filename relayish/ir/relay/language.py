"""Relay as a language: its kinds share the names of their handlers and one domain."""

from __future__ import annotations

from typing import Final

from relayish.ir.domains.language import Language

RELAY: Final = Language("relay", literal="const({})", named="get_op({})")
"""The language of expressions, types, patterns and what they are made of."""
