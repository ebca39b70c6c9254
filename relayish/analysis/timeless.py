"""Expressions whose value does not depend on when, where and how often they are evaluated.

Only these may be taken out of the place where they stand, or dropped from it, without asking what
else the program does. References have an identity, so even creating one is bound to its place: a
function that creates a reference makes a new one for each call, one that uses a shared node does
not.
"""

from __future__ import annotations

from relayish.analysis.effect_rules import EFFECT_RULES
from relayish.ir.node import ATOMS, Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op, Var
from relayish.ir.scoping import PROGRAM


class Timeless:
    """Answers :meth:`check` for many expressions, looking at each node once."""

    def __init__(self) -> None:
        self._known: dict[Node, bool] = {}
        self._functions: set[Node] = set()

    def stands_for(self, var: Var, value: Expr) -> None:
        """Take ``var`` for ``value`` from now on, wherever it is called."""
        if self._is_literal(value):
            self._functions.add(var)

    def check(self, expr: Node) -> bool:
        """Return whether nothing in ``expr``, bodies of functions included, has to do with time.

        What does: references and whatever else acts or is a thing of its own, operators with state,
        and calls of functions that do not stand there literally.

        Complexity:
            Linear in the distinct nodes that were not looked at before; no recursion.

        Example:
            >>> from relayish.ir.relay.expr import RefRead, Tuple, Var
            >>> x, timeless = Var("x"), Timeless()
            >>> timeless.check(Tuple((x, x))), timeless.check(Tuple((x, RefRead(x))))
            (True, False)
        """
        known = self._known
        if expr in known:
            return known[expr]
        for node in PROGRAM.post_order(expr, lambda node: node not in known):
            if node in known:
                continue
            if type(node) is Let and self._is_literal(node.body):
                self._functions.add(node)
            below = [known[child] for child in PROGRAM.children(node)]
            known[node] = all(below) and not self._acts(node)
        return known[expr]

    def timed(self, expr: Node) -> frozenset[Node]:
        """Return the nodes in ``expr``, or looked at before, whose evaluation has to do with time.

        Complexity:
            Linear in the distinct nodes in ``expr`` and those looked at before; no recursion.
        """
        self.check(expr)
        known = self._known.items()
        return frozenset(
            [n for n, is_timeless in known if not is_timeless and type(n) not in ATOMS]
        )

    def _acts(self, node: Node) -> bool:
        if type(node) is Call:
            called = node.op
            return type(called) not in (Op, Constructor) and not self._is_literal(called)
        acts = EFFECT_RULES[type(node)].acts
        return node.traits_.allocates or (acts is not None and acts(node))

    def _is_literal(self, function: Node) -> bool:
        return type(function) is Function or function in self._functions
