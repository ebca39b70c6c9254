"""Layout rules of operators that move elements about: each says where its axes are by now."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, zip_longest
from typing import Any

from relayish.ir.relay.type import TupleType
from relayish.op.declaration.layout_rule import InferredLayouts, Layout
from relayish.op.layouts.rules import Answer, Layouts, Types, is_whole, set_attrs
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import read_layout
from relayish.op.types.layout_algebra import (
    find_axes,
    find_axis,
    insert_axes,
    keep_axes,
    show_layout,
    split_axes,
    tensor_shape,
)


# Any, in all rules: the attributes of the operator.
def transpose_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:  # noqa: ARG001 - as all rules
    """Give what was given before, whatever comes: another permutation leads there."""
    before = old[0]
    if before is None:
        return None
    rank = len(read_layout(before))
    axes = [axis % rank for axis in attrs.axes or range(rank)[::-1]]
    result = keep_axes(before, axes)
    if new is None or result is None:
        return InferredLayouts((before,), (result,), attrs)
    now = new[0]
    if now is None or not is_whole(now) or not is_whole(before):
        return None
    found = find_axes(axes, before, now)
    if found is None:
        return None
    return InferredLayouts((now,), (result,), set_attrs(attrs, axes=tuple(found)))


def squeeze_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Leave out the same axes."""
    before, shape = old[0], tensor_shape(types[0])
    if before is None or shape is None:
        return None
    axes = attrs.axis
    if axes is None:
        axes = [place for place, size in enumerate(shape) if size == 1]
    now, found = before, [axis % len(shape) for axis in axes]
    if new is not None:
        moved = None if new[0] is None else find_axes(axes, before, new[0])
        if new[0] is None or moved is None:
            return None
        now, found = new[0], moved
        attrs = set_attrs(attrs, axis=tuple(found))
    kept = keep_axes(now, [p for p in range(len(read_layout(now))) if p not in found])
    return None if kept is None else InferredLayouts((now,), (kept,), attrs)


def expand_dims_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Put new axes in front of the same axis, or behind all."""
    before, shape = old[0], tensor_shape(types[0])
    if before is None or shape is None:
        return None
    place = attrs.axis if attrs.axis >= 0 else attrs.axis + len(shape) + 1
    result = insert_axes(before, place, attrs.num_newaxis)
    if new is None:
        return InferredLayouts((before,), (result,), attrs)
    now = new[0]
    if now is None or result is None:
        return None
    found = len(read_layout(now)) if place == len(shape) else find_axis(place, before, now)
    if found is None:
        return None
    result = insert_axes(now, found, attrs.num_newaxis)
    return InferredLayouts((now,), (result,), set_attrs(attrs, axis=found))


def concatenate_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Take all fields in the layout in which most of them come; others as they were."""
    fields, shape = types[0], None
    count = len(fields.fields) if isinstance(fields, TupleType) else 0
    if isinstance(fields, TupleType) and count:
        shape = tensor_shape(fields.fields[0])
    others: list[Layout | None] = [None] * (len(old) - count)
    known = [layout for layout in old[:count] if layout is not None]
    if not known or shape is None:
        return None
    before = known[0]
    if new is None:
        return InferredLayouts([*[before] * count, *others], (before,), attrs)
    moved = Counter([now for now in new[:count] if now is not None and now != before])
    ((now, most),) = moved.most_common(1) or [(before, 0)]
    if 2 * most < count:
        return None
    axes = read_layout(before)
    letter = axes[attrs.axis % len(axes)].letter
    letters = [axis.letter for axis in read_layout(now)]
    if letter not in letters or letter.upper() in split_axes(before):
        return None
    moved_attrs = set_attrs(attrs, axis=letters.index(letter))
    return InferredLayouts([*[now] * count, *others], (now,), moved_attrs)


def split_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Split the same axis; where it is in parts, between the outer ones."""
    before, shape = old[0], tensor_shape(types[0])
    sections = attrs.indices_or_sections
    count = sections if isinstance(sections, int) else len(sections) + 1
    if before is None or shape is None:
        return None
    if new is None:
        return InferredLayouts((before,), [before] * count, attrs)
    now = new[0]
    axes = read_layout(before)
    axis = axes[attrs.axis % len(axes)]
    letters = [] if now is None else [other.letter for other in read_layout(now)]
    if now is None or axis.letter not in letters or axis.letter in split_axes(before):
        return None
    attrs = set_attrs(attrs, axis=letters.index(axis.letter))
    factor = split_axes(now).get(axis.letter, 1)
    if not isinstance(sections, int):
        if any(place % factor for place in sections):
            return None
        places = tuple([place // factor for place in sections])
        attrs = set_attrs(attrs, indices_or_sections=places)
    return InferredLayouts((now,), [now] * count, attrs)


def strided_slice_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Cut the same axes; where one is in parts, between the outer ones."""
    before, shape = old[0], tensor_shape(types[0])
    if before is None or shape is None:
        return None
    if new is None:
        return InferredLayouts((before,), (before,), attrs)
    now = new[0]
    if now is None or not is_whole(before) or None in (attrs.begin, attrs.end):
        return None
    moved = _cut(attrs, before, now, shape)
    return None if moved is None else InferredLayouts((now,), (now,), moved)


