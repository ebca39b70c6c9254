"""Layouts: which axis of a tensor means what, as in ``NCHW`` or ``NCHW4c``."""

from __future__ import annotations

import re
from typing import NamedTuple

from relayish.errors import EvaluationError
from relayish.op.evaluation import Array

_AXIS = re.compile(r"(\d*)([A-Za-z])")


class LayoutAxis(NamedTuple):
    """One axis: its letter, and for the inner part of a split one (lower case) its size."""

    letter: str
    factor: int


def read_layout(layout: str) -> tuple[LayoutAxis, ...]:
    """Return the axes of ``layout``; the size of axes that are not split is 0.

    Raises:
        EvaluationError: If it is no layout.

    Example:
        >>> [axis.letter for axis in read_layout("NCHW4c")]
        ['N', 'C', 'H', 'W', 'c']

    """
    axes = tuple(LayoutAxis(letter, int(size or 0)) for size, letter in _AXIS.findall(layout))
    letters = [axis.letter for axis in axes]
    sound = (
        re.fullmatch(f"(?:{_AXIS.pattern})*", layout) is not None
        and len(set(letters)) == len(letters)
        and all(a.letter.isupper() == (a.factor == 0) for a in axes)
        and all(a.letter.upper() in letters for a in axes)
    )
    if not sound:
        raise EvaluationError(f"{layout!r} is no layout; expected letters such as NCHW or NCHW4c")
    return axes


def convert_layout(data: Array, source: str, target: str) -> Array:
    """Return ``data``, held as ``source`` says, arranged as ``target`` says.

    Raises:
        EvaluationError: If the two name different axes, or a size cannot be split as asked.

    Complexity:
        Linear in the number of elements; nothing is copied where a view does.

    """
    before, after = read_layout(source), read_layout(target)
    primal = [axis.letter for axis in before if axis.letter.isupper()]
    if set(primal) != {axis.letter for axis in after if axis.letter.isupper()}:
        raise EvaluationError(f"layouts {source} and {target} do not name the same axes")
    if data.ndim != len(before):
        raise EvaluationError(f"layout {source} has {len(before)} axes; the data has {data.ndim}")
    place = {axis.letter: index for index, axis in enumerate(before)}
    order, whole = [], []
    for letter in primal:
        parts = [place[part] for part in (letter, letter.lower()) if part in place]
        order += parts
        size = 1
        for part in parts:
            size *= data.shape[part]
        whole.append(size)
    data = data.transpose(order).reshape(whole)

    factors = {axis.letter: axis.factor for axis in after if axis.factor}
    shape, letters = [], []
    for letter, size in zip(primal, whole, strict=True):
        factor = factors.get(letter.lower())
        letters.append(letter)
        if factor is None:
            shape.append(size)
            continue
        if size % factor:
            raise EvaluationError(f"axis {letter} of size {size} cannot be split by {factor}")
        shape += [size // factor, factor]
        letters.append(letter.lower())
    data = data.reshape(shape)
    return data.transpose([letters.index(axis.letter) for axis in after])
