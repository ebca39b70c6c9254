"""Flattening of values into tensors, and their reconstruction."""

from __future__ import annotations

from collections.abc import Sequence

from relayish._support.graph import fold_tree, walk_tree
from relayish.ir.relay.expr import Expr, Tuple, TupleGetItem
from relayish.ir.relay.type import TensorType, TupleType, Type


def tensors_in(ty: Type) -> list[TensorType] | None:
    """Return the types of the tensors in a nested tuple, in order; ``None`` if it holds others.

    Complexity:
        Linear in the fields; no recursion.

    Example:
        >>> x, y = TensorType((2,)), TensorType(())
        >>> tensors_in(TupleType((x, TupleType((y,))))) == [x, y]
        True
    """
    found: list[TensorType] = []
    for part in walk_tree(ty, fields_of):
        if isinstance(part, TensorType):
            found.append(part)
        elif not isinstance(part, TupleType):
            return None
    return found


def fields_of(ty: Type | None) -> tuple[Type, ...]:
    """Return the fields of a tuple type; those of other types are none."""
    return ty.fields if isinstance(ty, TupleType) else ()


def pack_tensors(ty: Type, tensors: Sequence[Expr]) -> Expr:
    """Return the value of type ``ty`` whose tensors are ``tensors``, in order.

    Complexity:
        Linear in the fields; no recursion.
    """
    if not isinstance(ty, TupleType):
        return tensors[0]
    whole: Type = ty
    rest = iter(tensors)

    def pack(part: Type, fields: list[Expr]) -> Expr:
        return Tuple(tuple(fields)) if isinstance(part, TupleType) else next(rest)

    return fold_tree(whole, fields_of, pack)


def unpack_tensors(ty: Type | None, value: Expr) -> list[Expr]:
    """Return the tensors in ``value``, a tensor or nested tuple of them, in order.

    Complexity:
        Linear in the fields; no recursion.
    """
    if not isinstance(ty, TupleType):
        return [value]
    whole: tuple[Type | None, Expr] = (ty, value)
    return [expr for part, expr in walk_tree(whole, _fields) if type(part) is not TupleType]


def _fields(typed: tuple[Type | None, Expr]) -> list[tuple[Type | None, Expr]]:
    ty, value = typed
    return [(field, _field(value, index)) for index, field in enumerate(fields_of(ty))]


def _field(value: Expr, index: int) -> Expr:
    if isinstance(value, Tuple) and index < len(value.fields):
        return value.fields[index]
    return TupleGetItem(value, index)
