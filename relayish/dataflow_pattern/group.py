"""The parts of a program that match a pattern and may be replaced as wholes."""

from __future__ import annotations

from typing import Final

from relayish._support.dominators import Dominators
from relayish._support.graph import reachable
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
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.dataflow_pattern.root_index import roots_of
from relayish.ir.fields.roles import Atom
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Op, Tuple
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import bound_by
from relayish.rewriting.relay.calls import Key, Root, key_of
from relayish.rewriting.relay.facts import RelayFacts

PARTITIONED: Final = "PartitionedFromPattern"
"""The attribute in which a function says what was cut out."""

_BINDERS: Final[frozenset[type[DFPattern]]] = frozenset({FunctionPattern, LetPattern})
"""Patterns of expressions with a scope, all of which belongs to the group."""


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
    types: RelayFacts | None = None,
    *,
    whole_scopes: bool = False,
    refused: dict[Expr, str] | None = None,
) -> dict[Expr, Group]:
    """Return the groups that ``pattern`` finds in ``expr``, by their roots.

    Users are tried before what they use. A match is no group when something inside it belongs to
    another group already, or is used outside: the whole could not be replaced. Where all that uses
    it outside goes into the group again, by way of an input, it can: what is inside is computed
    there as well, if it does nothing else. Functions that were cut out before are left alone.

    Args:
        pattern: What to look for.
        expr: Where.
        mod: Where the functions and types are that ``expr`` names.
        types: What tells types, if it is to be shared.
        whole_scopes: What is in the scope of a let or function that matched belongs to the group,
            as it must if that is to be moved elsewhere; the variables such a scope takes from
            outside are inputs. Otherwise it is looked through like anything else.
        refused: Is told of expressions that match and are no groups, and why.

    Complexity:
        One walk over the program, and one attempt at each node that can begin a match; ``n log n``
        for ``n`` nodes where something inside a match is used outside.

    Source:
        Relay ``PatternGrouper``.
    """
    analysed = pattern if isinstance(pattern, Analysed) else Analysed(pattern)
    return _Grouper(analysed, expr, mod, types, whole_scopes, refused).run()


