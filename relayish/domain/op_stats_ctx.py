"""The context that counts operators: as written, as run, and as run by an estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.domain.analyze_ctx import AnalyzeCtx, entry_of
from relayish.domain.dispatch import Dispatch
from relayish.ir.node import Node
from relayish.ir.opcode import place_of
from relayish.ir.roles import Runs
from relayish.ir.trip_count import trip_count

ESTIMATE: Final = 10
"""How often a loop is taken to run where nothing tells."""


class Count(NamedTuple):
    """How often an operator occurs.

    Attributes:
        static: In the program, as it is written.
        dynamic: When it runs, where loops of which nothing is known run once.
        estimated: When it runs, where these run :data:`ESTIMATE` times.
    """

    static: int = 0
    dynamic: int = 0
    estimated: int = 0


Counts: TypeAlias = dict[tuple[str, str], Count]
"""The counts of operators, by the names of the domain and of the operator in it."""

_ONE: Final = Count(1, 1, 1)


class OpStatsCtx(AnalyzeCtx):
    """The context of a visit that counts operators; a visit returns :data:`Counts`.

    A loop multiplies what it runs by its trip count, a call what it calls, as often as that was
    found out. Branches count as if all of them ran. A node of a graph that is shared counts once, a
    statement or expression of a tree wherever it stands. Handlers that count otherwise return
    counts, or ``None``.

    Args:
        callee: Gives for a node the definition that it calls, or ``None``. A function that calls
            itself counts once in that.

    Complexity:
        Linear in distinct nodes and edges, times the number of distinct operators.

    Source:
        AIR ``OP_STATS_CTX``.

    Example:
        >>> from relayish import tir
        >>> from relayish.domain import DefaultHandler, Visitor
        >>> a, n = tir.Tensor("A", (9,), "int32", tir.Buffer("_A", (9,), "int32")), tir.Var("n")
        >>> i, j = tir.Var("i"), tir.Var("j")
        >>> loops = tir.For(i, 0, 9, tir.For(j, 0, n, tir.Store(a, i * j, (i,))))
        >>> found = Visitor(OpStatsCtx(), DefaultHandler("tir")).visit(loops)
        >>> found["tir", "mul"]
        Count(static=1, dynamic=9, estimated=90)
    """

    def __init__(self, callee: Callable[[Any], Node | None] | None = None) -> None:  # Any: a node
        self._callee = callee
        self._called: set[Node] = set()  # what is being counted

    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: counts
        """Return the counts of ``node`` and of what is below it."""
        owner, operator = place_of(node)
        found: Counts = {(owner.name, operator.name): _ONE}
        is_tree = node.language_.is_tree
        for declared in entry_of(visitor.steps.fields, node):
            held = getattr(node, declared.name)
            trips = trip_count(node) if declared.runs is Runs.REPEATEDLY else 1
            for child in held if declared.holds_many else (held,):
                if isinstance(child, Node) and (is_tree or child not in visitor.memo_map):
                    _add(found, visitor.visit(child), trips)
        called = None if self._callee is None else self._callee(node)
        if called is not None and called not in self._called:
            self._called.add(called)
            try:
                counts = visitor.visit(called)
            finally:
                self._called.discard(called)
            if isinstance(counts, dict):  # what it is written with counts where it is written
                _add(found, {key: c._replace(static=0) for key, c in counts.items()}, 1)
        return found


def _add(found: Counts, counts: object, trips: int | None) -> None:
    """Add what a child was counted, ``trips`` times."""
    if not isinstance(counts, dict):
        return
    known = 1 if trips is None else trips
    guess = ESTIMATE if trips is None else trips
    for key, (static, dynamic, estimated) in counts.items():
        before = found.get(key, _NONE)
        found[key] = Count(
            before.static + static,
            before.dynamic + dynamic * known,
            before.estimated + estimated * guess,
        )


_NONE: Final = Count()
