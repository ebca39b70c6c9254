"""Layout algebra: where axes are, and what becomes of them, as layouts change.

Layouts are texts here, ``NCHW4c``; :mod:`relayish.op.types.layout` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Final

from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.layout_rule import Layout
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import LayoutAxis, is_layout, read_layout

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def show_layout(axes: Iterable[LayoutAxis]) -> Layout:
    """Return the layout of these axes as text.

    Example:
        >>> show_layout(read_layout("OHWI16i64o2i"))
        'OHWI16i64o2i'
    """
    return "".join([f"{axis.factor or ''}{axis.letter}" for axis in axes])


@lru_cache(maxsize=1024)
def whole_axes(layout: Layout) -> str:
    """Return the letters of ``layout``, without the inner parts of axes that are split.

    Example:
        >>> whole_axes("NCHW4c")
        'NCHW'
    """
    return "".join([axis.letter for axis in read_layout(layout) if not axis.factor])


@lru_cache(maxsize=1024)
def split_axes(layout: Layout) -> Mapping[str, int]:
    """Return the letters of the axes that are split, each with the size of its inner parts.

    Example:
        >>> split_axes("OHWI16i64o2i")
        {'I': 32, 'O': 64}
    """
    found: dict[str, int] = {}
    for letter, factor in read_layout(layout):
        if factor:
            found[letter.upper()] = found.get(letter.upper(), 1) * factor
    return found


@lru_cache(maxsize=4096)
def find_axis(axis: int, before: Layout, now: Layout) -> int | None:
    """Return where axis number ``axis`` of ``before`` is in ``now``.

    Returns:
        ``None`` if there is no such axis, or it is split in one of them.

    Example:
        >>> find_axis(-1, "NHWC", "NCHW"), find_axis(3, "NHWC", "NCHW4c")
        (1, None)
    """
    axes = read_layout(before)
    if not -len(axes) <= axis < len(axes):
        return None
    letter = axes[axis].letter
    if letter.upper() in split_axes(before) or letter in split_axes(now):
        return None
    letters = [other.letter for other in read_layout(now)]
    return letters.index(letter) if letter in letters else None


def find_axes(axes: Iterable[int], before: Layout, now: Layout) -> list[int] | None:
    """Return where axes of ``before`` are in ``now``, or ``None`` if one of them is not whole."""
    found = [find_axis(axis, before, now) for axis in axes]
    places = [place for place in found if place is not None]
    return places if len(places) == len(found) else None


@lru_cache(maxsize=4096)
def rename(layout: Layout, source: Layout, target: Layout) -> Layout | None:
    """Return ``layout`` with the axes of ``source`` called as those of ``target`` are.

    Returns:
        ``None`` if the two do not have axes of the same sizes, one for one.

    Example:
        >>> rename("NCHW4c", "NHWC", "ABCD")
        'ADBC4d'
    """
    before, after = read_layout(source), read_layout(target)
    names: dict[str, str] = {}
    if [axis.factor for axis in before] != [axis.factor for axis in after]:
        return None
    for old, new in zip(before, after, strict=True):
        if names.setdefault(old.letter.upper(), new.letter.upper()) != new.letter.upper():
            return None
    if len(set(names.values())) < len(names):
        return None
    names |= {old.lower(): new.lower() for old, new in names.items()}
    if any(axis.letter not in names for axis in read_layout(layout)):
        return None
    return show_layout(LayoutAxis(names[letter], size) for letter, size in read_layout(layout))


def keep_axes(layout: Layout, places: Iterable[int]) -> Layout | None:
    """Return the layout of the axes of ``layout`` at ``places``, in that order.

    Returns:
        ``None`` if only a part of an axis that is split is among them.
    """
    axes = read_layout(layout)
    kept = show_layout([axes[place] for place in places])
    return kept if is_layout(kept) else None


def insert_axes(layout: Layout, place: int, count: int) -> Layout | None:
    """Return ``layout`` with ``count`` new axes at ``place``, or ``None`` if no letters are left.

    Example:
        >>> insert_axes("NC", 1, 2)
        'NABC'
    """
    letters = [letter for letter in LETTERS if letter not in whole_axes(layout)]
    if len(letters) < count:
        return None
    axes = list(read_layout(layout))
    axes[place:place] = [LayoutAxis(letter, 0) for letter in letters[:count]]
    return show_layout(axes)


@lru_cache(maxsize=4096)
def lead_axes(layout: Layout, target: Layout) -> Layout:
    """Return ``layout`` with the axes in front that ``target`` has besides.

    Example:
        >>> lead_axes("C", "NCHW4c")
        'NHWC'
    """
    return "".join([a for a in whole_axes(target) if a not in whole_axes(layout)]) + layout


def rearranges(source: Layout, target: Layout, shape: Sequence[Dimension]) -> bool:
    """Return whether a tensor of ``shape`` in ``source`` has, in ``target``, the same elements.

    It has not where the two name different axes, and where parts do not divide the size of an axis:
    there it would be filled up.

    Example:
        >>> [rearranges("NCHW", "NCHW4c", (1, size, 5, 5)) for size in (3, 8)]
        [False, True]
    """
    axes = read_layout(source)
    if len(axes) != len(shape) or set(whole_axes(source)) != set(whole_axes(target)):
        return False
    wanted = split_axes(target)
    if not wanted or source == target:
        return True
    for letter, factor in wanted.items():
        sizes = [
            axis.factor or size
            for axis, size in zip(axes, shape, strict=True)
            if axis.letter.upper() == letter
        ]
        if prod([size if isinstance(size, int) else 0 for size in sizes]) % factor:
            return False
        if not all(isinstance(size, int) for size in sizes) and factor > 1:
            return False
    return True


def tensor_shape(ty: Type) -> tuple[Dimension, ...] | None:
    """Return the shape of a tensor, or ``None`` of what is no tensor of a known number of axes."""
    return ty.shape if isinstance(ty, TensorType) else None
