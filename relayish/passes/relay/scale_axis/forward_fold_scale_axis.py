"""Fold scales of channels into the weights of what consumes the channels.

Before::

    %0 = multiply(%x, %scale);      // one number a channel
    %1 = nn.relu(%0);
    nn.conv2d(%1, %weight)

After::

    %0 = nn.relu(%x);
    %1 = multiply(%weight, expand_dims(%scale, axis=1, num_newaxis=2));
    nn.conv2d(%0, %1)
"""

from __future__ import annotations

from collections.abc import Sequence

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.scale_axis.forward import Scaled, demands, rewrites, sources
from relayish.passes.relay.scale_axis.message import Message, meet


@register_pass("ForwardFoldScaleAxis", opt_level=3, required=("InferType",), infer_types=True)
def forward_fold_scale_axis(expr: Expr) -> Expr:
    """Scale folding, forward: fold scales of channels into the weights of consumers.

    Return ``expr`` with scales folded forward into weights, where all consumers have some.

    A multiplication by one number a channel, or one for all, is held back, passed by activations
    (if the numbers are constants and positive) and by sums with a bias, which is divided by them
    (if they are constants and not zero), and taken over by the weights of convolutions and of
    ``nn.dense``.

    Args:
        expr: An expression whose types were inferred. Nothing moves where they were not, nor where
            numbers are not floating-point.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``ForwardFoldScaleAxis``; there a bias is divided by zeros, too.
    """
    order = EXPRESSIONS.post_order(expr)
    if not any(type(node) is Call and node.op in sources for node in order):
        return expr
    return _Rewriting(_messages(order)).run(order)


def _messages(order: Sequence[Node]) -> dict[Node, Message | None]:
    """Return what all consumers of a node take over; consumers stand before what they consume."""
    found: dict[Node, Message | None] = {}
    for node in reversed(order):
        demand = demands.get(node.op) if type(node) is Call else None
        if demand is None:
            for child in EXPRESSIONS.children(node):
                found[child] = None
            continue
        assert isinstance(node, Call)
        taken = demand(node, found.get(node))
        for arg, message in zip(node.args, taken, strict=True):
            found[arg] = meet(found[arg], message) if arg in found else message
    return found


class _Rewriting:
    """Rebuilds nodes over their new arguments; some are held back, still to be scaled."""

    def __init__(self, messages: dict[Node, Message | None]) -> None:
        self._messages = messages
        self._images: dict[Node, Expr] = {}
        self._scaled: dict[Node, Scaled] = {}
        self._order = EvaluationOrder()

    def run(self, order: Sequence[Node]) -> Expr:
        """Return the image of the last node of ``order``, which has children before parents."""
        for node in order:
            rewritten = self._rewrite(node) if type(node) is Call else None
            if isinstance(rewritten, Scaled):
                self._scaled[node] = rewritten
                continue
            image = rewritten
            if image is None:
                image = EXPRESSIONS.rebuild[type(node)](node, self._images.get)
            if image is not node:
                self._images[node] = image
        root = order[-1]
        assert isinstance(root, Expr)
        return self._images.get(root, root)

    def _rewrite(self, call: Call) -> Expr | Scaled | None:
        rewrite = rewrites.get(call.op)
        if rewrite is not None and any(arg in self._scaled for arg in call.args):
            get, scaled = self._images.get, self._scaled
            return rewrite(call, [scaled.get(arg) or get(arg, arg) for arg in call.args])
        source, message = sources.get(call.op), self._messages.get(call)
        if source is None or message is None:
            return None
        args = [self._images.get(arg, arg) for arg in call.args]
        found = source(call, args, message)
        if found is None:
            return None
        pairs = zip(call.args, args, strict=True)
        scales = [arg for arg, image in pairs if image is not found.value]
        return (
            None if self._order.order_dependent(scales) else found
        )  # a scale that acts has to stay
