"""Limits on arguments: how many a fused function may take.

An argument is a tensor that comes from outside, or the result, which a kernel is given as well. A
tensor whose sizes are not known has further ones: each such size, and, but for the result, what
there is between its elements along each axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relayish.ir.relay.expr import Call, Constant, Expr, Tuple, TupleGetItem, Var
from relayish.ir.relay.tuples import leaf_types
from relayish.ir.relay.type import PrimExpr, TensorType, Type
from relayish.passes.relay.fusion.graph import FusionGraph


class ArgumentLimit:
    """The arguments of the groups of ``graph``, and whether groups may become one.

    A node is fused into what uses it only if that could take in all of its operands, and theirs
    where they have no arguments of their own: what has too many stops fusion there, rather than
    taking in some of them. That is TVM's rule, by TVM's estimate; beyond it no group gets more
    arguments than allowed.

    Args:
        graph: The graph.
        most: How many arguments a function may take, its result among them.
        root: ``root(index)`` is the node whose value the group of a node gives.

    Complexity:
        Constant for each edge, but for the arguments of groups that become one.
    """

    def __init__(self, graph: FusionGraph, most: int, root: Callable[[int], int]) -> None:
        self._graph = graph
        self._most = most
        self._root = root
        count = len(graph.order)
        self._operands = [_operands(graph, index) for index in range(count)]
        self._own = [self._count_own(index) for index in range(count)]
        self._estimate = self._own[:]  # by group: TVM's count
        self._reach = [0] * count
        self._outside: list[dict[int, int] | None] = [None] * count
        """For each group, the nodes it takes the values of, and for how many each counts."""

    def enter(self, index: int) -> None:
        """Estimate what node ``index`` would take if it took all its operands in."""
        root, total = self._root, self._estimate[index]
        seen = {root(index)}
        for operand in self._operands[index]:
            group = root(operand)
            if group not in seen and type(self._graph.order[operand]) is not Var:
                seen.add(group)
                total += self._estimate[group] or self._reach[group]
        self._reach[index] = min(total, self._most + 1)

    def admits(self, index: int) -> bool:
        """Return whether all that use node ``index`` could take it in, by the estimate."""
        users = [user for user, _ in self._graph.outputs[index]]
        if type(self._graph.order[index]) is Constant and len(users) == 1:
            return True  # inside it is no argument
        results = sum([self._result(user) for user in users])
        return max([self._reach[user] for user in users], default=0) <= self._most - results

    def merge(self, members: Sequence[int], sink: int) -> bool:
        """Let the groups of ``members`` be part of that of ``sink``; return whether they may.

        Nothing is changed where they may not.
        """
        target = self._root(sink)
        groups = dict.fromkeys([self._root(member) for member in members])
        groups.pop(target, None)
        taken = self._taken(target)
        inside = {target, *groups}
        added = {
            node: weight
            for group in groups
            for node, weight in self._taken(group).items()
            if node not in taken and self._root(node) not in inside
        }
        dropped = [node for node in groups if node in taken]
        weights = sum(taken.values()) + sum(added.values()) - sum([taken[n] for n in dropped])
        if weights + self._result(target) > self._most and (added or not dropped):
            return False
        for node in dropped:
            del taken[node]
        taken.update(added)
        for group in groups:
            self._estimate[target] += self._estimate[group]
            self._outside[group] = None
        return True

    def _taken(self, group: int) -> dict[int, int]:
        found = self._outside[group]
        if found is None:
            order = self._graph.order
            found = {node: _weight(order[node]) for node in self._operands[group]}
            self._outside[group] = found
        return found

    def _count_own(self, index: int) -> int:
        """Return how many arguments a node has that are variables or projections, as TVM counts."""
        order = self._graph.order
        operands = [order[operand] for operand in self._operands[index]]
        return sum([_weight(node) for node in operands if type(node) in (Var, TupleGetItem)])

    def _result(self, index: int) -> int:
        node = self._graph.order[index]
        ty = node.checked_type if type(node) is Call else None
        return 1 + _unknown_sizes(ty)


def _operands(graph: FusionGraph, index: int) -> list[int]:
    node = graph.order[index]
    if type(node) is Call:
        held: Sequence[Expr] = node.args
    elif type(node) is Tuple:
        held = node.fields
    else:
        held = (node.tuple_value,) if type(node) is TupleGetItem else ()
    return list(dict.fromkeys([graph.index[operand] for operand in held]))


def _weight(node: object) -> int:
    """Return for how many arguments the value of a node counts."""
    ty = node.checked_type if isinstance(node, Expr) else None
    total = 0
    for part in [None] if ty is None else leaf_types(ty):
        unknown = _unknown_sizes(part)
        strides = len(part.shape) if unknown and isinstance(part, TensorType) else 0
        total += 1 + unknown + strides
    return total


def _unknown_sizes(ty: Type | None) -> int:
    if not isinstance(ty, TensorType):
        return 0
    return sum([isinstance(size, PrimExpr) for size in ty.shape])