def _cut(attrs: Any, before: Layout, now: Layout, shape: tuple[Dimension, ...]) -> Any:
    """Return the attributes that cut in ``now`` as ``attrs`` cut in ``before``, or ``None``."""
    given, strides = attrs.axes, tuple(attrs.strides or (1,))
    count = max(len(attrs.begin), len(attrs.end))
    steps = strides * count if len(strides) == 1 else strides[:count]  # one stands for all
    places = [axis % len(shape) for axis in given] if given else list(range(count))
    split, axes = split_axes(now), read_layout(now)
    cuts: dict[str, _Cut] = {}
    for place, cut in zip_longest(places, zip_longest(attrs.begin, attrs.end, steps)):
        begin, end, step = cut
        if step is not None and step < 0 and None in (begin, end):
            return None
        end = shape[place] if end is None else end
        step = 1 if step is None or attrs.slice_mode == "size" else step
        found = _cut_outer(begin or 0, end, step, shape[place], split.get(before[place], 1))
        if found is None or (attrs.slice_mode == "size" and before[place] in split):
            return None
        cuts[before[place]] = found
    letters = [axis.letter for axis in axes]
    order = [before[place] for place in places]
    if given:
        attrs = set_attrs(attrs, axes=tuple([letters.index(letter) for letter in order]))
    elif not now.startswith(before):
        order = letters
        for letter, factor in axes:
            size = shape[before.index(letter)] if letter in before else factor
            if letter not in cuts and (not isinstance(size, int) or letter in split):
                return None
            cuts.setdefault(letter, (0, size, 1))
    if not order:
        return attrs
    begins, ends, strides = zip(*[cuts[letter] for letter in order], strict=True)
    return set_attrs(attrs, begin=begins, end=ends, strides=strides)


_Cut = tuple[int, Any, int]  # Any: a size, of numbers alone where it is used


def _cut_outer(begin: int, end: Any, step: int, size: Any, factor: int) -> _Cut | None:
    """Return where to cut the outer part of an axis of which the inner has ``factor`` elements."""
    if not isinstance(end, int):
        return None
    if factor == 1:
        return begin, end, step
    if not isinstance(size, int) or step != 1:
        return None
    inside = [min(max(at + size * (at < 0), 0), size) for at in (begin, end)]
    for first, last in ((begin, end), inside):
        if first % factor == 0 and last % factor == 0:
            return first // factor, last // factor, 1
    return None


def slice_like_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Cut the same axes, where both arguments come in one layout."""
    shapes = [tensor_shape(ty) for ty in types]
    before = old[0] or old[1]
    if None in shapes or before is None or len({len(shape or ()) for shape in shapes}) > 1:
        return None
    if new is None:
        return InferredLayouts((before, before), (before,), attrs)
    now, like = new
    if now is None or now != like:
        return None
    if not attrs.axes:
        return InferredLayouts((now, now), (now,), attrs) if is_whole(now) else None
    found = find_axes(attrs.axes, before, now)
    if found is None:
        return None
    return InferredLayouts((now, now), (now,), set_attrs(attrs, axes=tuple(found)))


def pad_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:  # noqa: ARG001 - as all rules
    """Widen the same axes, if they are whole."""
    before, others = old[0], [None] * (len(old) - 1)
    if before is None:
        return None
    if new is None:
        return InferredLayouts((before, *others), (before,), attrs)
    now, axes = new[0], read_layout(before)
    widths = {a.letter: tuple(w) for a, w in zip(axes, attrs.pad_width, strict=True)}
    padded = {letter.upper() for letter, width in widths.items() if any(width)}
    if now is None or padded & {*split_axes(now), *split_axes(before)}:
        return None
    moved = tuple([widths.get(axis.letter, (0, 0)) for axis in read_layout(now)])
    return InferredLayouts((now, *others), (now,), set_attrs(attrs, pad_width=moved))


def reshape_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Take what holds its elements in the same order, axes of size 1 left aside."""
    before, shape = old[0], tensor_shape(types[0])
    if before is None or shape is None or len(read_layout(before)) != len(shape):
        return None
    if new is None:
        return InferredLayouts((before,), (None,), attrs)
    now = new[0]
    if now is None or not is_whole(before):
        return None
    if attrs is None and find_axis(0, before, now) != 0:  # a batch of rows
        return None
    if attrs is not None and not all(size > 0 or size == -1 for size in attrs.newshape):
        return None  # sizes that are those of axes
    counted = [letter for letter, size in zip(before, shape, strict=True) if size != 1]
    letters = [axis.letter.upper() for axis in read_layout(now)]
    met = [letter for letter, _ in groupby([each for each in letters if each in counted])]
    return InferredLayouts((now,), (None,), attrs) if met == counted else None


def take_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Take along the same axis; in its place stand the axes of the indices."""
    before = old[0]
    indices = tensor_shape(types[1])
    if before is None or indices is None or attrs.axis is None or attrs.batch_dims:
        return None
    now = before if new is None else new[0]
    found = None if now is None else find_axis(attrs.axis, before, now)
    if now is None or found is None:
        return None
    axes = list(read_layout(now))
    kept = [*axes[:found], *axes[found + 1 :]]
    result: Layout | None = show_layout(kept)
    if len(indices) == 1:
        result = now
    elif indices:
        result = insert_axes(show_layout(kept), found, len(indices))
    if new is not None:
        attrs = set_attrs(attrs, axis=found)
    return InferredLayouts((now, None), (result,), attrs)
