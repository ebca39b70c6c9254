"""Rules for operators that move numbers, or choose some of them: integers serve as they are.

Where scales differ along an axis, that axis must still be there, with all its places in order.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.op.builders.call import attrs_of
from relayish.op.declaration.fake_quantization import register_fake_quantization_to_integer
from relayish.op.types.affine_type import AffineType, TensorAffineType, TupleAffineType
from relayish.op.types.fields import Dimension
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import (
    array_of,
    normalise_axis,
    quantize,
    requantize,
)

Shape: TypeAlias = tuple[Dimension, ...]
Move: TypeAlias = Callable[[Any, Shape, Shape, int], int | None]
"""``move(attrs, before, after, axis)``: where an axis is afterwards, ``None`` if it is lost.

Any: the attributes of the operator."""


def move_axis(
    call: Call, types: AffineTypes, move: Move, result: Expr | None = None
) -> TensorAffineType:
    """Return the affine type of what ``call`` moves: that of its first argument.

    Raises:
        PassError: If scales differ along an axis that is lost.
    """
    data = call.args[0]
    ty = types.tensor(data)
    if not types.is_per_axis(ty):
        return ty
    before = types.type_of(data).shape
    after = types.type_of(call if result is None else result).shape
    axis = move(attrs_of(call), before, after, normalise_axis(ty.axis, before))
    if axis is None:
        raise PassError(f"axis {ty.axis}, along which scales differ, does not outlast this call")
    return TensorAffineType(ty.scale, ty.zero_point, ty.dtype, axis)


def _lose(_: Any, _before: Shape, _after: Shape, _axis: int) -> None:
    return None


def _reshape(_: Any, before: Shape, after: Shape, axis: int) -> int | None:
    """Find the axis of the same size with as many elements in front."""
    if not all(isinstance(size, int) for size in (*before, *after)):
        return None
    in_front, size = prod(before[:axis]), before[axis]
    for place, found in enumerate(after):
        if found == size and prod(after[:place]) == in_front:
            return place
    return None


def _transpose(attrs: Any, before: Shape, _: Shape, axis: int) -> int:
    if attrs.axes is None:
        return len(before) - 1 - axis
    return [normalise_axis(place, before) for place in attrs.axes].index(axis)


def _expand_dims(attrs: Any, _: Shape, after: Shape, axis: int) -> int:
    first = attrs.axis if attrs.axis >= 0 else attrs.axis + len(after) - attrs.num_newaxis + 1
    return axis + attrs.num_newaxis if axis >= first else axis


def _squeeze(attrs: Any, before: Shape, _: Shape, axis: int) -> int | None:
    given = [place for place, size in enumerate(before) if size == 1]
    if attrs.axis is not None:
        given = [normalise_axis(place, before) for place in attrs.axis]
    return None if axis in given else axis - sum([place < axis for place in given])


def _strided_slice(attrs: Any, before: Shape, after: Shape, axis: int) -> int | None:
    forward = all(stride > 0 for stride in attrs.strides or ())
    return axis if forward and before[axis] == after[axis] else None


def _window(attrs: Any, _: Shape, _after: Shape, axis: int) -> int | None:
    return axis if attrs.layout[axis : axis + 1] in ("N", "C") else None


def _reduce(attrs: Any, before: Shape, _: Shape, axis: int) -> int | None:
    named = [normalise_axis(place, before) for place in attrs.axis or ()]
    rest = [place for place in range(len(before)) if place not in named]
    gone = rest if attrs.exclude or not named else named
    if axis in gone:
        return None
    return axis if attrs.keepdims else axis - sum([place < axis for place in gone])


def _broadcast_to(_: Any, before: Shape, after: Shape, axis: int) -> int:
    return axis + len(after) - len(before)


def _take(attrs: Any, before: Shape, after: Shape, axis: int) -> int | None:
    if attrs.axis is None or attrs.batch_dims:
        return None
    taken = normalise_axis(attrs.axis, before)
    if axis == taken:
        return None
    return axis if axis < taken else axis + len(after) - len(before)


def _along(attrs: Any, before: Shape, _: Shape, axis: int) -> int | None:
    return None if axis == normalise_axis(attrs.axis, before) else axis


_UNARY: Final[dict[str, Move]] = {
    "broadcast_to": _broadcast_to,
    "expand_dims": _expand_dims,
    "max": _reduce,
    "min": _reduce,
    "nn.batch_flatten": _reshape,
    "nn.depth_to_space": _lose,
    "nn.max_pool2d": _window,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "strided_slice": _strided_slice,
    "take": _take,
    "transpose": _transpose,
}


def _keep(move: Move) -> Callable[[Call, AffineTypes], tuple[Expr, AffineType]]:
    def rule(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
        return call, move_axis(call, types, move)

    return rule


for _name, _move in _UNARY.items():
    register_fake_quantization_to_integer(_name, _keep(_move))


@register_fake_quantization_to_integer("topk")
def take_largest(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Choose integers in place of the numbers they stand for, in the same order."""
    if attrs_of(call).ret_type != "values":
        raise PassError("topk is made integers where it returns values only")
    return call, move_axis(call, types, _along)


