"""Layouts as rules of type ask for them: what is wrong is an error of type, and says of what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from relayish.errors import TypeInferenceError
from relayish.op.dimension import show_shape
from relayish.op.fields import Dimension
from relayish.op.layout import LayoutAxis, converted_shape, read_layout


@lru_cache(maxsize=256)
def layout_axes(layout: str) -> tuple[LayoutAxis, ...]:
    """Return the axes of ``layout``.

    Raises:
        TypeInferenceError: If it is no layout.
    """
    return read_layout(layout, TypeInferenceError)


@lru_cache(maxsize=256)
def _has_split_axes(layout: str) -> bool:
    return any(axis.factor for axis in layout_axes(layout))


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
    if source == target and not _has_split_axes(source):
        return tuple(shape)
    return converted_shape(shape, source, target)
