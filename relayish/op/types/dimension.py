"""Arithmetic on the dimensions of shapes: numbers, ``Any`` and symbolic expressions.

Numbers give numbers. Where ``Any`` takes part the result is ``Any``; where a named dimension does,
it is the expression, in the names of Relay's scalar IR (``tir.Add`` …).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeGuard

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import Any, PrimExpr, PrimOp, TensorType, Type
from relayish.numeric import axes
from relayish.op.types.fields import Dimension
from relayish.op.types.polynomial import difference

ANY: Final = Any()
"""The dimension nobody knows; one object is enough."""


def add(left: Dimension, right: Dimension) -> Dimension:
    """Return ``left + right``."""
    if right == 0:
        return left
    if left == 0:
        return right
    if isinstance(right, int) and _is(left, "tir.Add") and isinstance(left.args[1], int):
        return add(left.args[0], left.args[1] + right)
    return _combine("tir.Add", left, right, lambda a, b: a + b)


def subtract(left: Dimension, right: Dimension) -> Dimension:
    """Return ``left - right``; a number where the two differ by no more."""
    if right == 0:
        return left
    known = _difference(left, right)
    return _combine("tir.Sub", left, right, lambda a, b: a - b) if known is None else known


def multiply(left: Dimension, right: Dimension) -> Dimension:
    """Return ``left * right``; nothing times ``Any`` is nothing."""
    if 0 in (left, right):
        return 0
    if right == 1:
        return left
    if left == 1:
        return right
    if isinstance(right, int) and _is(left, "tir.Mul") and isinstance(left.args[1], int):
        return multiply(left.args[0], left.args[1] * right)
    return _combine("tir.Mul", left, right, lambda a, b: a * b)


def floor_divide(left: Dimension, right: Dimension) -> Dimension:
    """Return ``left // right``, rounded down; ``right`` is not 0.

    Factors that both have are left out, if nothing is rounded.
    """
    if right == 1:
        return left
    number, factors = _factors(left)
    divisor, others = _factors(right)
    for other in others:
        place = next((i for i, own in enumerate(factors) if compare(own, other)), None)
        if place is None:
            break
        del factors[place]
    else:
        if number % divisor == 0:
            return multiply(product(factors), number // divisor)
    return _combine("tir.FloorDiv", left, right, lambda a, b: a // b)


def floor_mod(left: Dimension, right: Dimension) -> Dimension:
    """Return ``left % right``, which has the sign of ``right``."""
    return _combine("tir.FloorMod", left, right, lambda a, b: a % b)


def _factors(size: Dimension) -> tuple[int, list[Dimension]]:
    """Return the numbers in a product, multiplied, and its other factors."""
    number, found, waiting = 1, list[Dimension](), [size]
    while waiting and len(found) < _MOST_FACTORS:
        part = waiting.pop()
        if isinstance(part, int):
            number *= part
        elif _is(part, "tir.Mul"):
            waiting += part.args[::-1]
        else:
            found.append(part)
    return (1, [size]) if waiting else (number, found)


_MOST_FACTORS: Final = 16


def ceil_divide(left: Dimension, right: int) -> Dimension:
    """Return ``left / right``, rounded up; ``right`` is positive."""
    return floor_divide(add(left, right - 1), right)


def product(sizes: Sequence[Dimension]) -> Dimension:
    """Return the product of ``sizes``, 1 for none."""
    result: Dimension = 1
    for size in sizes:
        result = multiply(result, size)
    return result


def compare(left: Dimension, right: Dimension) -> bool | None:
    """Return whether two dimensions are equal, ``None`` where that cannot be known."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    known = _difference(left, right)
    return None if known is None else known == 0


def unify(left: Dimension, right: Dimension) -> Dimension | None:
    """Return the better known of two dimensions that must be equal, or ``None`` if they differ.

    A number is better known than a name, and a name than ``Any``.
    """
    if compare(left, right) is False:
        return None
    if isinstance(left, int) or isinstance(right, Any):
        return left
    return right


def broadcast_dimension(left: Dimension, right: Dimension) -> Dimension | None:
    """Return what two dimensions broadcast to, or ``None`` if they do not.

    ``Any`` against a number other than 1 is that number, for 1 is all it may be besides.
    """
    if compare(left, right) is True or right == 1:
        return left
    if left == 1:
        return right
    if isinstance(left, int) and isinstance(right, int):
        return None
    if isinstance(left, int):
        return left
    return right if isinstance(right, int) else ANY


