"""Types whose sizes are open, as ``tvm.relay.ty`` tells of them."""

from __future__ import annotations

from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import Any, TensorType, Type, TypeKind, TypeVar

__all__ = ["ShapeVar", "is_dynamic", "type_has_any"]


def ShapeVar(name: str) -> TypeVar:  # noqa: N802 - TVM's name
    """Return a type variable that stands for a dimension.

    Source:
        Relay ``ShapeVar``.
    """
    return TypeVar(name, TypeKind.ShapeVar)


def is_dynamic(tensor_type: Type) -> bool:
    """Return whether a size in the type is known only when the program runs, as ``Any`` is.

    Complexity:
        Linear in the distinct types within.

    Source:
        Relay ``ty.is_dynamic``.

    Example:
        >>> is_dynamic(TensorType((Any(), 2))), is_dynamic(TensorType((1, 2)))
        (True, False)
    """
    parts = TYPES.post_order(tensor_type)
    return any(
        isinstance(part, Any) for ty in parts if isinstance(ty, TensorType) for part in ty.shape
    )


type_has_any = is_dynamic
"""An older name of :func:`is_dynamic`."""
