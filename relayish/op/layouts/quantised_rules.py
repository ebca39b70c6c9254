"""Layout rules of quantised operators, whose scales are single numbers or follow an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.ir.relay.type import Type
from relayish.op.declaration.layout_rule import InferredLayouts
from relayish.op.layouts.rules import Answer, Layouts, Types, broadcast_layouts, set_attrs
from relayish.op.types.layout import read_layout
from relayish.op.types.layout_algebra import find_axis, tensor_shape


def are_numbers(types: Sequence[Type]) -> bool:
    """Return whether all are single numbers, or shapes of one element."""
    shapes = [tensor_shape(ty) for ty in types]
    return all(shape is not None and all(size == 1 for size in shape) for shape in shapes)


# Any, in all rules: the attributes of the operator.
def requantize_layouts(attrs: Any, new: Layouts | None, old: Layouts, types: Types) -> Answer:
    """Give the layout in which the data comes; scales may follow one whole axis of it."""
    before, others = old[0], [None] * (len(old) - 1)
    if before is None:
        return None
    if new is None:
        return InferredLayouts([before, *others], (before,), attrs)
    now = new[0]
    found = None if now is None else find_axis(attrs.axis, before, now)
    if now is None or (found is None and not are_numbers(types[1:])):
        return None
    if found is not None and attrs.axis not in (found, found - len(read_layout(now))):
        attrs = set_attrs(attrs, axis=found)
    return InferredLayouts([now, *others], (now,), attrs)


def quantised_broadcast_layouts(
    attrs: Any, new: Layouts | None, old: Layouts, types: Types
) -> Answer:
    """Take both operands in layouts that broadcast; scales may follow one whole axis of each."""
    pair = None if new is None else new[:2]
    found = broadcast_layouts(attrs, pair, old[:2], types[:2])
    if found is None:
        return None
    if pair is not None and not are_numbers(types[2:]):
        axes = [
            axis if now is None else before and find_axis(axis, before, now)
            for axis, before, now in zip(
                (attrs.lhs_axis, attrs.rhs_axis), old, found.inputs, strict=False
            )
        ]
        if None in axes:
            return None
        attrs = set_attrs(attrs, lhs_axis=axes[0], rhs_axis=axes[1])
        found = found._replace(attrs=attrs)
    others = [None] * (len(old) - 2)
    return found._replace(inputs=[*found.inputs, *others])
