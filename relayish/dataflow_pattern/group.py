"""The parts of a program that match a pattern and may be replaced as wholes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from relayish.dataflow_pattern.analysed import Analysed
from relayish.dataflow_pattern.matcher import Matcher
from relayish.dataflow_pattern.pattern import (
    CallPattern,
    ConstantPattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    LetPattern,
    TuplePattern,
    children,
)
from relayish.dataflow_pattern.roots import Key, Root, key_of, roots_of
from relayish.dataflow_pattern.types import Types
from relayish.ir.expr import Call, Constant, Expr, Function, GlobalVar, Let, Op, Tuple
from relayish.ir.module import IRModule
from relayish.ir.node import Node
from relayish.ir.traversal import EXPRESSIONS

PARTITIONED: Final = "PartitionedFromPattern"
"""The attribute in which a function says what was cut out."""

_EVERYWHERE: Final[frozenset[type[Node]]] = frozenset({Op, Constant, GlobalVar, Function})
"""Kinds whose nodes may belong to several groups."""


class Group:
    """One match: ``root`` and what is between it and the ``inputs``, which stay outside.

    ``order`` lists what is inside, children first; ``node_map`` says what the parts of the pattern
    stand for.
    """

    __slots__ = ("inputs", "node_map", "order", "root")

    def __init__(
        self,
        root: Expr,
        inputs: list[Expr],
        order: list[Node],
        node_map: dict[DFPattern, tuple[Expr, ...]],
    ) -> None:
        self.root = root
        self.inputs = inputs
        self.order = order
        self.node_map = node_map


def find_groups(
    pattern: DFPattern | Analysed,
    expr: Expr,
    mod: IRModule | None = None,
    types: Types | None = None,
) -> dict[Expr, Group]:
    """Return the groups that ``pattern`` finds in ``expr``, by their roots.

    Users are tried before what they use. A match is no group when something inside it belongs to
    another group already, or is used outside: the whole could not be replaced. Functions that
    were cut out before are left alone.

    Complexity:
        One walk over the program, and one attempt at each node that can begin a match.

    Source:
        Relay ``PatternGrouper``.
    """
    analysed = pattern if isinstance(pattern, Analysed) else Analysed(pattern)
    return _Grouper(analysed, expr, mod, types).run()


class _Grouper:
    """One search for groups."""

    def __init__(
        self, analysed: Analysed, expr: Expr, mod: IRModule | None, types: Types | None
    ) -> None:
        self._analysed = analysed
        self._matcher = Matcher(analysed, expr, mod, types)
        self._order = EXPRESSIONS.post_order(expr)
        self._taken: set[Node] = set()
        self._users: dict[Node, list[Node]] | None = None
        kinds = {type(p) for p in analysed.order}
        self._binds = bool(kinds & {FunctionPattern, LetPattern})
        self._dominators = [p for p in analysed.order if type(p) is DominatorPattern]

    def run(self) -> dict[Expr, Group]:
        """Return the groups."""
        roots = roots_of(self._analysed)
        by_key: dict[Key, list[Root]] = {}
        for root in roots or ():
            by_key.setdefault(root.key, []).append(root)
        groups: dict[Expr, Group] = {}
        taken, match = self._taken, self._matcher.match
        for node in reversed(self._order):
            if not isinstance(node, Expr) or node in taken:
                continue
            if type(node) is Function and _is_partitioned(node):
                taken.update(EXPRESSIONS.post_order(node.body))
                continue
            if roots is not None:
                beginnings = by_key.get(key_of(node))
                if beginnings is None or not _may_begin(beginnings, node):
                    continue
            if match(node):
                group = self._group(node)
                if group is not None:
                    groups[node] = group
                    taken.update(group.order)
        return groups

    def _group(self, root: Expr) -> Group | None:
        node_map = self._matcher.node_map()
        inputs = self._inputs(root, node_map)
        order = self._inside(root, set(inputs))
        inside = set(order)
        for node in order:
            if type(node) in _EVERYWHERE:
                continue
            if node in self._taken:
                return None
            if node is not root and not inside.issuperset(self._uses(node)):
                return None
        return Group(root, inputs, order, node_map)

    def _inputs(self, root: Expr, node_map: dict[DFPattern, tuple[Expr, ...]]) -> list[Expr]:
        """Return what the outermost leaves of the pattern stand for, each once."""
        kept = self._kept(root, node_map)
        found: dict[Expr, None] = {}
        for pattern in self._analysed.order:
            for expr in _leaves(pattern, node_map.get(pattern, ())):
                if expr in kept or type(expr) in (Op, Function):
                    continue
                if type(expr) is Constant and _means_constant(pattern):
                    continue
                found[expr] = None
        return list(found)

    def _kept(self, root: Expr, node_map: dict[DFPattern, tuple[Expr, ...]]) -> set[Node]:
        """Return what stays inside though a leaf of the pattern matched it.

        That is what a path led over, and what is in the scope of a binder inside the match.
        """
        kept: set[Node] = {root}
        for dominator in self._dominators:
            kept.update(node_map.get(dominator.parent, ()))
            kept.update(node_map.get(dominator.path, ()))
        if not self._binds:
            return kept
        for pattern in self._analysed.order:
            for expr in node_map.get(pattern, ()):
                if type(pattern) is FunctionPattern and type(expr) is Function:
                    kept.update(expr.params)
                    kept.update(EXPRESSIONS.post_order(expr.body))
                elif type(pattern) is LetPattern and type(expr) is Let:
                    kept.add(expr.var)
                    kept.update(EXPRESSIONS.post_order(expr.body))
        return kept

    def _inside(self, root: Expr, inputs: set[Expr]) -> list[Node]:
        """Return what is reached from ``root`` before an input is, children first."""
        order: list[Node] = []
        seen: set[Node] = set(inputs)
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, left = stack.pop()
            if left:
                order.append(node)
                continue
            if node in seen:
                continue
            seen.add(node)
            stack.append((node, True))
            stack += [(child, False) for child in reversed(EXPRESSIONS.children(node))]
        return order

    def _uses(self, node: Node) -> Iterator[Node]:
        if self._users is None:
            users: dict[Node, list[Node]] = {}
            for user in self._order:
                for child in EXPRESSIONS.children(user):
                    users.setdefault(child, []).append(user)
            self._users = users
        return iter(self._users.get(node, ()))


def _is_partitioned(func: Function) -> bool:
    """Return whether ``func`` was cut out before: what is in it belongs together already."""
    return func.attrs is not None and PARTITIONED in func.attrs


def _may_begin(roots: list[Root], node: Expr) -> bool:
    if type(node) is not Call:
        return True
    args = tuple([key_of(arg) for arg in node.args])
    for root in roots:
        if root.admits(args):
            return True
    return False


def _leaves(pattern: DFPattern, exprs: tuple[Expr, ...]) -> list[Expr]:
    """Return what is outside a match where ``pattern`` looks no further."""
    if type(pattern) is TuplePattern and pattern.any_fields:
        return [field for tup in exprs if type(tup) is Tuple for field in tup.fields]
    if type(pattern) is CallPattern and pattern.any_args:
        return [arg for call in exprs if type(call) is Call for arg in call.args]
    return [] if children(pattern) else list(exprs)


def _means_constant(pattern: DFPattern) -> bool:
    return type(pattern) is ConstantPattern or (
        type(pattern) is ExprPattern and type(pattern.expr) is Constant
    )
