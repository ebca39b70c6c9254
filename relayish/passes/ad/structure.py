"""Taking values apart into the tensors they are made of, and putting them together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
    pending = [ty]
    while pending:
        part = pending.pop()
        if isinstance(part, TensorType):
            found.append(part)
        elif isinstance(part, TupleType):
            pending.extend(reversed(part.fields))
        else:
            return None
    return found


_DONE: Final = object()


def packed(ty: Type, tensors: Sequence[Expr]) -> Expr:
    """Return the value of type ``ty`` whose tensors are ``tensors``, in order.

    Complexity:
        Linear in the fields; no recursion.
    """
    rest = iter(tensors)
    made: list[Expr] = []
    pending: list[tuple[Type, object]] = [(ty, None)]
    while pending:
        part, state = pending.pop()
        if not isinstance(part, TupleType):
            made.append(next(rest))
        elif state is _DONE:
            start = len(made) - len(part.fields)
            made[start:] = [Tuple(tuple(made[start:]))]
        else:
            pending.append((part, _DONE))
            pending.extend((field, None) for field in reversed(part.fields))
    return made[0]


def unpacked(ty: Type | None, value: Expr) -> list[Expr]:
    """Return the tensors in ``value``, a tensor or nested tuple of them, in order.

    Complexity:
        Linear in the fields; no recursion.
    """
    found: list[Expr] = []
    pending = [(ty, value)]
    while pending:
        part, expr = pending.pop()
        if not isinstance(part, TupleType):
            found.append(expr)
            continue
        for index in reversed(range(len(part.fields))):
            field = _field(expr, index)
            pending.append((part.fields[index], field))
    return found


def _field(value: Expr, index: int) -> Expr:
    if isinstance(value, Tuple) and index < len(value.fields):
        return value.fields[index]
    return TupleGetItem(value, index)
