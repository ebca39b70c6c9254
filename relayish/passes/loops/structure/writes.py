"""Mod-ref analysis: which memory a statement writes, and whether what an expression reads stays."""

from __future__ import annotations

from collections.abc import Iterator

from relayish._support.graph import reachable
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.ir.expr import Call, PrimitiveNode
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.intrinsic import IntrinsicOp
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, Free
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.substitution import LOOPS


def memory_of(address: Expr) -> Node:
    """Return what a load or store of ``address`` accesses: a buffer, or a scalar variable.

    A tensor that has no buffer stands for itself.
    """
    if isinstance(address, Tensor) and address.buffer is not None:
        return address.buffer
    return address


def reads_of(expr: Expr) -> set[Node] | None:
    """Return the memory that ``expr`` reads, variables included; ``None`` if that is not known.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    found: set[Node] = set()
    for node in NODES.pre_order(expr):
        if isinstance(node, (Call, PrimitiveNode, IntrinsicOp)) and effect_of(node):
            return None
        if isinstance(node, Load):
            found.add(memory_of(node.tensor))
        elif isinstance(node, Var):
            found.add(node)
    return found


class Writes:
    """Tells which statements of a function write which memory.

    Complexity:
        Linear in the size of the function, once, and once more for each piece of memory that is
        asked about; no recursion.
    """

    def __init__(self, func: LoweredFunc) -> None:
        self._func = func
        self._writers: dict[Node | None, list[Node]] | None = None
        self._users: dict[Node, list[Node]] = {}
        self._around: dict[Node | None, set[Node]] = {}

    def may_write(self, root: Node, memory: Node) -> bool:
        """Return whether ``root``, a node of the function, may write ``memory``."""
        return root in self._around_writers(memory) or root in self._around_writers(None)

    def keeps(self, root: Node, expr: Expr) -> bool:
        """Return whether the value of ``expr`` stays the same while ``root`` runs."""
        read = reads_of(expr)
        return read is not None and not any(self.may_write(root, memory) for memory in read)

    def _around_writers(self, memory: Node | None) -> set[Node]:
        """Return the nodes in which ``memory``, or, if that is ``None``, anything is written."""
        found = self._around.get(memory)
        if found is not None:
            return found
        if self._writers is None:
            order = LOOPS.post_order(self._func)
            self._users = LOOPS.users(self._func, order)
            self._writers = {}
            for node in order:
                for written in _written_by(node):
                    self._writers.setdefault(written, []).append(node)
        writers = self._writers.get(memory, ())
        found = self._around[memory] = set(reachable(writers, self._users.__getitem__))
        return found


def _written_by(node: Node) -> Iterator[Node | None]:
    """Yield the memory that ``node`` itself writes; ``None`` stands for any."""
    if isinstance(node, Store):
        yield memory_of(node.tensor)
    elif isinstance(node, (Alloc, Free)):
        yield node.destination
    elif isinstance(node, (Call, PrimitiveNode, IntrinsicOp)) and effect_of(node) & ~Effect.READS:
        yield None
