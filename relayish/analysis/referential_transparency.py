"""Referential transparency: whether a value depends on when, where and how often it is evaluated.

Only what is transparent may be taken out of the place where it stands, or dropped from it, without
asking what else the program does. References have an identity, so even creating one is bound to its
place: a function that creates a reference makes a new one for each call, one that uses a shared
node does not.
"""

from __future__ import annotations

from relayish.analysis.effect_rules import POLYMORPHIC, callees_of, effect_of_op, has_own_effect
from relayish.ir.nodes.getters import is_declaration
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op, Var
from relayish.ir.scopes.scoping import PROGRAM, outer_operands


def find_opaque_nodes(expr: Node) -> frozenset[Node]:
    """Return the nodes in ``expr`` that are not referentially transparent; no atoms.

    Complexity:
        Linear in the number of distinct nodes of ``expr``; no recursion.
    """
    known = ReferentialTransparency().of_all(expr).items()
    return frozenset([node for node, holds in known if not holds and type(node) not in ATOMS])


class ReferentialTransparency:
    """Tells of many expressions whether they are transparent, looking at each node once."""

    def __init__(self) -> None:
        self._known: dict[Node, bool] = {}
        self._is_any_opaque = False  # of those known
        self._functions: set[Node] = set()
        self._declaring: set[Node] = set()  # not transparent for what they declare alone

    def bind(self, var: Var, value: Expr) -> None:
        """Note that ``var`` is bound to ``value``, so that calls of it are calls of that."""
        if self._is_literal(value):
            self._functions.add(var)

    def holds_for(self, expr: Node) -> bool:
        """Return whether all in ``expr``, bodies of functions included, is transparent.

        Not transparent are references and whatever else acts or is a thing of its own, what
        declares variables for what follows it, operators with state, and calls of functions that
        do not stand there literally, by operators too.

        Complexity:
            Linear in the distinct nodes that were not looked at before; no recursion.

        Example:
            >>> from relayish.ir.relay.expr import RefRead, Tuple, Var
            >>> x, transparency = Var("x"), ReferentialTransparency()
            >>> transparency.holds_for(Tuple((x, x)))
            True
            >>> transparency.holds_for(Tuple((x, RefRead(x))))
            False
        """
        known = self._known
        return known[expr] if expr in known else self.of_all(expr)[expr]

    def of_all(self, expr: Node) -> dict[Node, bool]:
        """Return for each node in ``expr``, and each looked at before, whether it is transparent.

        Complexity:
            As :meth:`holds_for`.
        """
        known = self._known
        has_children = PROGRAM.push_all
        for node in PROGRAM.post_order(expr, lambda node: node not in known):
            if node in known:
                continue
            kind = type(node)
            if kind is Let and self._is_literal(node.body):  # type: ignore[attr-defined]  # a let
                self._functions.add(node)
            below: list[Node] = []
            if self._is_any_opaque and has_children[kind] is not None:
                below = [child for child in PROGRAM.children(node) if not known[child]]
            if below or is_declaration(kind):
                holds = self._hides_declarations(node, below)
            else:
                holds = not self._is_opaque(node)
            known[node] = holds
            if not holds:
                self._is_any_opaque = True
        return known

    def _hides_declarations(self, node: Node, opaque: list[Node]) -> bool:
        """Return whether nothing is opaque about ``node`` but what is declared in its scopes.

        What declares variables is seen by what follows it in the scope around it, not further out.
        """
        if self._is_opaque(node) or not self._declaring.issuperset(opaque):
            return False
        if not is_declaration(type(node)) and self._declaring.isdisjoint(outer_operands(node)):
            return True
        self._declaring.add(node)
        return False

    def _is_opaque(self, node: Node) -> bool:
        """Return whether ``node`` is not transparent, though all it is made of is."""
        if type(node) is Op:
            return bool(effect_of_op(node) & ~POLYMORPHIC)
        if type(node) is Call:
            called = node.op
            if type(called) is Op:
                return not all(map(self._is_literal, callees_of(node)))
            return type(called) is not Constructor and not self._is_literal(called)
        return node.traits_.allocates or has_own_effect(node)

    def _is_literal(self, function: Node) -> bool:
        return type(function) is Function or function in self._functions
