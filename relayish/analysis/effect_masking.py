"""Effect masking: the nodes whose effects cannot be seen from outside of them.

What reads and writes references that it makes itself, and calls functions that it binds itself, may
be evaluated earlier or later, like what has no effect::

    let %r = ref(0); let %x = ref_write(%r, 1); ref_read(%r)      // masked
    ref_write(%r, 1)                                              // not: %r is known elsewhere
"""

from __future__ import annotations

from collections.abc import Mapping

from relayish.analysis.effect_rules import has_own_effect
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op, RefCreate, RefRead, RefWrite
from relayish.ir.scopes.scoping import PROGRAM

_EVERYWHERE = -1


def find_visible_effects(expr: Expr) -> set[Node]:
    """Return the nodes of ``expr`` whose effects may be seen from outside of them.

    A reference or function counts as the node's own where a let within the node binds it. What the
    body of a function does, counts for the function.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """
    # A let comes later in post-order than all that may name its variable.
    order = list(PROGRAM.post_order(expr))
    bound_at: dict[Node, int] = {
        node.var: at
        for at, node in enumerate(order)
        if type(node) is Let and type(node.value) in (RefCreate, Function)
    }
    end = len(order)
    outermost: dict[Node, int] = {}  # of the lets that bind what a node touches; its effect is seen
    for at, node in enumerate(order):
        touched = [outermost.get(child, _EVERYWHERE) for child in PROGRAM.children(node)]
        touched.append(_find_touched(node, bound_at, end))
        last = max(touched)
        if last > at:
            outermost[node] = last
    return set(outermost)


def _find_touched(node: Node, bound_at: Mapping[Node, int], end: int) -> int:
    """Return which let binds what ``node`` itself reads, writes or calls; ``end``: maybe none."""
    if type(node) is RefRead or type(node) is RefWrite:
        return bound_at.get(node.ref, end)
    if type(node) is Call:
        if type(node.op) in (Op, Constructor, Function):
            return _EVERYWHERE  # what they do is theirs
        return bound_at.get(node.op, end)
    return end if has_own_effect(node) else _EVERYWHERE
