"""Operators that rearrange a tensor from one layout to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Protocol, runtime_checkable

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import show_shape
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import convert_layout, converted_shape
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.LayoutTransformAttrs")
class LayoutTransformAttrs(Attrs):
    """Attributes of ``layout_transform``."""

    src_layout: str
    dst_layout: str


@attrs("relay.attrs.AutoSchedulerLayoutTransformAttrs")
class AutoSchedulerLayoutTransformAttrs(Attrs):
    """Attributes of ``auto_scheduler_layout_transform``."""

    src_layout: str
    dst_layout: str


@runtime_checkable
class IndexMap(Protocol):
    """What says where each element goes: an index map of the loop IR, or what acts as one."""

    def map_shape(self, shape: Sequence[Dimension]) -> Sequence[Dimension]:
        """Return the shape of what a tensor of ``shape`` is rearranged to."""


@attrs("relay.attrs.MetaScheduleLayoutTransformAttrs")
class MetaScheduleLayoutTransformAttrs(Attrs):
    """Attributes of ``meta_schedule_layout_transform``; ``index_map`` is an :class:`IndexMap`."""

    index_map: object


def _layout_transform_type(attrs: LayoutTransformAttrs, data: Type) -> TensorType:
    source = tensor(data, "data")
    shape = converted_shape(source.shape, attrs.src_layout, attrs.dst_layout)
    return TensorType(shape, source.dtype)


def _layout_transform(attrs: LayoutTransformAttrs, data: Array) -> Array:
    return convert_layout(data, attrs.src_layout, attrs.dst_layout)


def _kernel_axes(layout: str) -> list[tuple[int, str]] | None:
    """Return the sizes and names of the axes of a layout such as ``2m4n8m``, if it is one."""
    if re.fullmatch(r"(?:\d+[A-Za-z_]+)+", layout) is None:
        return None
    return [(int(size), name) for size, name in re.findall(r"(\d+)([A-Za-z_]+)", layout)]


def _auto_scheduler_layout_transform_type(
    attrs: AutoSchedulerLayoutTransformAttrs, data: Type
) -> TensorType:
    source, target = tensor(data, "data"), _kernel_axes(attrs.dst_layout)
    if target is None:
        raise TypeInferenceError(f"{attrs.dst_layout!r} is no layout; expected one such as 2m4n8m")
    return TensorType(tuple(size for size, _ in target), source.dtype)


def _auto_scheduler_layout_transform(
    attrs: AutoSchedulerLayoutTransformAttrs, data: Array
) -> Array:
    """Split each axis of the source into those of its name in the target, outermost first."""
    sizes, axes = split_kernel_axes(attrs, data.shape)
    return data.reshape(sizes).transpose(axes)


def split_kernel_axes(
    attrs: AutoSchedulerLayoutTransformAttrs, shape: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the sizes of the parts of axes, and the order that they have in the target.

    Raises:
        EvaluationError: If a tensor of ``shape`` has no such axes.
    """
    before, after = _kernel_axes(attrs.src_layout), _kernel_axes(attrs.dst_layout)
    if before is None or after is None:
        raise EvaluationError(
            f"{attrs.src_layout!r} and {attrs.dst_layout!r} must be layouts such as 2m4n8m"
        )
    split = [place for _, name in before for place, (_, n) in enumerate(after) if n == name]
    whole = tuple([prod([size for size, n in after if n == name]) for _, name in before])
    if whole != tuple(shape) or sorted(split) != list(range(len(after))):
        raise EvaluationError(
            f"{show_shape(shape)} cannot be arranged from {attrs.src_layout} to {attrs.dst_layout}"
        )
    order = sorted(range(len(split)), key=split.__getitem__)
    return [after[place][0] for place in split], order


def _meta_schedule_layout_transform_type(
    attrs: MetaScheduleLayoutTransformAttrs, data: Type
) -> TensorType:
    source, index_map = tensor(data, "data"), attrs.index_map
    if not isinstance(index_map, IndexMap):
        raise TypeInferenceError(
            f"index_map must be an index map, which has map_shape(shape); found {index_map!r}"
        )
    return TensorType(tuple(index_map.map_shape(source.shape)), source.dtype)


register_op(
    "layout_transform",
    description="""
    Bring a tensor into another layout, such as NCHW into NCHW16c.
    data axes as src_layout -> axes as dst_layout
    """,
    rule=_layout_transform_type,
    evaluate=_layout_transform,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "auto_scheduler_layout_transform",
    description="""
    Bring a weight into the layout a schedule has chosen.
    data (...) -> (...), in the new layout
    """,
    rule=_auto_scheduler_layout_transform_type,
    evaluate=_auto_scheduler_layout_transform,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "meta_schedule_layout_transform",
    description="""
    Bring a weight into the layout a schedule has chosen.
    data (...) -> (...), in the new layout
    """,
    rule=_meta_schedule_layout_transform_type,
    pattern=OpPattern.INJECTIVE,
)
