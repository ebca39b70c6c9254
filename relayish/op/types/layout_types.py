"""Layouts as rules of type ask for them: what is wrong is an error of type, and says of what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from relayish.errors import TypeInferenceError
from relayish.op.types.dimension import show_shape
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import LayoutAxis, converted_shape, read_layout


@lru_cache(maxsize=256)
def layout_axes(layout: str) -> tuple[LayoutAxis, ...]:
    """Return the axes of ``layout``.

    Raises:
        TypeInferenceError: If it is no layout.
    """
    return read_layout(layout, TypeInferenceError)


def convert_shape(
    shape: Sequence[Dimension], source: str, target: str, what: str = "data"
) -> tuple[Dimension, ...]:
    """Return the shape of the tensor called ``what``, held as ``source``, arranged as ``target``.

    Raises:
        TypeInferenceError: If one is no layout, if they name different axes, or if the shape does
            not have the axes of ``source``.

    Example:
        >>> convert_shape((1, 2, 5, 5, 4), "NCHW4c", "NHWC")
        (1, 5, 5, 8)
    """
    axes = layout_axes(source)
    if len(shape) != len(axes):
        raise TypeInferenceError(
            f"{what} in layout {source} must have {len(axes)} dimensions; "
            f"found {len(shape)}: {show_shape(shape)}"
        )
    order = _order_of_axes(source, target)
    if order is not None:
        return tuple([shape[axis] for axis in order])
    return converted_shape(shape, source, target)


@lru_cache(maxsize=256)
def _order_of_axes(source: str, target: str) -> tuple[int, ...] | None:
    """Return where the axes of ``target`` are in ``source``, or ``None`` if that is not all.

    It is not where axes are split, or where the two do not name the same.
    """
    before, after = layout_axes(source), layout_axes(target)
    if any(axis.factor for axis in (*before, *after)) or set(before) != set(after):
        return None
    return tuple(before.index(axis) for axis in after)
