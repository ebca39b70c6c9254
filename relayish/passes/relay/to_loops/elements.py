"""Tensors by their elements: a shape, and a formula over indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from relayish.tir.builders.expr import select
from relayish.tir.ir.operators import GE, LT, And, Cast, Div, Expr, Max, Min, Mod, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import as_type

Index: TypeAlias = tuple[Expr, ...]
"""An expression of ``int32`` for each axis."""

At: TypeAlias = Callable[[Index], Expr]
"""The formula of an element."""


class Elements(NamedTuple):
    """A tensor, told by the formula of its elements.

    Attributes:
        shape: The size of each axis.
        dtype: The element type.
        at: The element at an index. It is called wherever one is needed.
        is_plain: Whether an element is one load, at an index that costs little.
        tensor: Where all of them are kept, if they are.
    """

    shape: tuple[int, ...]
    dtype: str
    at: At
    is_plain: bool = False
    tensor: Tensor | None = None


def kept(tensor: Tensor, shape: tuple[int, ...]) -> Elements:
    """Return what a tensor with memory holds."""
    return Elements(shape, str(tensor.dtype), lambda index: tensor[index], True, tensor)


def moved(
    data: Elements, shape: tuple[int, ...], place: Callable[[Index], Index], *, plain: bool = True
) -> Elements:
    """Return elements that stand elsewhere.

    Args:
        data: What they are taken from.
        shape: That of the result.
        place: Where in ``data`` that stands which is at an index of the result.
        plain: Whether telling that costs little.
    """
    return Elements(shape, data.dtype, lambda index: data.at(place(index)), data.is_plain and plain)


def broadcast(data: Elements, shape: tuple[int, ...]) -> Elements:
    """Return elements repeated along axes of size 1 and new leading axes."""
    if data.shape == shape:
        return data
    lead = len(shape) - len(data.shape)
    once = [size == 1 and shape[lead + axis] != 1 for axis, size in enumerate(data.shape)]

    def place(index: Index) -> Index:
        return tuple(
            [const(0) if only else at for only, at in zip(once, index[lead:], strict=True)]
        )

    return moved(data, shape, place)


def guarded(inside: Sequence[Expr], value: Expr, otherwise: Expr) -> Expr:
    """Return a value where all of some conditions hold."""
    if not inside:
        return value
    found = inside[0]
    for condition in inside[1:]:
        found = And(found, condition)
    return select(found, value, otherwise)


def within(at: Expr, size: int) -> Expr:
    """Return whether an index is one of an axis of some size."""
    return And(GE(at, const(0)), LT(at, const(size)))


def clamped(at: Expr, size: int) -> Expr:
    """Return the nearest index of an axis: both arms of a choice are evaluated."""
    return Max(Min(at, const(size - 1)), const(0))


def flat(index: Index, shape: Sequence[int]) -> Expr:
    """Return how many elements stand before one, row by row."""
    found: Expr = const(0)
    for at, size in zip(index, shape, strict=True):
        found = found * size + at if size != 1 else found
    return found


def unflat(position: Expr, shape: Sequence[int]) -> Index:
    """Return the index of an element that has so many before it."""
    found: list[Expr] = []
    for size in reversed(shape):
        found.append(const(0) if size == 1 else Mod(position, const(size)))
        position = position if size == 1 else Div(position, const(size))
    return tuple(reversed(found))


def converted(value: Expr, dtype: str) -> Expr:
    """Return a value in an element type."""
    return value if str(value.type) == dtype else Cast(as_type(dtype), value)
