"""Flattening of values into tensors, and their reconstruction."""

from __future__ import annotations

from collections.abc import Sequence

from relayish._support.graph import walk_tree
from relayish.ir.relay.expr import Expr, Tuple, TupleGetItem
from relayish.ir.relay.tuples import fields_of, leaf_types, nest
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
    leaves = leaf_types(ty)
    found = [leaf for leaf in leaves if isinstance(leaf, TensorType)]
    return found if len(found) == len(leaves) else None


def pack_tensors(ty: Type, tensors: Sequence[Expr]) -> Expr:
    """Return the value of type ``ty`` whose tensors are ``tensors``, in order.

    Complexity:
        Linear in the fields; no recursion.
    """
    return nest(ty, tensors, Tuple)


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
