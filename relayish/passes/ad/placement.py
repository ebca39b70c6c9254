"""In which scope each node of a program is evaluated.

Scopes are the bodies of functions, the branches of ``If`` and the arms of ``Match``. A node that
several places share belongs to the innermost scope around all of them: what is bound there by a
let is seen by all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish.ir.node import ATOMS, Node
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Expr, Function, If, Tuple
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scope_tree import ScopeTree

OUTERMOST: Final = 0
"""The scope around all others."""

# Any: each function takes the node kind it stands under
_INSIDE: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {
    If: lambda node: (node.true_branch, node.false_branch),
    Function: lambda node: (node.body,),
    Match: lambda node: tuple([clause.rhs for clause in node.clauses]),
}
"""What is evaluated in scopes that a node opens, one scope each."""

_BESIDE: Final[dict[type[Node], Callable[[Any], tuple[Expr, ...]]]] = {  # Any: as above
    If: lambda node: (node.cond,),
    Function: lambda _: (),
    Match: lambda node: (node.data,),
}
"""What of such a node is evaluated in its own scope."""


class Placement:
    """The scopes of the nodes of some expressions.

    Attributes:
        scope: The scope of each node that needs evaluation.
        opened: The scopes that each function, ``If`` and ``Match`` opens, in order.
    """

    def __init__(self, roots: Sequence[Expr]) -> None:
        self.scope: dict[Node, int] = {}
        self.opened: dict[Node, tuple[int, ...]] = {}
        self._tree = ScopeTree()
        whole = Tuple(tuple(roots))
        self.scope[whole] = OUTERMOST
        for node in reversed(EXPRESSIONS.post_order(whole)):  # all uses of a node before it
            if node in self.scope:
                self._place_parts(node, self.scope[node])

    def is_inside(self, node: Node, scope: int) -> bool:
        """Return whether ``node`` is evaluated in ``scope``, or needs no evaluation."""
        own = self.scope.get(node)
        return own is None or self._tree.common(own, scope) == scope

    def _place_parts(self, node: Node, scope: int) -> None:
        inside = _INSIDE.get(type(node))
        if inside is None:
            for child in EXPRESSIONS.children(node):
                self._place(child, scope)
            return
        for child in _BESIDE[type(node)](node):
            self._place(child, scope)
        bodies = inside(node)
        scopes = tuple([self._tree.open(scope) for _ in bodies])
        self.opened[node] = scopes
        for child, inner in zip(bodies, scopes, strict=True):
            self._place(child, inner)

    def _place(self, node: Node, scope: int) -> None:
        if type(node) in ATOMS:
            return
        known = self.scope.setdefault(node, scope)
        if known != scope:
            self.scope[node] = self._tree.common(known, scope)
