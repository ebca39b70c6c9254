"""Where each node of an expression is evaluated, and how often it is used.

A node that several others share is evaluated once per activation of the scope it belongs to: the
innermost one that all of its uses have in common. The body of a let is no scope of its own here;
branches and arms are scopes of the function around them. The body of a function, and every scope
of a kind that another package declares, has activations of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from relayish.interpreter.evaluator import EVALUATORS
from relayish.ir import scopes as ground
from relayish.ir.node import ATOMS, Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.roles import Role, Runs
from relayish.ir.scopes import OUTERMOST
from relayish.ir.scoping import has_scopes, holding, operands, operands_of, scopes
from relayish.ir.spread import SPREADS
from relayish.ir.traversal import ByKind, Traversal


class Scopes(ground.Scopes):
    """The scopes of one expression.

    Attributes:
        uses: How many operands each node is, over the whole expression.
        scope: The scope each computed node belongs to (nodes of the outermost one may be absent).
        lifted: The computed nodes that are used from some scope inside their own.
        function: For each scope, the innermost scope around it that has activations of its own.
        activated: For each node that opens scopes with activations of their own, those in which
            all the others are, in order: one for each field of it and of its parts that opens any,
            or one for all fields that know the same variables.
    """

    def __init__(self, root: Expr) -> None:
        self.uses: defaultdict[Node, int] = defaultdict(int)
        self.uses[root] = 1
        self.function = [OUTERMOST]
        self.activated: dict[Node, list[int]] = {}
        super().__init__(root, traversal=EXPRESSIONS)

    def _place_all(self, _enter: object, _traversal: Traversal) -> None:
        in_place, in_branches, order = _IN_PLACE, _IN_BRANCHES, self.order
        if all(
            in_place[kind] is not None and in_branches[kind] is None
            for kind in set(map(type, order))
        ):
            self._count()
            return
        uses, scope_of, lifted, atoms = self.uses, self.scope, self.lifted, ATOMS
        for node in reversed(order):  # so that all uses of a node are known at its turn
            kind = type(node)
            if kind in atoms or node not in scope_of:
                continue
            scope = scope_of[node]
            if node in lifted:  # its code may run from any of its uses: a scope of its own
                scope = self.open(scope, Runs.ONE_OF)
            held = in_place[kind]
            if held is None:
                self._open_all(node, scope)
                continue
            for child in held(node):
                uses[child] += 1
                if type(child) not in atoms and scope_of.setdefault(child, scope) != scope:
                    self.place(child, scope)
            branches = in_branches[kind]
            if branches is None:
                continue
            for child in branches(node):
                uses[child] += 1
                inner = self.open(scope, Runs.ONE_OF)
                if type(child) not in atoms and scope_of.setdefault(child, inner) != inner:
                    self.place(child, inner)

    def _count(self) -> None:
        """Count the uses of nodes that are all in one scope."""
        uses, in_place = self.uses, _IN_PLACE
        for node in self.order:
            for child in in_place[type(node)](node):
                uses[child] += 1

    def _open_all(self, node: Node, scope: int) -> None:
        """Open the scopes of a node that have activations of their own."""
        uses, function, first = self.uses, self.function, len(self.function)
        parts: list[Node] = []
        spread = SPREADS[type(node)]
        assert spread is not None
        self.opened[node] = spread(self, node, scope, node, parts)
        if parts:
            self.opened[node] += self._spread_parts(node, scope, parts)
        for child in operands(node):
            uses[child] += 1
        for inner in scopes(node):
            for child in inner.roots:
                uses[child] += 1
        parent, activated = self.tree.parent, self.activated
        activated[node] = []
        for opened in range(first, len(function)):
            if parent[opened] == scope:
                function[opened] = opened
                activated[node].append(opened)
            else:
                function[opened] = function[parent[opened]]

    def open(self, scope: int, runs: Runs) -> int:
        """Return a new scope inside of ``scope``, which is a block whatever runs it."""
        self.function.append(self.function[scope])
        return super().open(scope, Runs.ONE_OF if runs is Runs.ONCE else runs)


def _in_place(kind: type[Node]) -> Callable[[Any], tuple[Node, ...]] | None:  # Any: of that kind
    """Return what gives all that a node evaluates in the scope around it.

    ``None`` for kinds whose scopes have activations of their own.
    """
    if kind in ATOMS:
        return lambda _: ()
    if not has_scopes(kind):
        return operands_of(kind)
    if not _is_in_line(kind):
        return None
    held = [f for f in kind.fields_ if f.role is Role.OPERAND or f.runs is Runs.ONCE]
    return holding(held)


def _in_branches(kind: type[Node]) -> Callable[[Any], tuple[Node, ...]] | None:  # Any: as above
    """Return what gives the branches of a node, each a scope of the function around it."""
    if not has_scopes(kind) or not _is_in_line(kind):
        return None
    if any(f.role is Role.PART for f in kind.fields_):
        return lambda node: tuple([scope.roots[0] for scope in scopes(node)])
    return holding([f for f in kind.fields_ if f.runs is Runs.ONE_OF])


def _is_in_line(kind: type[Node]) -> bool:
    known = EVALUATORS.get(kind)
    return known is not None and known.in_line


_IN_PLACE: Final = ByKind(_in_place)
_IN_BRANCHES: Final = ByKind(_in_branches)
