"""Regions: where in a program a call is evaluated, and which variables it needs there."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes


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
        self._scopes = Scopes(order[-1], order=order)
        self._homes: dict[Node, int] = {}
        self.consumers: dict[Node, Node | None] = {}
        for node in reversed(order):
            for child in EXPRESSIONS.children(node):
                self.consumers[child] = None if child in self.consumers else node
        self._find_homes(order)

    def of(self, node: Node) -> tuple[int, int]:
        """Return what calls have in common that can be computed together."""
        scopes = self._scopes
        return scopes.block[scopes.scope[node]], self._homes[node]

    def _find_homes(self, order: Sequence[Node]) -> None:
        """Find the home of each node, or a scope that is further inside but holds the node."""
        depth, scope_of = self._scopes.tree.depth, self._scopes.scope
        homes = self._homes
        homes.update(self._scopes.binding_scope)
        for node in order:
            if node in homes:  # a variable
                continue
            home = OUTERMOST
            for child in EXPRESSIONS.children(node):
                if depth[homes[child]] > depth[home]:
                    home = homes[child]
            scope = scope_of.get(node)
            homes[node] = home if scope is None or depth[home] <= depth[scope] else scope
