"""Fold scales of channels into the weights of what produces the channels.

Before::

    %0 = nn.conv2d(%x, %weight);
    %1 = nn.bias_add(%0, %bias);
    multiply(%1, %scale)            // one number a channel

After::

    %0 = multiply(%weight, expand_dims(%scale, axis=1, num_newaxis=3));
    %1 = nn.conv2d(%x, %0);
    nn.bias_add(%1, multiply(%bias, %scale))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.call import relay_call
from relayish.pass_infra import register_pass
from relayish.passes.relay.scale_axis.backward import Accepted, Passed, Source, accepts, sources
from relayish.passes.relay.scale_axis.message import Message, arrange


@register_pass("BackwardFoldScaleAxis", opt_level=3, required=("InferType",), infer_types=True)
def backward_fold_scale_axis(expr: Expr) -> Expr:
    """Scale folding, backward: fold scales of channels into the weights of producers.

    Return ``expr`` with scales folded backward into weights, where nobody else sees the data.

    A multiplication by one number a channel, or one for all, is taken over by the weights of the
    convolutions, or of ``nn.dense``, that make the channels; on the way it passes activations (if
    the numbers are constants and positive) and sums, where a bias is multiplied as well. What is
    passed has no other consumer.

    Args:
        expr: An expression whose types were inferred. Nothing moves where they were not, nor where
            numbers are not floating-point.

    Returns:
        ``expr`` itself when there was nothing to fold.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``BackwardFoldScaleAxis``.
    """
    order = EXPRESSIONS.post_order(expr)
    if not any(type(node) is Call and node.op in sources for node in order):
        return expr
    plan = _Plan(order)
    return plan.rebuild(expr) if plan.folded else expr


class _Scale(NamedTuple):
    """A scale on its way, as ``source`` has it."""

    source: Source
    span: Span | None


class _Plan:
    """Which calls take over which scale, found from the types alone."""

    def __init__(self, order: Sequence[Node]) -> None:
        self._accepted: dict[Node, Accepted] = {}
        self._taken: dict[Node, _Scale] = {}
        self.folded: dict[Node, _Scale] = {}
        self._arranged: dict[_Scale, Expr] = {}
        self._accept(order)
        self._decide(order)

    def _accept(self, order: Sequence[Node]) -> None:
        """Ask every call with one consumer, producers first, whether it would take over a scale."""
        uses: Counter[Node] = Counter()
        for node in order:
            uses.update(EXPRESSIONS.children(node))
        for node in order:
            accept = accepts.get(node.op) if type(node) is Call else None
            if accept is None or uses[node] != 1:
                continue
            assert isinstance(node, Call)
            found = accept(node, self._messages(node))
            if found is not None:
                self._accepted[node] = found

    def _messages(self, call: Call) -> list[Message | None]:
        found = [self._accepted.get(arg) for arg in call.args]
        return [None if accepted is None else accepted.message for accepted in found]

    def _decide(self, order: Sequence[Node]) -> None:
        """Send every scale on its way, consumers first, unless it acts and has to stay."""
        order_dependent = EvaluationOrder().order_dependent
        for node in reversed(order):
            if type(node) is not Call:
                continue
            scale = self._taken.get(node)
            if scale is not None:
                treatments = self._accepted[node].args
                for arg, treatment in zip(node.args, treatments, strict=True):
                    if isinstance(treatment, Passed):
                        self._taken[arg] = scale
                continue
            source = sources.get(node.op)
            found = None if source is None else source(node, self._messages(node))
            if found is not None and not order_dependent([found.scale]):
                self.folded[node] = self._taken[found.data] = _Scale(found, node.span)

    def rebuild(self, root: Expr) -> Expr:
        """Return ``root`` after the plan: scales are rebuilt before what takes them over.

        A scale does not depend on what takes it over, whose one consumer leads to the scale's own.
        """
        images: dict[Node, Expr] = {}
        for node in EXPRESSIONS.order_after(root, self._list_prerequisites):
            images[node] = self._image(node, images)
        return images[root]

    def _list_prerequisites(self, node: Node) -> list[Node] | None:
        """Return what is rebuilt before a call that takes over a scale: that, and its operands."""
        scale = self._taken.get(node)
        if scale is None:
            return None
        return [scale.source.scale, *EXPRESSIONS.children(node)]

    def _image(
        self, node: Any, images: dict[Node, Expr]
    ) -> Any:  # Any: of one kind, before and after
        if node in self.folded:
            return images[self.folded[node].source.data]
        scale = self._taken.get(node)
        if scale is None:
            return EXPRESSIONS.rebuild[type(node)](node, images.get)
        assert isinstance(node, Call)
        args = []
        for arg, treatment in zip(node.args, self._accepted[node].args, strict=True):
            image = images[arg]
            if treatment is not None and not isinstance(treatment, Passed):
                factor = treatment(self._make_scale(scale, images), scale.span)
                image = relay_call("multiply", image, factor, span=scale.span)
            args.append(image)
        return node.with_fields(args=args)

    def _make_scale(self, scale: _Scale, images: dict[Node, Expr]) -> Expr:
        """Return the scale as it is taken over, the same for all that take it over."""
        found = self._arranged.get(scale)
        if found is None:
            source = scale.source
            found = arrange(images[source.scale], source.arrangement, scale.span)
            self._arranged[scale] = found
        return found
