"""Where in a program a call is evaluated, and which variables it needs there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish.ir.node import Node
from relayish.ir.relay.adt import Clause, PatternVar
from relayish.ir.relay.expr import Function, If, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scope_tree import ScopeTree


def _variables_of_clause(clause: Clause) -> list[Var]:
    return [node.var for node in EXPRESSIONS.post_order(clause.lhs) if type(node) is PatternVar]


# Any: each function takes the kind of node it stands under
_INNER: Final[dict[type[Node], tuple[tuple[str, ...], Callable[[Any], Sequence[Var]]]]] = {
    Let: (("body",), lambda let: (let.var,)),
    If: (("true_branch", "false_branch"), lambda decision: ()),  # noqa: ARG005
    Function: (("body",), lambda function: function.params),
    Clause: (("rhs",), _variables_of_clause),
}
"""Which children of a node are in a scope of their own, and the variables that are known there."""


class Places:
    """The scopes of a program: in which its nodes are evaluated, and which of them they need.

    A node is evaluated in the innermost scope that holds all its uses. It needs the scopes that
    bind its variables, of which the innermost is its *home*. Calls that have one home, and are
    evaluated under the same conditions (between them are lets alone), can be computed together
    wherever the first of them is: whatever they need is known there, and what their results are
    used for needs no more than before.

    Complexity:
        Linear in nodes, but for the depth of scopes, of which it takes the logarithm.
    """

    def __init__(self, order: Sequence[Node]) -> None:
        self._tree = ScopeTree()
        self._regions = [0]
        self._scopes: dict[Node, int] = {order[-1]: 0}
        self._homes: dict[Node, int] = {}
        self.consumers: dict[Node, Node | None] = {}
        self._walk_down(order)
        self._walk_up(order)

    def of(self, node: Node) -> tuple[int, int]:
        """Return what calls have in common that can be computed together."""
        return self._regions[self._scopes[node]], self._homes[node]

    def _walk_down(self, order: Sequence[Node]) -> None:
        """Find the scope of each node, and its consumer if it is used once."""
        scopes, tree = self._scopes, self._tree
        for node in reversed(order):
            scope = scopes[node]
            inner = self._open(node, scope) if type(node) in _INNER else {}
            for child in EXPRESSIONS.children(node):
                own = inner.get(id(child), scope)
                scopes[child] = tree.common(scopes[child], own) if child in scopes else own
                self.consumers[child] = None if child in self.consumers else node

    def _open(self, node: Node, scope: int) -> dict[int, int]:
        fields, variables = _INNER[type(node)]
        inner = {}
        for field in fields:
            opened = self._tree.open(scope)
            self._regions.append(self._regions[scope] if type(node) is Let else opened)
            inner[id(getattr(node, field))] = opened
            for var in variables(node):
                self._homes[var] = opened
        return inner

    def _walk_up(self, order: Sequence[Node]) -> None:
        """Find the home of each node, or a scope that is further inside but holds the node."""
        depth, homes, scopes = self._tree.depth, self._homes, self._scopes
        for node in order:
            if node in homes:  # a variable
                continue
            home = 0
            for child in EXPRESSIONS.children(node):
                if depth[homes[child]] > depth[home]:
                    home = homes[child]
            homes[node] = scopes[node] if depth[home] > depth[scopes[node]] else home
