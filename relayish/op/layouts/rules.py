"""Layout rules that serve many operators: element-wise ones, reductions, those of one axis.

In each, ``new``, ``old`` and ``types`` are the ``new_in_layouts``, ``old_in_layouts`` and
``old_in_types`` of :data:`~relayish.op.declaration.layout_rule.LayoutRule`; ``before`` is the
layout of data in the program as it is, ``now`` the one it comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import Type
from relayish.op.declaration.layout_rule import InferredLayouts, Layout, LayoutRule
from relayish.op.declaration.properties import OpPattern, attrs_type, infer_layout, pattern
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import is_layout, read_layout
from relayish.op.types.layout_algebra import (
    find_axes,
    find_axis,
    keep_axes,
    show_layout,
    split_axes,
    tensor_shape,
    whole_axes,
)

Layouts = Sequence[Layout | None]
Types = tuple[Type, ...]
Answer = InferredLayouts | None
Shape = tuple[Dimension, ...]


def layout_rule(op: object) -> LayoutRule | None:
    """Return the layout rule of ``op``: its own, or that of all operators which fuse as it does.

    Element-wise and broadcasting operators look at an element wherever it is, if no attribute says
    otherwise.
    """
    found = infer_layout.get(op)
    if found is not None or not isinstance(op, Op) or op in attrs_type:
        return found
    return _BY_PATTERN.get(pattern.get(op))


# Any, in all rules: the attributes of the operator.
def keep_layout(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Give the result in the layout in which the first argument comes.

    Arguments of the same shape are taken in that layout, all others as they were.
    """
    shapes = [tensor_shape(ty) for ty in types]
    alike = [shape is not None and shape == shapes[0] for shape in shapes]
    given = old if new is None else new
    if len(given) != len(alike):
        return None
    known = [layout for layout, same in zip(given, alike, strict=True) if same and layout]
    if new is not None and alike[0]:
        known = [layout for layout in given[:1] if layout]
    if not known:
        return None
    inputs = [known[0] if same else None for same in alike]
    return InferredLayouts(inputs, (known[0],), attrs)


