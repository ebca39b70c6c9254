"""The loop IR as a language: its kinds share the names of their handlers and one domain."""

from __future__ import annotations

from typing import Final

from relayish.ir.domains.language import Language

TIR: Final = Language("tir", is_tree=True)
"""The language of loops: statements, index arithmetic, buffers and tensors."""

# ``operators`` says what becomes of numbers: ``const`` makes literals of them
