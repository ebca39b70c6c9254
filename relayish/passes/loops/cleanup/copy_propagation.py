"""Copy propagation: use variables in place of others that hold the same value.

Before::

    int32 y = x
    if (c)
    {
      A[0] = y
    }
    x = 1
    A[1] = y

After::

    int32 y = x
    if (c)
    {
      A[0] = x
    }
    x = 1
    A[1] = y
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from operator import is_
from typing import Any, TypeAlias

from relayish._support.collector import pause_collection
from relayish._support.stable import until_stable
from relayish.dataflow import Action, Direction, FlowGraph, build_flow_graph, solve
from relayish.dataflow.lattice import TOP, Flat, MapLattice
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes, operands
from relayish.pass_infra import register_pass
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Let
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES

State: TypeAlias = Any  # a map from variables to those whose value they hold, as MapLattice has it


@register_pass("CopyPropagation", opt_level=1, idempotent=True)
def propagate_copies(func: LoweredFunc) -> LoweredFunc:
    """Copy propagation: use variables in place of others that hold the same value.

    Where a declaration or store gave a scalar the value of another on every path, and neither was
    assigned or declared again since, uses of the first become uses of the second. The copies stay,
    for ``DeadStoreElimination`` to drop. Left alone are conditions and steps of ``PolyFor`` and
    what reductions compute.

    Returns:
        ``func`` itself where no copy is used.

    Complexity:
        Linear in the number of statements and distinct nodes, times the variables that may
        hold the value of one that is assigned to; once more where a use became a copy itself; no
        recursion.
    """
    with pause_collection():
        return until_stable(_propagate, func)


def _propagate(func: LoweredFunc) -> LoweredFunc:
    graph = build_flow_graph(func)
    copies = _Copies(graph)
    if not copies.targets:
        return func
    [found] = solve([copies], graph)
    images: dict[Node, Any] = {}  # Any: statements
    for stmt in STATEMENTS.post_order(func.body):
        state = found.before(stmt) if graph.occurrences(stmt) else None
        images[stmt] = _rewrite(stmt, state, copies, images)
    return func.with_fields(body=images[func.body])


def copy_of(stmt: Node) -> tuple[Var, Var] | None:
    """Return which variable ``stmt`` gives the value of which, if it does no more."""
    if isinstance(stmt, Let):
        target, value = stmt.symbol, stmt.body
    elif isinstance(stmt, Store) and isinstance(stmt.tensor, Var) and not stmt.indices:
        target, value = stmt.tensor, stmt.value
    else:
        return None
    same = isinstance(value, Var) and value is not target and value.type == target.type
    return (target, value) if same and isinstance(value, Var) else None


class _Copies(AnalysisByKind[State]):
    """Available copies: for each variable, the one whose value it holds, on every path.

    Attributes:
        targets: The variables to which others are copied anywhere.
    """

    direction = Direction.FORWARD
    lattice = MapLattice(Flat(is_), default=TOP)

    def __init__(self, graph: FlowGraph) -> None:
        pairs = [pair for pair in map(copy_of, dict.fromkeys(graph.nodes)) if pair is not None]
        self.targets = {target for target, _ in pairs}
        self._holding: dict[Node, dict[Node, None]] = {}  # by variable, what ever held its value
        self._ending = _scope_ends(graph, {variable for pair in pairs for variable in pair})

    def boundary(self, _procedure: object) -> State:
        return self.lattice.top

    def transfer_of(self, action: Action, _kind: type[Node], _is_tree: bool) -> Transfer | None:
        if action in (Action.EVALUATE, Action.ENTER, Action.BIND):
            return self._step
        return self._leave if action is Action.LEAVE else None

    def _step(self, node: Node, state: State) -> State:
        accessed = self.accessed
        copy = copy_of(node) if self.graph.actions[self.number] is Action.EVALUATE else None
        source = None if copy is None else self.resolve(copy[1], state)
        for written in (accessed.overwrites, accessed.changes, accessed.exposes, self.bound):
            state = self._kill(written, state)
        if accessed.effect:
            state = self._kill(self.graph.accesses.aliased, state)
        if copy is not None and source is not None and source is not copy[0]:
            state = state.set(copy[0], source)
            self._holding.setdefault(source, {})[copy[0]] = None
        return state

    def _leave(self, _node: Node, state: State) -> State:
        return self._kill(self._ending.get(self.number, ()), state)

    def _kill(self, written: Iterable[Node], state: State) -> State:
        """Return the state where variables may have other values, or are no longer known."""
        for variable in written:
            state = state.discard(variable)
            for holding in self._holding.get(variable, ()):
                if state.get(holding) is variable:
                    state = state.discard(holding)
        return state

    def resolve(self, variable: Node, state: State) -> Node:
        """Return the variable whose value another holds, if that is known, else that itself."""
        found = state.get(variable)
        return found if isinstance(found, Var) else variable


def _scope_ends(graph: FlowGraph, relevant: Container[Node]) -> dict[int, list[Node]]:
    """Return for each point where a scope ends the variables that were known in it alone."""
    found: dict[int, list[Node]] = {}
    inside: list[list[Node]] = [[]]
    for number, action in enumerate(graph.actions):
        if action is Action.ENTER:
            inside.append([])
        inside[-1] += [var for var in graph.binders.get(number, ()) if var in relevant]
        if action is Action.LEAVE:
            found[number] = inside.pop()
    return found


def _rewrite(stmt: Node, state: State, copies: _Copies, images: dict[Node, Any]) -> Any:
    """Return a statement with copies in place of what it evaluates, and the images of others."""
    inner: dict[Node, Any] = {}
    for child in VALUES.children(stmt):
        if child in images:
            inner[child] = images[child]
        elif state is not None and child in operands(stmt):
            inner[child] = _replace(child, state, copies)
    return VALUES.rebuild[type(stmt)](stmt, inner.get)


def _replace(root: Node, state: State, copies: _Copies) -> Node:
    """Return an expression with copies in place of variables."""
    images: dict[Node, Any] = {}
    for node in VALUES.post_order(root, lambda each: not has_scopes(type(each))):
        if isinstance(node, Var):
            images[node] = copies.resolve(node, state)
        elif not has_scopes(type(node)):
            images[node] = VALUES.rebuild[type(node)](node, images.get)
    found: Node = images.get(root, root)
    return found