class _Grouper:
    """One search for groups."""

    def __init__(
        self,
        analysed: Analysed,
        expr: Expr,
        mod: IRModule | None,
        types: RelayFacts | None,
        whole_scopes: bool,
        refused: dict[Expr, str] | None,
    ) -> None:
        self._analysed = analysed
        self._types = RelayFacts(expr, mod) if types is None else types
        self._matcher = Matcher(analysed, expr, mod, self._types)
        self._expr = expr
        self._order = EXPRESSIONS.post_order(expr)
        self._refused = refused
        self._taken: set[Node] = set()
        self._spread: set[Node] = set()
        self._users: dict[Node, list[Node]] | None = None
        self._paths_out: Dominators[Node] | None = None
        self._binds = not _BINDERS.isdisjoint(analysed.kinds)
        self._whole_scopes = whole_scopes
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
        scopes = self._scopes(node_map) if self._binds else []
        shared = [scope.body for scope in scopes if scope.body in self._spread]
        if shared:
            self._refuse(root, shared[0], set())
            return None
        kept, captured = self._find_kept(root, node_map, scopes)
        inputs = self._inputs(node_map, kept, captured)
        order = self._find_inside(root, set(inputs))
        inside = set(order)
        for node in order:
            if _is_everywhere(type(node)):
                continue
            used_outside = node is not root and not inside.issuperset(self._users_of(node))
            if used_outside and not scopes and self._leads_to(node, root):
                used_outside = False
            if used_outside or node in self._taken:
                self._refuse(root, node, inside)
                if self._whole_scopes and scopes and node in kept:
                    self._spread_from(node)
                return None
        return Group(root, inputs, order, node_map)

    def _refuse(self, root: Expr, node: Node, inside: set[Node]) -> None:
        """Tell, if it is asked for, that a match is no group for a node inside of it."""
        if self._refused is None:
            return
        text = f"{one_line_at(node)} in it belongs to another match"
        if node not in self._taken:
            user = next((each for each in self._users_of(node) if each not in inside), None)
            by = "outside of it" if user is None else f"by {one_line_at(user)}"
            text = f"{one_line_at(node)} in it is used {by} as well"
        self._refused[root] = text

    def _leads_to(self, node: Node, root: Expr) -> bool:
        """Return whether all that uses ``node`` leads to ``root``, and it may be computed twice."""
        if not self._types.transparency.holds_for(node):
            return False
        if self._paths_out is None:
            self._paths_out = Dominators(self._order[::-1], EXPRESSIONS.children)
        return self._paths_out.dominates(root, node)

    def _scopes(self, node_map: dict[DFPattern, tuple[Expr, ...]]) -> list[Let | Function]:
        """Return the binders that patterns of binders matched."""
        return [
            expr
            for pattern in self._analysed.order
            if type(pattern) in _BINDERS
            for expr in node_map.get(pattern, ())
            if isinstance(expr, (Let, Function))
        ]

    def _spread_from(self, node: Node) -> None:
        """Note whose bodies hold ``node``, which is used outside of one of them as well.

        It is outside of the scopes within that one, too. Through a function that is used several
        times it may be in one scope after all.
        """

        def around(each: Node) -> list[Node]:
            users = self._users_of(each)
            return users if type(each) is not Function or len(users) == 1 else []

        reachable([node], around, self._spread)

    def _inputs(
        self,
        node_map: dict[DFPattern, tuple[Expr, ...]],
        kept: set[Node],
        captured: dict[Expr, None],
    ) -> list[Expr]:
        """Return what the outermost leaves of the pattern stand for, and what is ``captured``."""
        found: dict[Expr, None] = {}
        for pattern in self._analysed.order:
            for expr in _leaves(pattern, node_map.get(pattern, ())):
                if expr in kept or type(expr) in (Op, Function):
                    continue
                if type(expr) is Constant and _means_constant(pattern):
                    continue
                found[expr] = None
        return list({**found, **captured})

    def _find_kept(
        self,
        root: Expr,
        node_map: dict[DFPattern, tuple[Expr, ...]],
        scopes: list[Let | Function],
    ) -> tuple[set[Node], dict[Expr, None]]:
        """Return what stays inside though a leaf of the pattern matched it, and what cannot.

        Inside stays what a path led over and, of whole scopes, what is in the scope of a binder
        inside the match, but for the variables that are bound outside. Otherwise the variables of
        a binder belong to what is in its scope.
        """
        kept: set[Node] = {root}
        for dominator in self._dominators:
            kept.update(node_map.get(dominator.parent, ()))
            kept.update(node_map.get(dominator.path, ()))
        if not self._whole_scopes:
            own = [var for scope in scopes for var in bound_by(scope)]
            return kept, dict.fromkeys([var for var in own if isinstance(var, Expr)])
        captured: dict[Expr, None] = {}
        bound: set[Node] = set()
        for scope in scopes:
            bound.update(bound_by(scope))
            for node in EXPRESSIONS.post_order(scope.body):
                if node in kept:
                    continue
                kept.add(node)
                bound.update(bound_by(node))
                if type(node) in VARIABLES and isinstance(node, Expr):
                    captured[node] = None
        kept |= bound
        captured = {var: None for var in captured if var not in bound}
        return kept.difference(captured), captured

    def _find_inside(self, root: Expr, inputs: set[Expr]) -> list[Node]:
        """Return what is reached from ``root`` before an input is, children first."""
        order = EXPRESSIONS.post_order(root, lambda node: node not in inputs)
        return [node for node in order if node not in inputs]

    def _users_of(self, node: Node) -> list[Node]:
        if self._users is None:
            self._users = EXPRESSIONS.users(self._expr, self._order)
        return self._users.get(node, [])


def _is_everywhere(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` may belong to several groups."""
    return kind.traits_.atom in (Atom.NAME, Atom.LITERAL) or kind is Function


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
