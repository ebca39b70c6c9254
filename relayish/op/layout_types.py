"""Shapes of tensors under layouts: for types, what ``convert_layout`` does to data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.op.dimension import floor_divide, multiply, show_shape, unified
from relayish.op.fields import Dimension
from relayish.op.layout import LayoutAxis, read_layout


@lru_cache(maxsize=256)
def layout_axes(layout: str) -> tuple[LayoutAxis, ...]:
    """Return the axes of ``layout``, for rules of type.

    Raises:
        TypeInferenceError: If it is no layout.
    """
    try:
        return read_layout(layout)
    except EvaluationError as error:
        raise TypeInferenceError(str(error)) from error


def convert_shape(
    shape: Sequence[Dimension], source: str, target: str, what: str = "data"
) -> tuple[Dimension, ...]:
    """Return the shape of the tensor called ``what``, held as ``source``, arranged as ``target``.

    Raises:
        TypeInferenceError: If one is no layout, if they name different axes, if the shape does not
            have the axes of ``source``, or if an axis cannot be split as ``target`` says.

    Example:
        >>> convert_shape((1, 2, 5, 5, 4), "NCHW4c", "NHWC")
        (1, 5, 5, 8)
        >>> convert_shape((1, 5, 5, 8), "NHWC", "NCHW4c")
        (1, 2, 5, 5, 4)
    """
    if len(shape) != len(layout_axes(source)):
        raise TypeInferenceError(
            f"{what} in layout {source} must have {len(layout_axes(source))} dimensions; "
            f"found {len(shape)}: {show_shape(shape)}"
        )
    if source == target:
        _check_inner(shape, source, what)
        return tuple(shape)
    whole = _whole_sizes(shape, source, what)
    factors = {axis.letter: axis.factor for axis in layout_axes(target) if axis.factor}
    outer = {axis.letter for axis in layout_axes(target) if not axis.factor}
    if outer != set(whole):
        raise TypeInferenceError(
            f"the layout of {what} is {source}, which does not name the same axes as {target}"
        )
    return tuple(
        axis.factor or _outer_size(whole[axis.letter], axis.letter, factors, what)
        for axis in layout_axes(target)
    )


def _check_inner(shape: Sequence[Dimension], layout: str, what: str) -> None:
    for axis, size in zip(layout_axes(layout), shape, strict=True):
        if axis.factor and unified(size, axis.factor) is None:
            raise TypeInferenceError(
                f"axis {axis.letter} of {what} in layout {layout} must have the size "
                f"{axis.factor}; found {show_shape(shape)}"
            )


def _whole_sizes(shape: Sequence[Dimension], layout: str, what: str) -> dict[str, Dimension]:
    """Return the size of every axis, split or not, by its capital letter."""
    _check_inner(shape, layout, what)
    whole = {
        axis.letter: size
        for axis, size in zip(layout_axes(layout), shape, strict=True)
        if not axis.factor
    }
    for axis in layout_axes(layout):
        if axis.factor:
            whole[axis.letter.upper()] = multiply(whole[axis.letter.upper()], axis.factor)
    return whole


def _outer_size(size: Dimension, letter: str, factors: dict[str, int], what: str) -> Dimension:
    factor = factors.get(letter.lower())
    if factor is None:
        return size
    if isinstance(size, int) and size % factor:
        raise TypeInferenceError(
            f"axis {letter} of {what} has the size {size}, which cannot be split by {factor}"
        )
    return floor_divide(size, factor)