def broadcast_shapes(
    left: Sequence[Dimension], right: Sequence[Dimension]
) -> tuple[Dimension, ...]:
    """Return the shape that two shapes broadcast to, aligned at their last dimensions.

    Raises:
        TypeInferenceError: If they do not.

    Example:
        >>> broadcast_shapes((2, 1, ANY), (3, 1))
        (2, 3, Any())
    """
    rank = max(len(left), len(right))
    ones = (1,) * rank
    longer_left = (*ones[len(left) :], *left)
    longer_right = (*ones[len(right) :], *right)
    result: list[Dimension] = []
    for axis, (one, other) in enumerate(zip(longer_left, longer_right, strict=True)):
        size = broadcast_dimension(one, other)
        if size is None:
            raise TypeInferenceError(
                f"cannot broadcast {show_shape(left)} with {show_shape(right)}: in axis {axis} of "
                f"the result the sizes are {one} and {other}; they must be equal or 1"
            )
        result.append(size)
    return tuple(result)


def is_static(shape: Sequence[Dimension]) -> bool:
    """Return whether every dimension of ``shape`` is a number."""
    return all(isinstance(size, int) for size in shape)


def normalise_axis(axis: int, rank: int) -> int:
    """Return ``axis`` of ``rank`` axes counted from the front.

    Raises:
        TypeInferenceError: If there is no such axis.
    """
    return axes.normalise_axis(axis, rank, TypeInferenceError)


def show_shape(shape: Sequence[object]) -> str:
    """Return ``shape`` for people: ``(2, ?, n)``."""
    texts = [show_dimension(size) for size in shape]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def show_type(ty: Type) -> str:
    """Return ``ty`` for people, on one line; what is still unknown in it is ``_``."""
    if isinstance(ty, TensorType):
        if not ty.shape:
            return ty.dtype
        return f"Tensor[({', '.join(map(show_dimension, ty.shape))}), {ty.dtype}]"
    text = re.sub(r"free_type [^;]+; |/\* metadata.*", "", " ".join(str(ty).split()))
    text = re.sub(r"_ /\* #\d+ \*/|#\d+(=_)?", "_", text).strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def show_dimension(size: object) -> str:
    """Return a dimension for people: ``2``, ``?``, ``n``, ``(n * 4) + 1``.

    Complexity:
        Constant: of a large expression only the beginning is shown. No recursion.
    """
    if not isinstance(size, PrimOp):
        return _show_leaf(size)
    pieces: list[str] = []
    waiting: list[object] = _spell(size)
    while waiting and len(pieces) < _LONGEST:
        part = waiting.pop()
        if isinstance(part, PrimOp):
            waiting += [_CLOSE, *_spell(part), _OPEN] if part.name in _SIGNS else _spell(part)
        else:
            pieces.append(part.text if isinstance(part, _Text) else _show_leaf(part))
    return "".join([*pieces, "…"] if waiting else pieces)


_LONGEST: Final = 200
_SIGNS: Final = {
    "tir.Add": " + ",
    "tir.Sub": " - ",
    "tir.Mul": " * ",
    "tir.FloorDiv": " // ",
    "tir.FloorMod": " % ",
}


class _Text(NamedTuple):
    """What stands between the operands of an operation."""

    text: str


_OPEN: Final = _Text("(")
_CLOSE: Final = _Text(")")


def _show_leaf(size: object) -> str:
    return "?" if isinstance(size, Any) else str(getattr(size, "name", size))


def _spell(op: PrimOp) -> list[object]:
    """Return what an operation is written as, last things first."""
    sign = _SIGNS.get(op.name)
    between = _Text(", " if sign is None else sign)
    parts: list[object] = []
    for arg in op.args:
        parts += [between, arg] if parts else [arg]
    if sign is None:
        parts = [_Text(f"{op.name.rpartition('.')[2].lower()}("), *parts, _CLOSE]
    return parts[::-1]


def _difference(left: Dimension, right: Dimension) -> int | None:
    """Return by how much the left size is more, ``None`` where that is not known."""
    if left is right and not isinstance(left, Any):
        return 0
    if isinstance(left, PrimOp) or isinstance(right, PrimOp):
        return difference(left, right)
    return left - right if isinstance(left, int) and isinstance(right, int) else None


def _is(size: Dimension, name: str) -> TypeGuard[PrimOp]:
    """Return whether ``size`` is an operation of that name."""
    return isinstance(size, PrimOp) and size.name == name


def _combine(
    name: str, left: Dimension, right: Dimension, compute: Callable[[int, int], int]
) -> Dimension:
    if isinstance(left, int) and isinstance(right, int):
        return compute(left, right)
    if isinstance(left, Any) or isinstance(right, Any):
        return ANY
    dtype = next(
        str(getattr(d, "dtype", "int32")) for d in (left, right) if isinstance(d, PrimExpr)
    )
    return PrimOp(name, (left, right), dtype)
