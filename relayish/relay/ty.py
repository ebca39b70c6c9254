"""Types, under the names of ``tvm.relay.ty``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import (
    Any,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeConstraint,
    TypeKind,
    TypeRelation,
    TypeVar,
    scalar_type,
)

__all__ = [
    "Any",
    "FuncType",
    "GlobalTypeVar",
    "IncompleteType",
    "RefType",
    "ShapeVar",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeConstraint",
    "TypeKind",
    "TypeRelation",
    "TypeVar",
    "is_dynamic",
    "scalar_type",
    "type_has_any",
]


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

set_finder(__name__)
