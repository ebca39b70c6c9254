"""Type erasure: take away what type inference found.

Before::

    def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      exp(%x) /* ty=Tensor[(2, 3), float32] */
    }

After::

    def @main(%x: Tensor[(2, 3), float32]) {
      exp(%x)
    }
"""

from __future__ import annotations

from typing import TypeVar, cast

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass

_E = TypeVar("_E", bound=Expr)


@register_pass("EraseType", opt_level=1)
def erase_type(expr: _E) -> _E:
    """Type erasure: take away what type inference found.

    Return ``expr`` without inferred types and without the result types of functions.

    Annotations of variables stay: without those of parameters a program says too little to find
    the types again.

    Returns:
        ``expr`` itself where nothing in it carries a type.

    Complexity:
        Linear in distinct nodes; no recursion.

    Source:
        RAF ``EraseType``.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> from relayish.ir.relay.type import scalar_type
        >>> x = Var("x", checked_type=scalar_type("int32"))
        >>> erase_type(Function((x,), x, scalar_type("int32"))).ret_type is None
        True
    """
    return erase_carried_types(expr, results=True)


def erase_carried_types(expr: _E, *, results: bool = False) -> _E:
    """Return ``expr`` whose nodes carry no types, its functions with result types unless asked.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    images: dict[Node, Node] = {}
    for node in EXPRESSIONS.post_order(expr):
        if not isinstance(node, Expr):
            images[node] = EXPRESSIONS.rebuild[type(node)](node, images.get)
            continue
        image = EXPRESSIONS.retype[type(node)](node, images.get, None)
        if results and isinstance(image, Function):
            image = image.with_fields(ret_type=None)
        images[node] = image
    return cast("_E", images[expr])