@register_fake_quantization_to_integer("split")
def split(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Split integers; each part is quantised as the whole was."""
    ty, sections = types.tensor(call.args[0]), attrs_of(call).indices_or_sections
    if types.is_per_axis(ty):
        before = types.type_of(call.args[0]).shape
        if _along(attrs_of(call), before, (), normalise_axis(ty.axis, before)) is None:
            raise PassError("scales differ along the axis that is split")
    count = sections if isinstance(sections, int) else len(sections) + 1
    return call, TupleAffineType([ty] * count)


@register_fake_quantization_to_integer("image.resize2d")
def resize(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Resize integers, but not where that makes numbers beyond those there are."""
    attrs = attrs_of(call)
    if attrs.method == "cubic" or attrs.coordinate_transformation_mode == "tf_crop_and_resize":
        raise PassError("a cubic or cropping resize makes numbers that integers may not hold")
    if attrs.out_dtype not in (None, ""):
        raise PassError("a resize to another element type is none of integers")
    types.computes = attrs.method != "nearest_neighbor"
    return call, move_axis(call, types, _window)


@register_fake_quantization_to_integer("nn.pad")
def pad(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Pad with the integer that stands for what was padded with."""
    data, value = call.args
    ty = types.tensor(data)
    if attrs_of(call).pad_mode != "constant":
        return call, move_axis(call, types, lambda _a, b, c, axis: _same_size(b, c, axis))
    types.require_single(ty, "nn.pad")
    if value in types:
        given = types.tensor(value)
        filling = value if given == ty else requantize(value, given, ty)
    else:
        filling = _quantized_filling(value, ty)
    return call.with_fields(args=(data, filling)), ty


def _same_size(before: Shape, after: Shape, axis: int) -> int | None:
    return axis if before[axis] == after[axis] else None


def _quantized_filling(value: Expr, ty: TensorAffineType) -> Expr:
    """Return a constant to pad with, quantised.

    Raises:
        PassError: If it is beyond what the integers stand for, as the lowest float is.
    """
    number, scale, zero_point = array_of(value), array_of(ty.scale), array_of(ty.zero_point)
    if type(value) is not Constant or number is None or number.dtype.kind not in "fiuV":
        raise PassError("what is padded with must be quantised or a constant")
    if scale is not None and zero_point is not None:
        stands = number / scale.reshape(()) + zero_point.reshape(())
        limits = np.iinfo(ty.dtype)
        if not limits.min - 1 < float(stands) < limits.max + 1:
            raise PassError(f"no {ty.dtype} stands for {float(number):g}, with which nn.pad fills")
    return quantize(value if number.dtype.kind in "fV" else Constant(np.float32(number)), ty)
