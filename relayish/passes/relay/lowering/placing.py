"""Placing of lowered parts: in the graph, or in lets before the statement."""

from __future__ import annotations

from typing import cast

from relayish.domain import TransformCtx
from relayish.ir.nodes.node import SYMBOLS, Node
from relayish.ir.relay.expr import Call, Expr, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.rewriting.relay.facts import place_span


def put_in_place(context: TransformCtx, node: Call, call: Call, image: Expr) -> Expr:
    """Return ``image`` in the place of ``call``, which is ``node`` with lowered arguments.

    What was made has the span of ``node``. Where that is what a let binds, or the result of a
    block, the parts of ``image`` are bound by lets before; else they are one expression.

    Complexity:
        Linear in what was made.
    """
    placed = place_span(image, node.span, (*call.args, call.op))
    if not context.may_prepend(Let):
        return placed
    images: dict[Node, Node] = {arg: arg for arg in (*call.args, call.op)}
    for part in EXPRESSIONS.post_order(placed, lambda part: part not in images):
        if part in images or type(part) in SYMBOLS:
            continue
        made = cast("Expr", EXPRESSIONS.rebuild[type(part)](part, images.get))
        if part is placed:
            return made
        variable = Var("t", span=made.span)
        context.prepend(Let(variable, made, variable, span=made.span))
        images[part] = variable
    return placed
