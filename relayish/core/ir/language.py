"""Core as a language: its kinds share the names of their handlers and one domain."""

from __future__ import annotations

from typing import Final

from relayish.ir.domains.language import Language

CORE: Final = Language("core", is_tree=True)
"""The language of statements over symbols, memory and functions, as AIR's core is."""

# ``expr`` says what becomes of numbers: ``const`` makes literals of them
