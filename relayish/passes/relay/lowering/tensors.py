"""Tensors built by the operators of Relay's core: what rules of lowering are written with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.values.dtype import get_lowest_number, numpy_dtype
from relayish.numeric.precision import is_whole
from relayish.numeric.windows import Sides
from relayish.op.builders.builder import op
from relayish.op.types.extent import Extent, Size
from relayish.op.types.layout import converted_shape
from relayish.op.values.evaluation import number_of

Shape = tuple[Size, ...]

_NARROW_BYTES = 4


def number(value: float, dtype: str) -> Constant:
    """Return ``value`` as a scalar of ``dtype``, cast as evaluation casts numbers of attributes."""
    return Constant(number_of(value, numpy_dtype(dtype)))


def lowest(dtype: str) -> Constant:
    """Return the least finite number of a type."""
    kind = numpy_dtype(dtype)
    return number(False if kind.kind == "b" else get_lowest_number(kind), dtype)


def indices(values: object) -> Constant:
    """Return places along axes as a constant."""
    return const(np.asarray(values, np.int64), "int64")


def is_integral_type(dtype: str) -> bool:
    """Return whether ``dtype`` is a type of integers or booleans."""
    return is_whole(numpy_dtype(dtype))


def work_dtype(dtype: str) -> str:
    """Return the type in which evaluation computes what is to be of ``dtype``, and rounds once."""
    kind = numpy_dtype(dtype)
    if is_whole(kind):
        return "int16" if kind.kind == "V" else dtype
    return "float32" if kind.itemsize < _NARROW_BYTES else dtype


def cast(expr: Expr, source: str, target: str) -> Expr:
    """Return ``expr``, of type ``source``, in another element type."""
    if source == target:
        return expr
    found: Expr = op.cast(expr, target)
    return found


def transpose(expr: Expr, axes: Sequence[int]) -> Expr:
    """Return ``expr`` with its axes in another order."""
    if list(axes) == sorted(axes):
        return expr
    found: Expr = op.transpose(expr, axes=tuple(axes))
    return found


def reshape(expr: Expr, before: Sequence[Size], after: Sequence[Size]) -> Expr:
    """Return ``expr``, of shape ``before``, in the shape ``after``."""
    if tuple(before) == tuple(after):
        return expr
    named = [size for size in after if isinstance(size, Extent)]
    if len(named) == 1:  # what is left
        after = [-1 if isinstance(size, Extent) else size for size in after]
    found: Expr = op.reshape(expr, newshape=tuple(after))
    return found


def arrange(expr: Expr, source: str, target: str) -> Expr:
    """Return ``expr``, held as the layout ``source``, as ``target``."""
    if source == target:
        return expr
    if sorted(source) == sorted(target) and source.isalpha():
        return transpose(expr, [source.index(letter) for letter in target])
    found: Expr = op.layout_transform(expr, source, target)
    return found


def arranged_shape(shape: Sequence[Size], source: str, target: str) -> Shape:
    """Return the shape of what :func:`arrange` makes of a tensor of ``shape``."""
    sizes: Shape = converted_shape(shape, source, target)
    return sizes


def fill(value: Expr, shape: Sequence[int], dtype: str) -> Expr:
    """Return a tensor of one number."""
    found: Expr = op.full(value, shape=tuple(shape), dtype=dtype)
    return found


def cut(expr: Expr, shape: Shape, ends: Sequence[tuple[int, int]]) -> Expr:
    """Return ``expr`` from the first to before the second of ``ends`` along each axis."""
    if all(pair == (0, size) for pair, size in zip(ends, shape, strict=True)):
        return expr
    axes = [axis for axis, size in enumerate(shape) if ends[axis] != (0, size)]
    begin, end = zip(*[ends[axis] for axis in axes], strict=True)
    if len(axes) == len(shape) or not any(isinstance(size, Extent) for size in shape):
        begin, end = zip(*ends, strict=True)
        axes = []
    found: Expr = op.strided_slice(
        expr, begin=begin, end=end, strides=(1,) * len(begin), axes=axes or None
    )
    return found


def spread(
    expr: Expr,
    shape: Shape,
    widths: Sides,
    value: Expr,
    dtype: str,
    strides: Sequence[int] | None = None,
) -> tuple[Expr, Shape]:
    """Return ``expr`` with more elements around it, and between its own, and the shape of that.

    Args:
        expr: A tensor with elements.
        shape: Its shape.
        widths: How many elements come before and after, for each axis; negative ones take away, of
            what was put between elements, too.
        value: What they are.
        dtype: The element type of both.
        strides: How far apart its elements are to be, for each axis.
    """
    steps = [1] * len(shape) if strides is None else list(strides)
    whole = [(n - 1) * s + 1 for n, s in zip(shape, steps, strict=True)]
    around = [(max(before, 0), max(after, 0)) for before, after in widths]
    wide = tuple(n + sum(pair) for n, pair in zip(whole, around, strict=True))
    image = expr
    is_named = any(isinstance(size, Extent) for size in shape)
    if wide != shape and is_named and max(steps) == 1:
        image = op.nn.pad(expr, tuple(around), value)
    elif wide != shape or any(step > 1 for step in steps):
        begin = [before for before, _ in around]
        end = [before + n for (before, _), n in zip(around, whole, strict=True)]
        room = fill(value, wide, dtype)
        image = op.strided_set(room, expr, indices(begin), indices(end), indices(steps))
    ends = [
        (max(-before, 0), max(n - max(-after, 0), 0))
        for (before, after), n in zip(widths, wide, strict=True)
    ]
    return cut(image, wide, ends), tuple(max(end - begin, 0) for begin, end in ends)


def pick(expr: Expr, places: Any, axis: int) -> Expr:  # Any: an array of numbers, of any rank
    """Return what is at ``places`` along an axis, in as many axes as that has."""
    found: Expr = op.take(expr, indices(places), axis=axis)
    return found


def windows(
    expr: Expr,
    shape: Shape,
    axes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
) -> tuple[Expr, Shape, tuple[int, ...]]:
    """Return what windows see, padded already: their axes behind those of the tensor.

    Args:
        expr: The tensor.
        shape: Its shape.
        axes: Over which windows slide, in order.
        kernel: For each of these, how many elements a window has.
        strides: How far apart windows are.
        dilation: How far apart the elements of a window are.

    Returns:
        The windows, their shape, and at which axes the elements of windows are, as ``axes``.
    """
    first, rank = min(axes), len(shape)
    reach, step, between = [1] * rank, [1] * rank, [1] * rank
    for axis, size, stride, gap in zip(axes, kernel, strides, dilation, strict=True):
        reach[axis], step[axis], between[axis] = (size - 1) * gap + 1, stride, gap
    seen: Expr = op.sliding_window(
        expr, axis=first, window_shape=tuple(reach[first:]), strides=tuple(step[first:])
    )
    places = [(n - r) // s + 1 for n, r, s in zip(shape, reach, step, strict=True)]
    whole = (*places, *reach[first:])
    gaps = [1] * rank + between[first:]
    if max(gaps) > 1:
        seen = op.strided_slice(seen, begin=(0,) * len(whole), end=whole, strides=tuple(gaps))
    found = tuple(-(-n // gap) for n, gap in zip(whole, gaps, strict=True))
    return seen, found, tuple(rank + axis - first for axis in axes)
