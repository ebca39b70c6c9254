"""Nested tuples: the parts of their types that are no tuples, and values put together of such."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from relayish._support.graph import fold_tree, walk_tree
from relayish.ir.relay.type import TupleType, Type

T = TypeVar("T")


def fields_of(ty: Type | None) -> tuple[Type, ...]:
    """Return the fields of a tuple type; those of other types are none."""
    return ty.fields if isinstance(ty, TupleType) else ()


def leaf_types(ty: Type) -> list[Type]:
    """Return what is no tuple in a type of nested tuples, in order.

    Complexity:
        Linear in the fields; no recursion.

    Example:
        >>> from relayish.ir.relay.type import TensorType
        >>> x, y = TensorType((2,)), TensorType(())
        >>> leaf_types(TupleType((x, TupleType((y,))))) == [x, y]
        True
    """
    return [part for part in walk_tree(ty, fields_of) if not isinstance(part, TupleType)]


def nest(ty: Type, leaves: Iterable[T], make: Callable[[tuple[T, ...]], T]) -> T:
    """Return what has type ``ty``: of ``leaves``, its parts that are no tuples, in order.

    Args:
        ty: A type of nested tuples, or another: then there is one leaf.
        leaves: As many as :func:`leaf_types` returns.
        make: Puts the fields of one tuple together.

    Complexity:
        Linear in the fields; no recursion.
    """
    rest = iter(leaves)

    def pack(part: Type, fields: list[T]) -> T:
        return make(tuple(fields)) if isinstance(part, TupleType) else next(rest)

    return fold_tree(ty, fields_of, pack)
