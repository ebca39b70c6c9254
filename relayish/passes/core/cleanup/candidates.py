"""Candidates for removal: stores of a function of core, where nobody reads them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.memory import Ist, Ld, Ldp, St, Stf, Sto, Stp, Stpf
from relayish.dataflow.graph.mod_ref import mod_ref_of
from relayish.dataflow.lattice import AnySet
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.getters import Nodes
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.scopes.scoping import PROGRAM

STORES: Final = (St, Stf, Sto, Ist, Stp, Stpf)


class Candidates:
    """Tells which stores may go where nobody reads what they write.

    They write to local variables or pseudo registers whose address nobody has, and what they
    evaluate only reads. Formals are left alone, as AIR leaves them, and so are stores of what a
    symbol holds anyway. What would be an error of the program, such as a division by zero, does
    not count as an effect: it may go with the store.

    Args:
        func: The function.
        exposed: The variables that others may reach by their addresses.
    """

    def __init__(self, func: FuncEntry, exposed: Collection[Node]) -> None:
        self._places = {each for each in (*func.locals, *func.pregs) if each not in exposed}
        self._only_reads: dict[Node, bool] = {}

    def is_needed(self, stmt: Node, live: AnySet[Node]) -> bool:
        """Return whether a store stays where ``live`` are the variables that are live after it."""
        return stmt not in self or any(place in live for place in _written_by(stmt))

    def __contains__(self, stmt: Node) -> bool:
        if not isinstance(stmt, STORES) or _is_identity(stmt):
            return False
        accessed = mod_ref_of(stmt)
        written = _written_by(stmt)
        if not written or not self._places.issuperset(written):
            return False
        return not accessed.effect and all(map(self._is_harmless, accessed.evaluates))

    def _is_harmless(self, root: Node) -> bool:
        """Return whether evaluating an expression does nothing but read."""
        known = self._only_reads
        for node in PROGRAM.order_after(root, lambda each: () if each in known else None):
            if node not in known:
                own = type(node) in ATOMS or not type(node).traits_.effect & ~Effect.READS
                known[node] = own and all(known[each] for each in PROGRAM.children(node))
        return known[root]


def _written_by(stmt: Node) -> Nodes:
    accessed = mod_ref_of(stmt)
    return (*accessed.overwrites, *accessed.changes)


def _is_identity(stmt: Node) -> bool:
    """Return whether a store puts into a symbol what it holds."""
    if isinstance(stmt, St):
        return isinstance(stmt.value, Ld) and stmt.value.symbol is stmt.symbol
    return isinstance(stmt, Stp) and isinstance(stmt.value, Ldp) and stmt.value.preg is stmt.preg
