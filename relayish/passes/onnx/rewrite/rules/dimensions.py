"""Questions about shapes that several rules ask."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.type import Any as AnyDim
from relayish.onnx.calls import inputs_of, is_absent
from relayish.passes.onnx.rewrite.engine import Rewriter

Shape: TypeAlias = Sequence[Any]
"""Dimensions: numbers, named sizes, and some of which nothing is known."""


def is_same_dimension(left: object, right: object) -> bool:
    """Return whether two dimensions are equal whenever the program runs."""
    if isinstance(left, int) or isinstance(right, int):
        return type(left) is type(right) and left == right
    return left is right and type(left) is not AnyDim


def is_same_shape(left: Shape | None, right: Shape | None) -> bool:
    """Return whether two shapes are known to be equal whenever the program runs."""
    if left is None or right is None or len(left) != len(right):
        return False
    return all(map(is_same_dimension, left, right))


def is_static(shape: Shape | None) -> bool:
    """Return whether all dimensions are numbers."""
    return shape is not None and all(isinstance(size, int) for size in shape)


def is_same_number_of_elements(left: Shape, right: Shape) -> bool:
    """Return whether tensors of two shapes have equally many elements whenever the program runs."""
    if prod(_numbers(left)) != prod(_numbers(right)) or 0 in _numbers(left):
        return is_same_shape(left, right)
    rest = [size for size in right if not isinstance(size, int)]
    for size in left:
        if isinstance(size, int):
            continue
        place = next((i for i, each in enumerate(rest) if is_same_dimension(each, size)), None)
        if place is None:
            return False
        del rest[place]
    return not rest


def _numbers(shape: Shape) -> list[int]:
    return [size for size in shape if isinstance(size, int)]


def input_of(call: Call, place: int) -> Expr | None:
    """Return an input of a call, ``None`` if it is missing."""
    inputs = inputs_of(call)
    if place >= len(inputs) or is_absent(inputs[place]):
        return None
    return inputs[place]


def integers_of(graph: Rewriter, expr: Expr | None) -> tuple[int, ...] | None:
    """Return the elements of a constant of integers of rank 0 or 1, ``None`` if it is not known."""
    value = None if expr is None else graph.value_of(expr)
    if value is None or value.ndim > 1 or value.dtype.kind not in "iu":
        return None
    return tuple(np.atleast_1d(value).tolist())


def axes_of(graph: Rewriter, call: Call, place: int = 1) -> tuple[int, ...] | None:
    """Return the axes of a call, an attribute or an input; ``()`` if there are none.

    Returns:
        ``None`` if they are not known.
    """
    held = graph.attribute(call, "axes")
    if isinstance(held, tuple):
        return held
    given = input_of(call, place)
    return () if given is None else integers_of(graph, given)


def reshape_target(before: Shape | None, after: Shape | None) -> tuple[int, ...] | None:
    """Return what ``Reshape`` has to be told to make ``after`` of ``before``.

    Numbers stand for themselves, 0 for a dimension that is the same as the one in its place before,
    and -1 for one that is not known.

    Returns:
        ``None`` if it cannot be told.
    """
    if after is None:
        return None
    target: list[int] = []
    for place, size in enumerate(after):
        if isinstance(size, int):
            target.append(size)
        elif before is not None and place < len(before) and is_same_dimension(size, before[place]):
            target.append(0)
        else:
            target.append(-1)
    if target.count(-1) > 1:
        return None
    if any(size == 0 for size in after) and any(not isinstance(size, int) for size in after):
        return None  # a 0 that is meant, beside one that stands for a dimension
    if 0 in target and all(isinstance(size, int) for size in after):
        return _with_zeros(before, after)
    return tuple(target)


def _with_zeros(before: Shape | None, after: Shape) -> tuple[int, ...] | None:
    """Return the target of a tensor without elements, whose zeros have to stand where they do."""
    if before is None:
        return None
    for place, size in enumerate(after):
        if size == 0 and not (place < len(before) and before[place] == 0):
            return None
    return tuple(after)


def is_view_transpose(perm: Sequence[int], shape: Shape | None) -> bool:
    """Return whether a transposition only moves dimensions of one element."""
    if shape is None or len(shape) != len(perm):
        return False
    moved = [axis for axis in perm if shape[axis] != 1]
    return moved == sorted(moved)
