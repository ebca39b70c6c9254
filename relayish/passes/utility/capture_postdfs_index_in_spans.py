"""Number expressions in post-order, and keep the numbers in their spans.

Before::

    exp(%x)

After: ``%x`` has the span ``index:0:3``, the call ``index:2:3`` and the function around them, of
which ``%x`` is the parameter, ``index:3:-1``. The first number is that of the expression in
post-order, where ``exp`` is 1; the second that of the innermost expression through which every way
leads from it to the whole.
"""

from __future__ import annotations

from typing import Final

from relayish.analysis.dominators import post_dominators
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass

SOURCE_NAME: Final = "index"
"""What the spans call the order."""


@register_pass("CapturePostDfsIndexInSpans", opt_level=0)
def capture_postdfs_index_in_spans(expr: Expr) -> Expr:
    """Post-order numbering: keep the number of each expression in its span.

    Return ``expr`` with the number of each expression in post-order in its span.

    A span is ``index:<own number>:<number of the post-dominator>``, the latter -1 for ``expr``
    itself. Names of operators, constructors and functions are numbered and keep their spans.

    Complexity:
        ``n log n`` in the number of distinct nodes; no recursion.

    Source:
        Relay ``CapturePostDfsIndexInSpans``.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> x = var("x", "float32")
        >>> from relayish.transform import CapturePostDfsIndexInSpans
        >>> mod = CapturePostDfsIndexInSpans()(IRModule.from_expr(Function((x,), -x)))
        >>> str(mod["main"].params[0].span), str(mod["main"].body.span), str(mod["main"].span)
        ('index:0:3', 'index:2:3', 'index:3:-1')
    """
    order = EXPRESSIONS.post_order(expr)
    numbers = {node: at for at, node in enumerate([n for n in order if isinstance(n, Expr)])}
    dominators = post_dominators(expr)
    images: dict[Node, Node] = {}
    for node in order:
        image = EXPRESSIONS.rebuild[type(node)](node, images.get)
        if isinstance(node, Expr) and type(node) not in NAMES:  # these nodes are everybody's
            dominator = dominators.get(node)
            span = _span(numbers[node], -1 if dominator is None else numbers[dominator])
            image = image.with_fields(span=span, checked_type=node.checked_type)
        images[node] = image
    found = images[expr]
    assert isinstance(found, Expr)
    return found


def _span(index: int, dominator: int) -> Span:
    return Span(SOURCE_NAME, index, index, dominator, dominator)
