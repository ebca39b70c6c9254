"""Traversals of programs of the loop IR."""

from __future__ import annotations

from typing import Final

from relayish.ir.nodes.traversal import Traversal
from relayish.tir.ir.family import IrNode, Stmt
from relayish.tir.ir.function import LoweredFunc, Module

NODES: Final = Traversal(IrNode)
"""All nodes, with what is said about variables, tensors and buffers."""

STATEMENTS: Final = Traversal(Stmt, LoweredFunc, Module)
"""What runs statements, and these."""
