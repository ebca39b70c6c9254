"""Tensors by their elements: a shape, and a formula over indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relayish.op.types.extent import Size
from relayish.passes.relay.to_loops.extents import Shape
from relayish.tir.builders.expr import select
from relayish.tir.ir.operators import EQ, GE, LT, And, Cast, Div, Expr, Max, Min, Mod, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import FLOAT32, INT32, INT64, Type, as_type

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

    shape: Shape
    dtype: str
    at: At
    is_plain: bool = False
    tensor: Tensor | None = None


def kept(tensor: Tensor, shape: Shape) -> Elements:
    """Return what a tensor with memory holds."""
    return Elements(shape, str(tensor.dtype), lambda index: tensor[index], True, tensor)


def moved(
    data: Elements, shape: Shape, place: Callable[[Index], Index], *, plain: bool = True
) -> Elements:
    """Return elements that stand elsewhere.

    Args:
        data: What they are taken from.
        shape: That of the result.
        place: Where in ``data`` that stands which is at an index of the result.
        plain: Whether telling that costs little.
    """
    return Elements(shape, data.dtype, lambda index: data.at(place(index)), data.is_plain and plain)


def broadcast(data: Elements, shape: Shape) -> Elements:
    """Return elements repeated along axes of size 1 and new leading axes."""
    if data.shape == shape:
        return data
    lead = len(shape) - len(data.shape)

    def place(index: Index) -> Index:
        return tuple(
            [
                repeated(at, size, whole)
                for at, size, whole in zip(index[lead:], data.shape, shape[lead:], strict=True)
            ]
        )

    return moved(data, shape, place)


def repeated(at: Expr, size: Size, whole: Size) -> Expr:
    """Return an index of an axis of some size, of which there is one element, or a whole of them.

    Where it is known only when it runs whether one of both holds, it is out of range if none does.
    """
    if size == whole:
        return at
    if size == 1:
        return const(0)
    fits = same(at, size, whole)
    return fits if isinstance(size, int) else select(EQ(const(size), const(1)), const(0), fits)


def same(at: Expr, size: Size, whole: Size) -> Expr:
    """Return an index of an axis that has to be as long as a whole, out of range if it is not."""
    return at if size == whole else select(EQ(const(size), const(whole)), at, const(size))


def guarded(inside: Sequence[Expr], value: Expr, otherwise: Expr) -> Expr:
    """Return a value where all of some conditions hold."""
    if not inside:
        return value
    found = inside[0]
    for condition in inside[1:]:
        found = And(found, condition)
    return select(found, value, otherwise)


def within(at: Expr, size: Size) -> Expr:
    """Return whether an index is one of an axis of some size."""
    return And(GE(at, const(0, at.type)), LT(at, const(size, at.type)))


def clamped(at: Expr, size: Size) -> Expr:
    """Return the nearest index of an axis: both arms of a choice are evaluated."""
    return Max(Min(at, const(size - 1)), const(0))


def flat(index: Index, shape: Sequence[Size]) -> Expr:
    """Return how many elements stand before one, row by row."""
    found: Expr = const(0)
    for at, size in zip(index, shape, strict=True):
        found = found * size + at if size != 1 else found
    return found


def unflat(position: Expr, shape: Sequence[Size]) -> Index:
    """Return the index of an element that has so many before it."""
    found: list[Expr] = []
    for size in reversed(shape):
        found.append(const(0) if size == 1 else Mod(position, const(size)))
        position = position if size == 1 else Div(position, const(size))
    return tuple(reversed(found))


def converted(value: Expr, dtype: str) -> Expr:
    """Return a value in an element type, as ``cast`` of Relay has it.

    What no integer is near becomes what processors make of it: the least number of 32 bits, or of
    64 where the type has more than 31 for its size, of which the low bits are taken.
    """
    made = as_type(dtype)
    if value.type == made:
        return value
    if not value.type.is_float or made.is_bool or not made.is_integer:
        return Cast(made, value)
    wide = value if value.type.bits >= 32 else Cast(FLOAT32, value)
    whole = INT64 if made.bits == 64 or dtype == "uint32" else INT32
    if dtype == "uint64":  # the upper half is out of the range of signed integers
        half = const(2.0**63, wide.type)
        upper = _machine_integer(wide - half, INT64)
        above = Cast(made, upper) + const(2**63, made)
        return select(wide < half, Cast(made, _machine_integer(wide, INT64)), above)
    return _narrowed(_machine_integer(wide, whole), made)


def _machine_integer(value: Expr, whole: Type) -> Expr:
    """Return a float cut to an integer, the least one where none is near."""
    kind: Any = value.type.numpy.type  # Any: numpy's scalars of one width
    most = np.nextafter(kind(2.0 ** (whole.bits - 1)), kind(0))
    least = kind(-(2.0 ** (whole.bits - 1)))
    if whole.bits < value.type.bits:
        least = np.nextafter(least - kind(1), kind(0))
    near = Max(Min(value, const(float(most), value.type)), const(float(least), value.type))
    return select(EQ(near, value), Cast(whole, near), const(-(2 ** (whole.bits - 1)), whole))


def _narrowed(value: Expr, made: Type) -> Expr:
    return value if value.type == made else Cast(made, value)
