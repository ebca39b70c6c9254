"""Marks where what a compiler computes goes from one scope into another.

Before::

    %0 = nn.relu(compiler_begin(%x));
    if (%c) { compiler_end(exp(%0)) } else { compiler_end(tanh(%0)) }

After::

    %0 = nn.relu(compiler_begin(%x));
    if (%c) { compiler_end(exp(compiler_begin(compiler_end(%0)))) }
    else { compiler_end(tanh(compiler_begin(compiler_end(%0)))) }
"""

from __future__ import annotations

from typing import Any

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.function_attributes import is_transparent
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.scoping import has_scopes
from relayish.passes.relay.offload.annotations import begin, compiler_of, end, is_begin, is_end


def mark_between_scopes(expr: Expr) -> Expr:
    """Return ``expr`` with marks around what is computed in one scope and used in another.

    Branches are not computed unless they are taken, nor bodies of functions unless they are called:
    what is shared with them leaves where it is computed, and enters there.

    Returns:
        ``expr`` itself where no compiler has to do with several scopes.

    Complexity:
        Linear in distinct nodes and edges, but for the logarithm of the depth where a node is used
        in several scopes; no recursion.
    """
    scopes = Scopes(expr, enter=is_transparent)
    if not scopes.opened or not any(map(is_end, scopes.order)):
        return expr
    marker = _Marker(scopes.scope)
    for node in scopes.order:
        marker.finish(node)
    image = marker.images.get(expr, expr)
    assert isinstance(image, Expr)
    return image


class _Marker:
    """Rebuilds nodes, children first, knowing which compiler computes each."""

    def __init__(self, scope_of: dict[Node, int]) -> None:
        self._scope_of = scope_of
        self._target_of: dict[Node, str] = {}
        self._entered: dict[tuple[Node, int], Call] = {}
        self.images: dict[Node, Node] = {}

    def finish(self, node: Node) -> None:
        """Rebuild ``node``, whose children were."""
        rebuild = EXPRESSIONS.rebuild[type(node)]
        scope = self._scope_of.get(node)
        if scope is None or is_begin(node) or is_end(node) or has_scopes(type(node)):
            image = rebuild(node, self.images.get)
        else:
            targets = [self._find_target(child) for child in EXPRESSIONS.children(node)]
            target = next((each for each in targets if each is not None), None)
            if target is not None:
                self._target_of[node] = target
            image = rebuild(node, lambda child, _: self._enter(child, scope))
        if image is not node:
            self.images[node] = image

    def _find_target(self, child: Node) -> str | None:
        """Return the compiler that computes ``child``, or in which it enters."""
        if is_begin(child):
            return compiler_of(child)
        return self._target_of.get(child)

    def _enter(self, child: Node, scope: Any) -> Any:  # Any: a scope, a node of the same kind
        """Return ``child`` as it is used in ``scope``, entering there if it is from another."""
        image = self.images.get(child, child)
        target = self._find_target(child)
        if target is None or self._scope_of.get(child, scope) == scope:
            return image
        entered = self._entered.get((child, scope))
        if entered is None:
            assert isinstance(image, Expr)
            value = image.args[0] if is_begin(image) else end(image, target)
            entered = self._entered[child, scope] = begin(value, target)
        return entered
