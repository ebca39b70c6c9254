"""Intervals of integers where a statement of core begins, and which variables hold a value there.

A check is left out where these prove that it holds, and only there.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.stmt import DoLoop
from relayish.core.ir.type import Type
from relayish.dataflow import solve
from relayish.dataflow.analyses.definite_initialisation import (
    DefiniteInitialisation,
    uninitialised_uses,
)
from relayish.dataflow.lattice.interval import Interval
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.core.lowering.values import CoreIntervals
from relayish.tir.analysis.flow.environments import NOTHING_KNOWN, Environment
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.type import Type as LoopType

MOST: Final = 32
"""Of how many nodes an expression is made, at most, that is looked at: each is for itself."""


class Facts:
    """What data-flow analyses find out of a function.

    Attributes:
        doubtful: The variables that may be read before they hold a value.
    """

    def __init__(self, func: FuncEntry) -> None:
        self._analysis = CoreIntervals()
        initialised, self._found = solve([DefiniteInitialisation(), self._analysis], func)
        self.doubtful: Final = frozenset([symbol for symbol, _ in uninitialised_uses(initialised)])

    def before(self, stmt: Stmt) -> Environment:
        """Return what is known before a statement: nothing where it is never reached."""
        state = self._found.before(stmt)
        return NOTHING_KNOWN if state is UNREACHABLE else state

    def after_body(self, loop: DoLoop) -> Environment:
        """Return what is known of the variable of a loop behind a body that leaves it alone.

        The variable is one that nobody has the address of.
        """
        stmts = loop.body.stmts
        var = self._analysis.images.variable(loop.iv)
        if (
            not stmts
            or var is None
            or any(_writes(n, loop.iv) for n in PROGRAM.pre_order(loop.body))
        ):
            return NOTHING_KNOWN
        held = self.before(stmts[0]).get(var)
        return NOTHING_KNOWN if held is None else NOTHING_KNOWN.set(var, held)

    def interval(self, expr: Expr, state: Environment) -> Interval:
        """Return where an integer lies; of what is made of much, where all of its type do."""
        is_small = sum(1 for _ in islice(PROGRAM.pre_order(expr), MOST + 1)) <= MOST
        found = self._analysis.interval(expr, state) if is_small else None
        return range_of(expr.type) if found is None else found


def _writes(node: Node, symbol: Symbol) -> bool:
    """Return whether a node says that it writes a symbol."""
    return any(getattr(node, name) is symbol for name in _WRITTEN[type(node)])


_WRITTEN: Final = ByKind(
    lambda kind: [each.name for each in kind.fields_ if Access.WRITE in each.access]
)


def range_of(held: Type) -> Interval:
    """Return where all integers of a type lie."""
    return type_range(LoopType("uint64" if held.is_pointer else str(held)))