def broadcast_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Take arguments in layouts that broadcast; arrange them as the first that comes otherwise."""
    shapes = [tensor_shape(ty) for ty in types]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes) or len(shapes) != len(old) or not shapes:
        return None
    rank = max(map(len, known))
    full = [place for place, shape in enumerate(known) if len(shape) == rank]
    if new is None:
        names = [layout for place in full if (layout := old[place]) is not None]
        if not names:
            return None
        behind = [_name_last_axes(names[0], shape) for shape in known]
        return InferredLayouts([b if is_layout(b) else None for b in behind], names[:1], attrs)
    leader = full[0]
    for place in full:
        if new[place] != old[place]:
            leader = place
            break
    now = new[leader]
    if now is None:
        return None
    inputs: list[Layout | None] = []
    for place, (before, shape) in enumerate(zip(old, known, strict=True)):
        if place == leader:
            inputs.append(now)
        elif all(size == 1 for size in shape):
            inputs.append(None)
        elif before is None:
            return None
        else:
            inputs.append(fit_layout(now, before, shape))
    return InferredLayouts(inputs, (now,), attrs)


def _name_last_axes(layout: Layout, shape: Shape) -> Layout:
    """Return what the axes of an operand are called; a part of size 1 is one, whatever it meets."""
    axes = read_layout(layout)[-len(shape) :] if shape else ()
    return show_layout(
        axis._replace(factor=1) if axis.factor and size == 1 else axis
        for axis, size in zip(axes, shape, strict=True)
    )


def fit_layout(now: Layout, before: Layout, shape: Shape) -> Layout:
    """Return the layout in which a tensor broadcasts to one in ``now``; it is in ``before``.

    An axis it does not have, or of size 1, it does not have in parts either.

    Example:
        >>> fit_layout("NCHW4c", "NHWC", (1, 7, 7, 1)), fit_layout("NHWC", "C", (8,))
        ('NCHW1c', 'C')
    """
    if now.endswith(before) and not split_axes(now):
        return before
    parts = zip(read_layout(before), shape, strict=True)
    several = {axis.letter.upper() for axis, size in parts if size != 1}
    return show_layout(
        axis._replace(factor=1) if axis.factor and axis.letter.upper() not in several else axis
        for axis in read_layout(now)
    )


_BY_PATTERN: Final[dict[OpPattern | None, LayoutRule]] = {
    OpPattern.ELEMWISE: keep_layout,
    OpPattern.BROADCAST: broadcast_layouts,
}


def set_attrs(attrs: Attrs, **values: object) -> Attrs:
    """Return ``attrs`` with these values, itself if it has them."""
    changed = {name: value for name, value in values.items() if attrs[name] != value}
    return attrs.with_values(**changed) if changed else attrs


def of_axis(
    name: str = "axis",
    *,
    outputs: int | Callable[[Any], int] = 1,
    others: int = 0,
    fixed: int | None = None,
) -> LayoutRule:
    """Return the rule of operators that treat one axis of their first argument apart.

    Other arguments are taken as they were.

    Args:
        name: The attribute that says which axis; a call without stays as it is.
        outputs: How many results have the axes of the data, or a function of the attributes.
        others: How many results behind them have other axes.
        fixed: An axis that has to stay in its place, as the batch.
    """

    def infer(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
        before, axis = old[0], attrs[name]
        rest = [None] * (len(old) - 1)
        count = outputs if isinstance(outputs, int) else outputs(attrs)
        if before is None or axis is None or tensor_shape(types[0]) is None:
            return None
        if new is None:
            return InferredLayouts([before, *rest], [*[before] * count, *[None] * others], attrs)
        now = new[0]
        found = None if now is None else find_axis(int(axis), before, now)
        if now is None or found is None:
            return None
        if fixed is not None and find_axis(fixed, before, now) != fixed:
            return None
        moved = attrs if axis in (found, found - len(read_layout(now))) else None
        moved = moved or set_attrs(attrs, **{name: found})
        return InferredLayouts([now, *rest], [*[now] * count, *[None] * others], moved)

    return infer


def of_axes(name: str = "axis") -> LayoutRule:
    """Return the rule of operators that treat some axes of their only argument apart."""

    def infer(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:  # noqa: ARG001 - as all rules
        before, axes = old[0], attrs[name]
        if before is None or axes is None:
            return None
        if new is None:
            return InferredLayouts((before,), (before,), attrs)
        now = new[0]
        found = None if now is None else find_axes(axes, before, now)
        if found is None:
            return None
        return InferredLayouts((now,), (now,), set_attrs(attrs, **{name: tuple(found)}))

    return infer


def of_convolution(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:  # noqa: ARG001 - as all rules
    """Take data and weight as the attributes say, whatever they come in; others as they were."""
    layouts = attrs.data_layout, attrs.kernel_layout, attrs.out_layout or attrs.data_layout
    if not all(map(is_layout, layouts)):
        return None
    data, kernel, result = layouts
    others = [None] * (len(old) - 2)
    return InferredLayouts((data, kernel, *others), (result,), attrs)


def of_transformed_convolution(
    attrs: Any, new: Layouts | None, old: Layouts, types: Types
) -> Answer:
    """Take data as the attributes say, and a weight that was transformed beforehand as it is."""
    found = of_convolution(attrs, new, old, types)
    return None if found is None else found._replace(inputs=(found.inputs[0], None))


def of_deformable_convolution(
    attrs: Any, new: Layouts | None, old: Layouts, types: Types
) -> Answer:
    """Take data, the offsets that lie as the data does, and the weight."""
    found = of_convolution(attrs, new, old, types)
    if found is None:
        return None
    data, kernel, *_ = found.inputs
    return found._replace(inputs=(data, data, kernel))


def of_dense(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:  # noqa: ARG001 - as all rules
    """Take rows of data, and a weight as the attributes say, whatever they come in."""
    data, weight = [tensor_shape(ty) for ty in types[:2]]
    layout = attrs.get("weight_layout", "NC")
    if data is None or weight is None or len(data) != 2 or not is_layout(layout):
        return None
    told = len(weight) in (len(read_layout(layout)), len(whole_axes(layout)))
    others = [None] * (len(old) - 2)
    return InferredLayouts(("NC", layout if told else None, *others), ("NC",), attrs)


def of_layout(
    spatial: str = "DHW", *, out_layout: bool = False, only: Sequence[Layout] = ()
) -> LayoutRule:
    """Return the rule of operators with an attribute ``layout``, which follows the data.

    Args:
        spatial: Axes that the operator has to find whole.
        out_layout: Whether an attribute of that name says how the result is arranged; if it does,
            the call is as it has to be.
        only: The layouts that the operator knows, if not all.
    """

    def infer(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:  # noqa: ARG001 - as all rules
        before, others = attrs.layout, [None] * (len(old) - 1)
        given = attrs.out_layout if out_layout else ""
        if not is_layout(before) or not is_layout(given):
            return None
        now = before if new is None or given else new[0]
        if now is None or any(axis in split_axes(now) for axis in spatial):
            return None
        if only and now not in only:
            return None
        return InferredLayouts((now, *others), (given or now,), set_attrs(attrs, layout=now))

    return infer


def of_reduction(*, order_counts: bool = False) -> LayoutRule:
    """Return the rule of reductions: over the same axes, and all parts of these.

    Args:
        order_counts: Whether it matters in which order elements are met: places are returned.
    """

    def infer(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
        before, shape = old[0], tensor_shape(types[0])
        if before is None or shape is None:
            return None
        reduced = reduced_axes(before, attrs)
        if reduced is None:
            return None
        now = before if new is None else new[0]
        result = None if now is None else _without(now, reduced, keepdims=attrs.keepdims)
        if now is None or result is None:
            return None
        if order_counts and now != before and (len(reduced) > 1 or reduced & {*split_axes(now)}):
            return None
        inputs = [now]
        for other, ty in zip(old[1:], types[1:], strict=False):
            size = tensor_shape(ty)  # the mean beside the data of a variance
            if size is None or len(size) != len(shape) or (new and other is None):
                return None
            inputs.append(fit_layout(now, before, size))
        if new is not None and attrs.axis:
            letters = [axis.letter.upper() for axis in read_layout(now)]
            places = [p for p, a in enumerate(letters) if (a in reduced) != attrs.exclude]
            attrs = set_attrs(attrs, axis=tuple(places))
        return InferredLayouts(inputs, (result,), attrs)

    return infer


def reduced_axes(layout: Layout, attrs: Any) -> set[str] | None:  # Any: as above
    """Return the letters of the axes that are reduced; ``None`` if some are in parts."""
    axes = read_layout(layout)
    letters = [axis.letter.upper() for axis in axes]
    if not attrs.axis:
        return set(letters)
    if not all(-len(axes) <= axis < len(axes) for axis in attrs.axis):
        return None
    places = {axis % len(axes) for axis in attrs.axis}
    if attrs.exclude:
        places = {*range(len(axes))} - places
    reduced = {letters[place] for place in places}
    return None if {p for p, a in enumerate(letters) if a in reduced} != places else reduced


def _without(layout: Layout, reduced: set[str], *, keepdims: bool) -> Layout | None:
    axes = read_layout(layout)
    if keepdims:
        return show_layout(
            [a._replace(factor=1) if a.factor and a.letter.upper() in reduced else a for a in axes]
        )
    return keep_axes(layout, [p for p, a in enumerate(axes) if a.letter.upper() not in reduced])


def is_whole(layout: Layout) -> bool:
    """Return whether no axis of ``layout`` is split."""
    return len(whole_axes(layout)) == len(layout)
