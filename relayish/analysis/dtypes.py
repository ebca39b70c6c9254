"""The element types that occur in a program."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.traversal import EXPRESSIONS, TYPES
from relayish.ir.relay.type import TensorType, Type


def all_dtypes(expr: Expr) -> set[str]:
    """Return the element types of tensors in the types of ``expr`` and of all below it.

    Args:
        expr: With inferred types; of variables without one the annotation counts, and what has no
            type adds nothing.

    Complexity:
        Linear in distinct expressions and types.

    Source:
        Relay ``analysis.all_dtypes``.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> from relayish.analysis import infer_type
        >>> from relayish.op import cast
        >>> sorted(all_dtypes(infer_type(cast(var("x", shape=(2,)), "int8"))))
        ['float32', 'int8']
    """
    found: set[str] = set()
    seen: set[Type] = set()
    for node in EXPRESSIONS.post_order(expr):
        ty = node.checked_type if isinstance(node, Expr) else None
        if ty is None and isinstance(node, Var):
            ty = node.type_annotation
        if ty is None or ty in seen:
            continue
        seen.add(ty)
        found.update([part.dtype for part in TYPES.post_order(ty) if isinstance(part, TensorType)])
    return found
