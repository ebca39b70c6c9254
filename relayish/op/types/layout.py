"""Layouts: which axis of a tensor means what, as in ``NCHW`` or ``NCHW4c``.

An axis that is split several times, as ``I`` in ``OHWI16i64o2i``, has its outer parts first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.op.types import dimension
from relayish.op.types.fields import Dimension
from relayish.op.values.evaluation import Array

_AXIS = re.compile(r"(\d*)([A-Za-z])")


class LayoutAxis(NamedTuple):
    """One axis: its letter, and for the inner part of a split one (lower case) its size."""

    letter: str
    factor: int


def read_layout(
    layout: str, raises: type[RelayishError] = EvaluationError
) -> tuple[LayoutAxis, ...]:
    """Return the axes of ``layout``; the size of axes that are not split is 0.

    Raises:
        EvaluationError: If it is no layout; or the error asked for.

    Example:
        >>> [axis.letter for axis in read_layout("NCHW4c")]
        ['N', 'C', 'H', 'W', 'c']

    """
    axes = _parse_axes(layout)
    if axes is None:
        raise raises(f"{layout!r} is no layout; expected letters such as NCHW or NCHW4c")
    return axes


def is_layout(text: str) -> bool:
    """Return whether ``text`` is a layout; that of a number, without axes, is empty."""
    return _parse_axes(text) is not None


@lru_cache(maxsize=1024)
def _parse_axes(layout: str) -> tuple[LayoutAxis, ...] | None:
    """Return the axes of ``layout``, or ``None`` if it is none."""
    axes = tuple(LayoutAxis(letter, int(size or 0)) for size, letter in _AXIS.findall(layout))
    whole = [axis.letter for axis in axes if axis.letter.isupper()]
    sound = (
        re.fullmatch(f"(?:{_AXIS.pattern})*", layout) is not None
        and len(set(whole)) == len(whole)
        and all(a.letter.isupper() == (a.factor == 0) for a in axes)
        and all(a.letter.upper() in whole for a in axes)
    )
    return axes if sound else None


def convert_layout(data: Array, source: str, target: str) -> Array:
    """Return ``data``, held as ``source`` says, arranged as ``target`` says.

    An axis that is split into parts larger than it fills is filled up with zeros.

    Raises:
        EvaluationError: If the two name different axes, or not those of the data.

    Complexity:
        Linear in the number of elements; nothing is copied where a view does.

    """
    before, after = _axes_of_both(source, target, data.ndim, EvaluationError)
    if before == after:
        return data
    primal = [axis.letter for axis in before if axis.letter.isupper()]
    order = [place for letter in primal for place in places_of(before, letter)]
    whole = [prod([data.shape[part] for part in places_of(before, letter)]) for letter in primal]
    data = data.transpose(order).reshape(whole)

    shape, missing, target_order = list[int](), [], list[int]()
    for letter, size in zip(primal, whole, strict=True):
        places = places_of(after, letter)
        factors = [after[place].factor for place in places[1:]]
        missing.append((0, -size % prod(factors)))
        shape += [-(-size // prod(factors)), *factors]
        target_order += places
    if any(behind for _, behind in missing):
        data = np.pad(data, missing)
    data = data.reshape(shape)
    return data.transpose(np.argsort(target_order))


def places_of(layout: Sequence[LayoutAxis], letter: str) -> tuple[int, ...]:
    """Return the places of an axis and, behind it, of its inner parts, outer ones first.

    Example:
        >>> places_of(read_layout("OHWI16i64o2i"), "I")
        (3, 4, 6)
    """
    (own,) = [place for place, axis in enumerate(layout) if axis.letter == letter]
    inner = letter.lower()
    return own, *[place for place, axis in enumerate(layout) if axis.letter == inner]


def converted_shape(shape: Sequence[Dimension], source: str, target: str) -> tuple[Dimension, ...]:
    """Return the shape of what :func:`convert_layout` makes of a tensor of ``shape``.

    Raises:
        TypeInferenceError: If the two layouts name different axes, or not those of the tensor.

    Example:
        >>> converted_shape((1, 30, 7, 7), "NCHW", "NCHW16c")
        (1, 2, 7, 7, 16)
    """
    before, after = _axes_of_both(source, target, len(shape), TypeInferenceError)
    whole: dict[str, Dimension] = {}
    for axis, size in zip(before, shape, strict=True):
        if axis.factor and dimension.compare(axis.factor, size) is False:
            raise TypeInferenceError(
                f"axis {axis.letter} of layout {source} has the size {axis.factor}; "
                f"found {size} in {dimension.show_shape(shape)}"
            )
        letter = axis.letter.upper()
        whole[letter] = dimension.multiply(whole.get(letter, 1), axis.factor or size)
    if before == after:
        return tuple(shape)
    factors: dict[str, int] = {}
    for axis in after:
        letter = axis.letter.upper()
        factors[letter] = factors.get(letter, 1) * (axis.factor or 1)
    return tuple(
        axis.factor or dimension.ceil_divide(whole[axis.letter], factors[axis.letter])
        for axis in after
    )


def _axes_of_both(
    source: str, target: str, rank: int, raises: type[RelayishError]
) -> tuple[tuple[LayoutAxis, ...], tuple[LayoutAxis, ...]]:
    before, after = read_layout(source, raises), read_layout(target, raises)
    named, wanted = (
        {axis.letter for axis in axes if axis.letter.isupper()} for axes in (before, after)
    )
    if named != wanted:
        raise raises(f"layouts {source} and {target} do not name the same axes")
    if rank != len(before):
        raise raises(f"layout {source} has {len(before)} axes; the data has {rank}")
    return before, after
