"""Activations: where each node of an expression is evaluated, and how often it is used.

A node that several others share is evaluated once per activation of the scope it belongs to: the
innermost one that all of its uses have in common. The body of a let is no scope of its own here;
branches and arms are scopes of the function around them. The body of a function, and every scope
of a kind that another package declares, has activations of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from relayish.interpreter.evaluator import EVALUATORS
from relayish.ir.fields.roles import Role, Runs
from relayish.ir.nodes.getters import NodesGetter, compile_getter
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind, Traversal
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.placement import PLACEMENTS
from relayish.ir.scopes.scoping import (
    evaluated,
    has_parts,
    has_scopes,
    operands_of,
    recursive_operands,
    scope_roots,
)


class Activations(Scopes):
    """The scopes of one expression.

    Attributes:
        uses: How many operands each node is, over the whole expression.
        scope: The scope each computed node belongs to (nodes of the outermost one may be absent).
        lifted: The computed nodes that are used from some scope inside their own.
        function: For each scope, the innermost scope around it that has activations of its own.
        activated: For each node that opens scopes with activations of their own, those in which
            all the others are, in order: one for each scope of it and of its parts,
            or one for all fields that know the same variables.
        own: For each node that several scopes share, the scope that is its code alone.
        branches: For each node with branches, the first of their scopes, which are numbered in
            sequence.
    """

    def __init__(self, root: Expr) -> None:
        self.uses: defaultdict[Node, int] = defaultdict(int)
        self.uses[root] = 1
        self.function = [OUTERMOST]
        self.activated: dict[Node, list[int]] = {}
        self.own: dict[Node, int] = {}
        self.branches: dict[Node, int] = {}
        self._activating: int | None = None  # where scopes open that have activations
        self._activated: list[int] = []
        self._parts: list[Node] = []  # those still to be placed
        super().__init__(root, traversal=EXPRESSIONS)

    def _place_all(self, _enter: object, _traversal: Traversal) -> None:
        kinds = set(map(type, self.order)) - ATOMS
        in_place = {kind: _IN_PLACE[kind] for kind in kinds}
        in_branches = {kind: found for kind in kinds if (found := _IN_BRANCHES[kind]) is not None}
        if not in_branches and None not in in_place.values():
            self._count(in_place)
            return
        uses, scope_of, lifted, atoms = self.uses, self.scope, self.lifted, ATOMS
        widen, placed, new_scope = self.widen, self.scope.setdefault, self.tree.open
        function = self.function
        for node in reversed(self.order):  # so that all uses of a node are known at its turn
            kind = type(node)
            if kind in atoms or node not in scope_of:
                continue
            scope = scope_of[node]
            if node in lifted:  # its code may run from any of its uses: a scope of its own
                function.append(function[scope])
                scope = self.own[node] = new_scope(scope)
            held = in_place[kind]
            if held is None:
                self._open_all(node, scope)
                continue
            for child in held(node):
                uses[child] += 1
                if type(child) not in atoms and (before := placed(child, scope)) != scope:
                    widen(child, before, scope)
            branches = in_branches.get(kind)
            if branches is not None:
                self.branches[node] = len(function)
                for child in branches(node):
                    uses[child] += 1
                    function.append(function[scope])
                    inner = new_scope(scope)
                    if type(child) not in atoms and (before := placed(child, inner)) != inner:
                        widen(child, before, inner)

    def _count(self, in_place: Mapping[type[Node], NodesGetter]) -> None:
        """Count the uses of nodes that are all in one scope."""
        uses = self.uses
        for node in self.order:
            held = in_place.get(type(node))
            if held is not None:
                for child in held(node):
                    uses[child] += 1

    def _open_all(self, node: Node, scope: int) -> None:
        """Open the scopes of a node that have activations of their own."""
        kind, parts = type(node), self._parts
        self._activating = scope
        self._activated = self.activated[node] = []
        place_children = PLACEMENTS[kind]
        assert place_children is not None
        place_children(self, node, scope, node, parts)
        if parts:
            self._place_parts(node, scope, parts)
        self._activating = None
        # each is evaluated in activations of its own, as the scopes beside it are
        self.lifted.update([n for n in recursive_operands(node) if type(n) not in ATOMS])
        for child in _HELD[kind](node):
            self.uses[child] += 1

    def widen(self, node: Node, before: int, scope: int) -> None:
        """Note that ``node``, which is used in the scope ``before``, is used in another as well."""
        self.lifted.add(node)
        self.scope[node] = self.tree.find_common_ancestor(before, scope)

    def open(self, scope: int, runs: Runs) -> int:  # noqa: ARG002 - all are blocks here
        """Return a new scope inside of ``scope``, which is a block whatever runs it."""
        opened = self._new_scope(scope)
        if scope == self._activating:
            self.function.append(opened)
            self._activated.append(opened)
        else:
            self.function.append(self.function[scope])
        return opened


def _compile_in_place(kind: type[Node]) -> NodesGetter | None:
    """Return what gives all that a node evaluates in the scope around it.

    ``None`` for kinds whose scopes have activations of their own.
    """
    if kind is Call:  # the commonest kind by far, and what it calls is mostly an operator
        return lambda call: call.args if type(call.op) is Op else (call.op, *call.args)
    if not has_scopes(kind):
        return operands_of(kind)
    if not _is_in_line(kind):
        return None
    held = [f for f in kind.fields_ if f.role is Role.OPERAND or f.runs is Runs.ONCE]
    return compile_getter(held)


def _compile_branches(kind: type[Node]) -> NodesGetter | None:
    """Return what gives the branches of a node, each a scope of the function around it."""
    if not has_scopes(kind) or not _is_in_line(kind):
        return None
    if has_parts(kind):
        return scope_roots
    return compile_getter([f for f in kind.fields_ if f.runs is Runs.ONE_OF])


def _compile_held(kind: type[Node]) -> NodesGetter:
    """Return what gives all that a node evaluates, in its own scope and others."""
    if not has_parts(kind):
        return compile_getter([f for f in kind.fields_ if f.role in (Role.OPERAND, Role.SCOPE)])
    return evaluated


def _is_in_line(kind: type[Node]) -> bool:
    known = EVALUATORS.get(kind)
    return known is not None and known.in_line


_HELD: Final = ByKind(_compile_held)
_IN_PLACE: Final = ByKind(_compile_in_place)
_IN_BRANCHES: Final = ByKind(_compile_branches)
