"""The context that counts operators: as written, as run, and as run by an estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.domain.analyze_ctx import AnalyzeCtx, entry_of
from relayish.domain.dispatch import Dispatch
from relayish.domain.loop_variables import LoopVariables
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.kinds.opcode import place_of
from relayish.ir.kinds.trip_count import trip_count
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.def_use import places

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
    found out. Nothing tells how often a loop runs whose body may write its variable. Branches count
    as if all of them ran. A node of a graph that is shared counts once, a statement or expression
    of a tree wherever it stands. Handlers that count otherwise return counts, or ``None``.

    Args:
        callee: Gives for a node the definition that it calls, or ``None``. A function that calls
            itself counts once in that.

    Complexity:
        Linear in distinct nodes and edges, times the number of distinct operators; and linear once
        more for each variable of loops that is written in several places. Counts are exact, however
        many digits they have.

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
        self._root: Node | None = None  # the definition of which loops are asked about
        self._variables: dict[Node, LoopVariables] = {}  # by definition

    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # Any: counts
        """Return the counts of ``node`` and of what is below it."""
        owner, operator = place_of(node)
        found: Counts = {(owner.name, operator.name): _ONE}
        is_tree = node.language_.is_tree
        for declared in entry_of(visitor.steps.fields, node):
            held = getattr(node, declared.name)
            trips = self._trips(node) if declared.runs is Runs.REPEATEDLY else 1
            for child in held if declared.holds_many else (held,):
                if isinstance(child, Node) and (is_tree or child not in visitor.memo_map):
                    _add(found, visitor.visit(child), trips)
        called = None if self._callee is None else self._callee(node)
        if called is not None and called not in self._called:
            self._called.add(called)
            root, self._root = self._root, called
            try:
                counts = visitor.visit(called)
            finally:
                self._called.discard(called)
                self._root = root
            if isinstance(counts, dict):  # what it is written with counts where it is written
                _add(found, {key: c._replace(static=0) for key, c in counts.items()}, 1)
        return found

    def _trips(self, loop: Node) -> int | None:
        """Return how often ``loop`` runs; ``None`` where that is not known."""
        trips = trip_count(loop)
        if not trips or not places(loop, Access.WRITE):
            return trips
        root = self._root or self._parents[0]
        known = self._variables.get(root)
        if known is None:
            known = self._variables[root] = LoopVariables(root)
        return None if known.may_be_written(loop) else trips


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
